import { isSelected, type Manifest, type Peer, type PolicyRule, type Selector, type Workload } from './manifests';

/** `from -> to:port` */
export type Edge = string;

export const edge = (from: string, to: string, port: number): Edge => `${from} -> ${to}:${port}`;

/** Whom the policies let talk to whom, between pods; half an allowance (one that only one of the two sides gives) is apart. */
export function edgesBetweenPods(manifests: readonly Manifest[], workloads: readonly Workload[]): { readonly open: Set<Edge>; readonly half: Set<Edge> } {
  const outgoing = new Set(policies(manifests, 'Egress').flatMap(({ selector, rules }) => towards(workloads, selector, rules, (rule) => rule.to, edge)));
  const incoming = new Set(policies(manifests, 'Ingress').flatMap(({ selector, rules }) => towards(workloads, selector, rules, (rule) => rule.from, (to, from, port) => edge(from, to, port))));
  const both = [...outgoing].filter((one) => incoming.has(one));
  const half = [...outgoing, ...incoming].filter((one) => outgoing.has(one) !== incoming.has(one));
  return { open: new Set(both), half: new Set(half) };
}

/** `from -> cidr:port`; a block with exceptions is `public`. */
export function edgesOutside(manifests: readonly Manifest[], workloads: readonly Workload[]): Set<Edge> {
  const blockOf = ({ ipBlock }: Peer) => (ipBlock?.except === undefined ? ipBlock?.cidr : 'public');
  return new Set(policies(manifests, 'Egress').flatMap(({ selector, rules }) => rules.flatMap((rule) => (rule.to ?? []).flatMap((peer) => {
    const block = blockOf(peer);
    return block === undefined ? [] : chosen(workloads, selector).flatMap((from) => portsOf(rule).map((port) => edge(from, block, port)));
  }))));
}

/** Rules that say less than they should: no peer or no port means everybody, or every port. */
export function boundlessRules(manifests: readonly Manifest[]): string[] {
  const everyRule = manifests.filter(({ kind }) => kind === 'NetworkPolicy').flatMap(({ metadata, spec }) => [...(spec?.ingress ?? []), ...(spec?.egress ?? [])].map((rule) => [metadata.name, rule] as const));
  return everyRule.filter(([, rule]) => (rule.from ?? rule.to ?? []).length === 0 || portsOf(rule).length === 0).map(([name]) => name);
}

/** Workloads that pods of another namespace reach, by the name of the namespace. */
export function openToNamespace(manifests: readonly Manifest[], workloads: readonly Workload[], namespace: string): string[] {
  return policies(manifests, 'Ingress').flatMap(({ selector, rules }) => (rules.some((rule) => rule.from?.some(({ namespaceSelector }) => isNamespace(namespaceSelector, namespace))) ? chosen(workloads, selector) : []));
}

export const isNamespace = (selector: Selector | undefined, name: string) => selector?.matchLabels?.['kubernetes.io/metadata.name'] === name;

function policies(manifests: readonly Manifest[], type: 'Ingress' | 'Egress'): { selector: Selector; rules: readonly PolicyRule[] }[] {
  return manifests
    .filter(({ kind, spec }) => kind === 'NetworkPolicy' && spec?.policyTypes?.includes(type))
    .map(({ spec }) => ({ selector: spec?.podSelector ?? {}, rules: (type === 'Egress' ? spec?.egress : spec?.ingress) ?? [] }));
}

function towards(workloads: readonly Workload[], selector: Selector, rules: readonly PolicyRule[], peersOf: (rule: PolicyRule) => readonly Peer[] | undefined, edgeOf: (own: string, other: string, port: number) => Edge): Edge[] {
  return chosen(workloads, selector).flatMap((own) => rules.flatMap((rule) => (peersOf(rule) ?? []).flatMap(({ podSelector, namespaceSelector }) => {
    if (!podSelector || namespaceSelector) return [];
    return chosen(workloads, podSelector).flatMap((other) => portsOf(rule).map((port) => edgeOf(own, other, port)));
  })));
}

const chosen = (workloads: readonly Workload[], selector: Selector) => workloads.filter(({ labels }) => isSelected(selector, labels)).map(({ name }) => name);
const portsOf = (rule: PolicyRule) => (rule.ports ?? []).map(({ port }) => port);
