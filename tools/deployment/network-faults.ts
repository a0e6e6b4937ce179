import { isDeepStrictEqual } from 'node:util';
import { IMAGES } from '../images/image';
import { addressesIn } from './addresses';
import type { Manifest, ManifestSpec, PolicyRule, Workload } from './manifests';
import { boundlessRules, edge, type Edge, edgesBetweenPods, edgesOutside, isNamespace, openToNamespace } from './network';
import type { Variables } from './variables';

/** Calls between pods that no setting of a service names: engines that call themselves by name, and jobs that prepare them. */
const OF_ENGINES: readonly Edge[] = [edge('mongo', 'mongo', 27017), edge('mongo-replica-set', 'mongo', 27017), edge('databases', 'postgres', 5432), edge('kafka', 'kafka', 9092)];
/** Where webhooks go is for their users to say. */
const WEBHOOKS: readonly Edge[] = [edge('notificationsvc', 'public', 80), edge('notificationsvc', 'public', 443)];
const INGRESS_CONTROLLER = 'ingress-nginx';
/** Ports of stores whose addresses are secrets. */
const SECRET_PORTS: Readonly<Record<string, number>> = { DATABASE_URL: 5432, MONGO_URL: 27017, SMTP_URL: 587 };

/** Who may talk to whom is what the settings need: nothing less, nothing more. */
export function networkFaults(manifests: readonly Manifest[], workloads: readonly Workload[], variables: ReadonlyMap<string, Variables>): string[] {
  const { open, half } = edgesBetweenPods(manifests, workloads);
  const outside = edgesOutside(manifests, workloads);
  const names = new Set(workloads.map(({ name }) => name));
  const needed = neededEdges(variables, names);
  const neededInside = new Set([...needed.inside, ...OF_ENGINES.filter((one) => names.has(one.split(' ')[0] ?? ''))]);
  return [
    ...[...neededInside].filter((one) => !open.has(one)).map((one) => `${one} is needed and closed`),
    ...[...open].filter((one) => !neededInside.has(one)).map((one) => `${one} is open and not needed`),
    ...[...half].map((one) => `${one} is allowed by one side alone`),
    ...outsideFaults(outside, needed.outside),
    ...boundlessRules(manifests).map((name) => `the policy ${name} has a rule without a peer or a port`),
    ...frontFaults(manifests, workloads),
  ];
}

interface Needed {
  readonly inside: Set<Edge>;
  /** `from:port`, for addresses that are not in the cluster. */
  readonly outside: Set<string>;
}

function neededEdges(variables: ReadonlyMap<string, Variables>, names: ReadonlySet<string>): Needed {
  const inside = new Set<Edge>();
  const outside = new Set<string>();
  for (const [from, given] of variables) {
    for (const { host, port } of addressesIn(given)) {
      if (names.has(host)) inside.add(edge(from, host, port));
      else outside.add(`${from}:${port}`);
    }
    for (const [name, port] of Object.entries(SECRET_PORTS)) if (name in given && given[name] === undefined) outside.add(`${from}:${port}`);
  }
  inside.delete(edge('passportsvc', 'passportsvc', 3000)); // every service has PASSPORT_URL; passportsvc asks itself without it
  return { inside, outside };
}

function outsideFaults(open: ReadonlySet<Edge>, needed: ReadonlySet<string>): string[] {
  const toEngines = [...open].filter((one) => !WEBHOOKS.includes(one));
  const reached = new Set(toEngines.map((one) => `${one.split(' ')[0]}:${one.slice(one.lastIndexOf(':') + 1)}`));
  return [
    ...WEBHOOKS.filter((one) => !open.has(one)).map((one) => `${one} is needed and closed`),
    ...[...needed].filter((one) => !reached.has(one)).map((one) => `${one} is needed and closed`),
    ...toEngines.filter((one) => !needed.has(`${one.split(' ')[0]}:${one.slice(one.lastIndexOf(':') + 1)}`)).map((one) => `${one} is open and not needed`),
    ...toEngines.filter((one) => one.includes('/0:')).map((one) => `${one} is the whole network`),
  ];
}

/** Nobody may do anything unless it is said; names are asked of the cluster's DNS alone; the ingress controller reaches what it routes to. */
function frontFaults(manifests: readonly Manifest[], workloads: readonly Workload[]): string[] {
  const specs = manifests.filter(({ kind }) => kind === 'NetworkPolicy').flatMap(({ spec }) => (spec ? [spec] : []));
  const elsewhere = specs.flatMap(({ egress = [] }) => egress).filter((rule) => rule.to?.some(({ namespaceSelector }) => namespaceSelector));
  const reached = openToNamespace(manifests, workloads, INGRESS_CONTROLLER).sort();
  return [
    ...(specs.some(deniesAll) ? [] : ['what is not said is allowed']),
    ...(elsewhere.length === 1 && elsewhere.every(isDns) ? [] : ['names are not asked of kube-dns alone']),
    ...(reached.join() === [...IMAGES].sort().join() ? [] : [`the ingress controller reaches ${reached.join(', ')}`]),
  ];
}

const DENY_ALL: ManifestSpec = { podSelector: {}, policyTypes: ['Ingress', 'Egress'] };
const deniesAll = (spec: ManifestSpec) => isDeepStrictEqual(spec, DENY_ALL);

const isDns = ({ to = [], ports = [] }: PolicyRule) => to.every(({ namespaceSelector }) => isNamespace(namespaceSelector, 'kube-system')) && ports.every(({ port }) => port === 53);
