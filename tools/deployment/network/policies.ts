import { BlockList, isIPv6, SocketAddress } from 'node:net';
import { isSelected, type Labels, type Manifest, type Peer, type PolicyPort, type PolicyRule } from '../manifests';

/** An end of a connection: a pod, or an address outside of the cluster. */
export interface Endpoint {
  readonly name: string;
  readonly address: string;
  readonly pod?: { readonly namespace: string; readonly labels: Labels; readonly namedPorts?: Readonly<Record<string, number>> };
}

export interface Port {
  readonly port: number;
  readonly protocol: 'TCP' | 'UDP';
}

export type Direction = 'Ingress' | 'Egress';
/** `own` is the end that the policies speak of, `port` one of the end that is called. */
export type Judge = (own: Endpoint, other: Endpoint, port: Port) => boolean;

/** What the policies say in one direction, as Kubernetes defines it: a pod that none selects may do anything, any other what one of the rules allows. */
export function judgeOf(manifests: readonly Manifest[], endpoints: readonly Endpoint[], direction: Direction): Judge {
  const allowed = new Map<Endpoint, { readonly peers: ReadonlySet<Endpoint>; readonly ports: readonly PolicyPort[] | undefined }[]>();
  for (const { metadata, spec = {} } of policiesOf(manifests, direction)) {
    const namespace = metadata.namespace ?? '';
    const selected = endpoints.filter(({ pod }) => pod?.namespace === namespace && isSelected(spec.podSelector ?? {}, pod.labels));
    if (selected.length === 0) continue;
    const rules = ((direction === 'Ingress' ? spec.ingress : spec.egress) ?? []).map((rule) => ({ peers: peersOf(rule, namespace, endpoints), ports: rule.ports }));
    for (const own of selected) allowed.set(own, [...(allowed.get(own) ?? []), ...rules]);
  }
  return (own, other, port) => {
    const called = direction === 'Ingress' ? own : other;
    return allowed.get(own)?.some(({ peers, ports }) => peers.has(other) && isAmong(ports, port, called)) ?? true;
  };
}

/** Without `policyTypes` a policy is of Ingress, and of Egress where it has such rules. */
const policiesOf = (manifests: readonly Manifest[], direction: Direction) => manifests.filter(({ kind, spec }) =>
  kind === 'NetworkPolicy' && (spec?.policyTypes?.includes(direction) ?? (direction === 'Ingress' || spec?.egress !== undefined)));

/** No peers are all of them. */
function peersOf({ from, to }: PolicyRule, namespace: string, endpoints: readonly Endpoint[]): ReadonlySet<Endpoint> {
  const peers = from ?? to ?? [];
  if (peers.length === 0) return new Set(endpoints);
  const tests = peers.map((peer) => testOf(peer, namespace));
  return new Set(endpoints.filter((endpoint) => tests.some((test) => test(endpoint))));
}

function testOf({ ipBlock, podSelector, namespaceSelector }: Peer, namespace: string): (endpoint: Endpoint) => boolean {
  if (ipBlock !== undefined) {
    const [inside, except] = [listOf([ipBlock.cidr]), listOf(ipBlock.except ?? [])];
    return ({ address }) => inside.check(parsed(address)) && !except.check(parsed(address));
  }
  return ({ pod }) => pod !== undefined && isSelected(podSelector ?? {}, pod.labels) &&
    (namespaceSelector === undefined ? pod.namespace === namespace : isSelected(namespaceSelector, { 'kubernetes.io/metadata.name': pod.namespace }));
}

function listOf(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [network = '', prefix] = block.split('/');
    list.addSubnet(network, Number(prefix), familyOf(network));
  }
  return list;
}

/** Reading an address takes longer than all that is done with it. */
function parsed(address: string): SocketAddress {
  const known = ADDRESSES.get(address) ?? new SocketAddress({ address, family: familyOf(address) });
  ADDRESSES.set(address, known);
  return known;
}

const ADDRESSES = new Map<string, SocketAddress>();
const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** No ports are all of them; a name is that of a port of the pod that is called. */
const isAmong = (ports: readonly PolicyPort[] | undefined, { port, protocol }: Port, called: Endpoint): boolean =>
  ports === undefined || ports.length === 0 || ports.some((one) => {
    const first = typeof one.port === 'string' ? called.pod?.namedPorts?.[one.port] : one.port;
    if ((one.protocol ?? 'TCP') !== protocol) return false;
    return one.port === undefined || (first !== undefined && port >= first && port <= (one.endPort ?? first));
  });
