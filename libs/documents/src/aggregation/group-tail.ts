import type { Deadline } from '../deadline';
import { parseSort } from '../sort';
import type { GroupPlan } from './group-plan';
import { planPage } from './page-plan';
import type { Stage } from './parse-pipeline';

/** What of the groups is wanted, and in which order: what a store can cut off before anything travels. */
export interface GroupTail {
  readonly sort: readonly GroupSortKey[];
  readonly skip: number;
  readonly limit: number;
}

/** What a store is asked to do. */
export interface StoreGroup {
  readonly plan: GroupPlan;
  readonly tail: GroupTail;
  /** When the whole pipeline must be done. */
  readonly deadline: Deadline;
}

export interface GroupSortKey {
  /** A result by its place, or the key, or one of its parts by its place. */
  readonly of: { readonly field: number } | 'key' | { readonly part: number };
  readonly direction: 1 | -1;
}

/** Takes `$sort`, `$skip` and `$limit` behind the group, where the store knows what they sort by. */
export function planTail(plan: GroupPlan, stages: readonly Stage[], most: number): { readonly tail: GroupTail; readonly rest: readonly Stage[] } {
  const { page, rest } = planPage(stages, most);
  const sort = parseSort(page.sort ?? {}).flatMap(({ path, direction }) => sortKeys(plan, path).map((of) => of && { of, direction }));
  if (!sort.every((key) => key !== undefined)) return { tail: { sort: [], skip: 0, limit: most }, rest: stages };
  return { tail: { sort, skip: page.skip ?? 0, limit: page.limit }, rest };
}

/** What is not there sorts nothing, but in memory; a list of percentiles neither. A key of parts is compared part by part. */
function sortKeys({ key, fields }: GroupPlan, path: readonly string[]): readonly (GroupSortKey['of'] | undefined)[] {
  const [name, ...steps] = path;
  if (name !== '_id') return [steps.length === 0 ? sortField(fields, name) : undefined];
  if (key.kind !== 'parts') return [steps.length === 0 ? 'key' : undefined];
  if (steps.length === 0) return key.parts.map((_, part) => ({ part }));
  const part = steps.length === 1 ? key.parts.findIndex(([partName]) => partName === steps[0]) : -1;
  return [part === -1 ? undefined : { part }];
}

function sortField(fields: GroupPlan['fields'], name: string | undefined): GroupSortKey['of'] | undefined {
  const field = fields.findIndex((one) => one.name === name);
  return field === -1 || fields[field]?.accumulator === '$percentile' ? undefined : { field };
}
