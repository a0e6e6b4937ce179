import { isDeepStrictEqual } from 'node:util';
import { isPrivateAddress } from '@twinyard/service-kit/outbound';
import type { Manifest, ManifestSpec, Workload } from '../manifests';
import type { Variables } from '../variables';
import { type Call, type Calls, callsOf, frontsOf } from './calls';
import { endpointsOf, HOME, isBlock, portsOf } from './endpoints';
import { type Endpoint, judgeOf, type Port } from './policies';

/** Who may talk to whom is what the product does: nothing less, nothing more. */
export async function networkFaults(manifests: readonly Manifest[], workloads: readonly Workload[], variables: ReadonlyMap<string, Variables>): Promise<string[]> {
  return faultsAgainst(await callsOf(manifests, workloads, variables), manifests, workloads);
}

/** The policies, asked about every pair of ends and every port, compared with the calls that there are. */
export function faultsAgainst(calls: Calls, manifests: readonly Manifest[], workloads: readonly Workload[]): string[] {
  const endpoints = endpointsOf(manifests, workloads, frontsOf(manifests));
  const ports = portsOf(manifests, workloads, [...calls.inside, ...calls.toEngines]);
  const { open, half } = pairsOf(manifests, endpoints, ports);
  const [toBlocks, elsewhere] = [open.filter(({ to }) => isBlock(to)), open.filter(({ to }) => !isBlock(to))];
  const [needed, neededOutside] = [new Set(calls.inside.map(edgeOf)), new Set(calls.toEngines.map(wayOf))];
  const [found, foundOutside] = [new Set(elsewhere.map(edgeOf)), new Set(toBlocks.map(wayOf))];
  return [
    ...[...needed].filter((edge) => !found.has(edge)).map((edge) => `${edge} is needed and closed`),
    ...[...neededOutside].filter((way) => !foundOutside.has(way)).map((way) => `${way} is needed and closed`),
    ...summed(elsewhere.filter((one) => !needed.has(edgeOf(one))), ports.length).map((edge) => `${edge} is open and not needed`),
    ...summed(toBlocks.filter((one) => !neededOutside.has(wayOf(one))), ports.length).map((edge) => `${edge} is open and not needed`),
    ...summed(half, ports.length).map((edge) => `${edge} is allowed by one side alone`),
    ...toBlocks.filter(({ to }) => to.name.endsWith('/0')).map((one) => `${edgeOf(one)} is the whole network`),
    ...privateFaults(calls, manifests, endpoints),
    ...(manifests.some(deniesAll) ? [] : ['what is not said is allowed']),
  ];
}

interface Pair extends Port {
  readonly from: Endpoint;
  readonly to: Endpoint;
}

/** What both ends let pass, and what one of two of ours does alone. Between ends that are both somebody else's we have no say. */
function pairsOf(manifests: readonly Manifest[], endpoints: readonly Endpoint[], ports: readonly Port[]): { readonly open: Pair[]; readonly half: Pair[] } {
  const [mayLeave, mayEnter] = [judgeOf(manifests, endpoints, 'Egress'), judgeOf(manifests, endpoints, 'Ingress')];
  const [open, half]: [Pair[], Pair[]] = [[], []];
  for (const [from, to] of endpoints.flatMap((one) => endpoints.map((other) => [one, other] as const))) {
    const [isFromOurs, isToOurs] = [isOurs(from), isOurs(to)];
    if (!isFromOurs && !isToOurs) continue;
    for (const port of ports) {
      const [leaves, enters] = [mayLeave(from, to, port), mayEnter(to, from, port)];
      if (leaves && enters) open.push({ from, to, ...port });
      else if (leaves !== enters && isFromOurs && isToOurs) half.push({ from, to, ...port });
    }
  }
  return { open, half };
}

const isOurs = ({ pod }: Endpoint) => pod?.namespace === HOME;

const nameOf = (end: Endpoint | string) => (typeof end === 'string' ? end : end.name);
const suffixOf = ({ port, protocol }: Port) => `:${port}${protocol === 'TCP' ? '' : `/${protocol}`}`;
/** `aisvc -> postgres:5432` */
const edgeOf = (one: Pair | Call) => `${nameOf(one.from)} -> ${nameOf(one.to)}${suffixOf(one)}`;
/** `aisvc:9094`, wherever it goes. */
const wayOf = (one: Omit<Pair, 'to'> | Omit<Call, 'to'>) => `${nameOf(one.from)}${suffixOf(one)}`;

/** One line for a pair of which every port is meant. */
function summed(pairs: readonly Pair[], every: number): string[] {
  const byEnds = new Map<string, Pair[]>();
  for (const pair of pairs) {
    const ends = `${pair.from.name} -> ${pair.to.name}`;
    byEnds.set(ends, [...(byEnds.get(ends) ?? []), pair]);
  }
  return [...byEnds].flatMap(([ends, ofThem]) => (ofThem.length === every ? [`${ends}:*`] : ofThem.map(edgeOf)));
}

/** Who calls what its users name reaches what the service itself would call, and nothing else: on both sides of every border between private and public. */
function privateFaults({ byUsers }: Calls, manifests: readonly Manifest[], endpoints: readonly Endpoint[]): string[] {
  const callers = endpoints.filter(({ name }) => byUsers.some(({ from }) => from === name));
  const mayLeave = judgeOf(manifests, [...callers, ...PROBES], 'Egress');
  return byUsers.flatMap(({ from, ...port }) => callers.filter(({ name }) => name === from).flatMap((own) => PROBES.flatMap((probe) => {
    if (mayLeave(own, probe, port) !== probe.isPrivate) return [];
    return [`${from} -> ${probe.address}${suffixOf(port)} is ${probe.isPrivate ? 'private and open' : 'public and closed'}`];
  })));
}

const FIRST = [1, 8, 0, 9, 10, 11, 100, 126, 127, 128, 169, 172, 191, 192, 193, 198, 203, 223, 224, 239, 240, 255];
const SECOND = [0, 15, 16, 18, 19, 20, 31, 32, 51, 63, 64, 127, 128, 168, 254];
const THIRD = [0, 2, 100, 113];
const PROBES = FIRST.flatMap((first) => SECOND.flatMap((second) => THIRD.map((third) => `${first}.${second}.${third}.1`))).map((address) => ({ name: 'probe', address, isPrivate: isPrivateAddress(address) }));

const DENY_ALL: ManifestSpec = { podSelector: {}, policyTypes: ['Ingress', 'Egress'] };
const deniesAll = ({ kind, spec }: Manifest) => kind === 'NetworkPolicy' && isDeepStrictEqual(spec, DENY_ALL);
