import type { Principal } from '@twinyard/conventions';
import type { RouteRule } from './decorators';
import type { EffectiveGrants } from './grants';

/** By what a caller holds and then by the namespaces of a run: a run asks often, and `Access` remembers by the list of grants. */
const capped = new WeakMap<EffectiveGrants, Map<string, EffectiveGrants>>();
const MAX_RUNS = 64;

/**
 * A run's token holds what it would hold, within the namespaces of its run and nowhere else. It is no platform manager, belongs to no
 * group and owns no address: these reach beyond any namespace.
 */
export function withinRun({ run }: Pick<Principal, 'run'>, held: EffectiveGrants): EffectiveGrants {
  if (run === undefined) return held;
  const known = capped.get(held) ?? new Map<string, EffectiveGrants>();
  capped.set(held, known);
  const key = run.namespaces.join(' ');
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= MAX_RUNS) known.clear();
  const bounded = boundTo(run.namespaces, held);
  known.set(key, bounded);
  return bounded;
}

const boundTo = (namespaces: readonly string[], { active, name, grants }: EffectiveGrants): EffectiveGrants => ({
  active, platformManager: false, groupIds: [], grants: grants.filter(({ namespace }) => namespaces.includes(namespace)), ...(name !== undefined && { name }),
});

/**
 * Closed to runs: routes about the caller itself, unless they say otherwise; and changes to what passportsvc keeps, except secrets. A
 * group, an application or a workspace gives rights that outlive the run, in namespaces that are not its own.
 */
export function opensToRuns(rule: Exclude<RouteRule, { kind: 'public' }>): boolean {
  if (rule.kind === 'signed-in') return rule.runs;
  return rule.action === 'READ' || rule.type === 'passportsvc:secret' || !rule.type.startsWith('passportsvc:');
}

/** Whose work is kept under which id: a run's and its starter's are not each other's. */
export const keptCallerId = ({ id, run }: Pick<Principal, 'id' | 'run'>): string => (run === undefined ? id : `${id} run ${run.id}`);

export const keptCallerOf = (principal: Pick<Principal, 'type' | 'id' | 'run'>) => ({ type: principal.type, id: keptCallerId(principal) });
