import { SERVICES } from '@twinyard/conventions';
import type { Manifest, Workload } from '../manifests';
import { isImage } from '../resources';
import { waysIn } from '../routes/ways-in';
import { schemaOf, type Variables } from '../variables';
import { addressesIn, portsOfSecrets } from './addresses';
import { HOME, MONITORING, NAMES, NEWCOMER, podOf, PUBLIC } from './endpoints';
import type { Port } from './policies';

export interface Call extends Port {
  readonly from: string;
  readonly to: string;
}

/** What the product does over the network, read from what it is given and not from what it is allowed. */
export interface Calls {
  readonly inside: readonly Call[];
  /** To engines outside of the cluster, wherever those are. */
  readonly toEngines: readonly Omit<Call, 'to'>[];
  /** Who calls what its users name, in the public network. */
  readonly byUsers: readonly Omit<Call, 'to'>[];
}

/** Calls of engines, which no setting of a service names: themselves by name (readiness, replica set, advertised listener), and the jobs that prepare them. */
const OF_ENGINES: readonly Call[] = [tcp('mongo', 'mongo', 27017), tcp('mongo-replica-set', 'mongo', 27017), tcp('databases', 'postgres', 5432), tcp('kafka', 'kafka', 9092)];

/** A setting of this name tells that a service calls addresses of its users; at these ports, which an address has when it names none. */
export const NAMED_BY_USERS: Readonly<Record<string, readonly number[]>> = {
  WEBHOOK_ALLOW_PRIVATE: [80, 443], UPSTREAM_ALLOW_PRIVATE: [443], REST_CONNECTOR_ALLOW_PRIVATE: [80, 443],
};

/** `variables`: what each of our workloads is given. */
export async function callsOf(manifests: readonly Manifest[], workloads: readonly Workload[], variables: ReadonlyMap<string, Variables>): Promise<Calls> {
  const names = workloads.map(({ name }) => name);
  const addressed = [...variables].flatMap(([from, given]) => [...addressesIn(given).map(({ host, port }) => tcp(from, host, port)), ...portsOfSecrets(given).map((port) => tcp(from, '', port))]);
  // Every service has PASSPORT_URL; passportsvc asks itself without it.
  const settled = addressed.filter(({ from, to }) => from !== 'passportsvc' || to !== from);
  const byUsers = await Promise.all([...variables.keys()].map(callsByUsers));
  return {
    inside: [
      ...settled.filter(({ to }) => names.includes(to)),
      ...OF_ENGINES.filter(({ from }) => names.includes(from)),
      ...[...names, NEWCOMER.name].flatMap((from) => (['TCP', 'UDP'] as const).map((protocol) => ({ from, to: NAMES.name, port: 53, protocol }))),
      ...waysIn(manifests).flatMap(({ namespace, routes }) => routes.map(({ service, port }) => tcp(podOf(namespace), service, port))),
      ...scrapes(manifests),
      ...byUsers.flat().map((call) => ({ ...call, to: PUBLIC.name })),
    ],
    toEngines: settled.filter(({ to }) => !names.includes(to)),
    byUsers: byUsers.flat(),
  };
}

async function callsByUsers(from: string): Promise<Omit<Call, 'to'>[]> {
  if (!isImage(from)) return [];
  const settings = Object.keys((await schemaOf(from)).shape);
  return settings.flatMap((setting) => NAMED_BY_USERS[setting] ?? []).map((port) => ({ from, port, protocol: 'TCP' as const }));
}

/** Where something scales by what the services tell, Prometheus reads all of them. */
function scrapes(manifests: readonly Manifest[]): Call[] {
  const isMeasured = manifests.some(({ spec }) => spec?.metrics?.some(({ external }) => external !== undefined));
  return isMeasured ? SERVICES.map((service) => tcp(podOf(MONITORING), service, 3000)) : [];
}

function tcp(from: string, to: string, port: number): Call {
  return { from, to, port, protocol: 'TCP' };
}

/** Namespaces of those who bring requests in. */
export const frontsOf = (manifests: readonly Manifest[]): string[] => waysIn(manifests).map(({ namespace }) => namespace).filter((namespace) => namespace !== HOME);
