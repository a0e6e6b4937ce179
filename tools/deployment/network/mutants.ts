import type { Manifest, Workload } from '../manifests';
import { HOME } from './endpoints';

/** Manifests whose policies say one thing less, or one thing more. */
export interface Mutant {
  readonly what: string;
  readonly manifests: readonly Manifest[];
}

const isPolicy = ({ kind }: Manifest) => kind === 'NetworkPolicy';

export const withoutPolicies = (manifests: readonly Manifest[]): Mutant[] =>
  manifests.filter(isPolicy).map((policy) => ({ what: policy.metadata.name, manifests: manifests.filter((one) => one !== policy) }));

/** Without one rule, peer, port, value of a selector, direction or exception: each of them in turn. */
export const withoutParts = (manifests: readonly Manifest[]): Mutant[] => manifests.filter(isPolicy).flatMap((policy) => partsOf(policy.spec ?? {}, ['spec']).map((path) => ({
  what: `${policy.metadata.name}: ${path.slice(1).join('.')}`,
  manifests: manifests.map((one) => (one === policy ? without(policy, path) : one)),
})));

type Path = readonly (string | number)[];

/** Lists that mean something else when nothing is in them: everybody, every port, every direction. */
const NEVER_EMPTY = new Set(['from', 'to', 'ports', 'values', 'policyTypes']);

function partsOf(value: unknown, path: Path): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([key, part]) => partsOf(part, [...path, key]));
  const isCut = Array.isArray(value) && path.at(-1) !== 'matchExpressions' && (value.length > 1 || !NEVER_EMPTY.has(String(path.at(-1))));
  return isCut ? [...value.map((_part, index) => [...path, index]), ...below] : below;
}

function without(policy: Manifest, path: Path): Manifest {
  const copy = structuredClone(policy);
  const list = path.slice(0, -1).reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], copy) as unknown[];
  list.splice(Number(path.at(-1)), 1);
  return copy;
}

/** With one policy that allows everything, to all pods or to one, in one direction. */
export const withEverything = (manifests: readonly Manifest[], workloads: readonly Workload[]): Mutant[] =>
  [{}, ...workloads.map(({ labels }) => ({ matchLabels: labels }))].flatMap((podSelector) => [
    { what: `in: ${JSON.stringify(podSelector)}`, manifests: [...manifests, added({ podSelector, policyTypes: ['Ingress'], ingress: [{}] })] },
    { what: `out: ${JSON.stringify(podSelector)}`, manifests: [...manifests, added({ podSelector, policyTypes: ['Egress'], egress: [{}] })] },
  ]);

/** With one way more, from one pod to one port of another, that both sides allow. */
export function withWay(manifests: readonly Manifest[], from: Workload, to: Workload, port: number): readonly Manifest[] {
  const ports = [{ protocol: 'TCP', port }];
  const [own, other] = [{ matchLabels: from.labels }, { matchLabels: to.labels }];
  return [
    ...manifests,
    added({ podSelector: own, policyTypes: ['Egress'], egress: [{ to: [{ podSelector: other }], ports }] }),
    added({ podSelector: other, policyTypes: ['Ingress'], ingress: [{ from: [{ podSelector: own }], ports }] }),
  ];
}

const added = (spec: NonNullable<Manifest['spec']>): Manifest => ({ kind: 'NetworkPolicy', metadata: { name: 'added', namespace: HOME }, spec });
