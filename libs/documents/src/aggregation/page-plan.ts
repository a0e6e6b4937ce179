import type { Stage } from './parse-pipeline';

/** What of a list a pipeline begins with. */
export interface Page {
  readonly sort?: Readonly<Record<string, unknown>>;
  readonly skip?: number;
  readonly limit: number;
}

/** In the order in which a list does them. */
const STEPS = ['$sort', '$skip', '$limit'] as const;

/** Takes `$sort`, `$skip` and `$limit` off the front, as far as they come in this order and once; they have been checked. */
export function planPage(stages: readonly Stage[], most: number): { readonly page: Page; readonly rest: readonly Stage[] } {
  const found = new Map<string, unknown>();
  let rest = stages;
  for (const step of STEPS) {
    const [first] = rest;
    if (first?.name !== step) continue;
    found.set(step, first.operand);
    rest = rest.slice(1);
  }
  const [sort, skip, limit] = STEPS.map((step) => found.get(step));
  const page = {
    ...(sort !== undefined && { sort: sort as Readonly<Record<string, unknown>> }),
    ...(skip !== undefined && { skip: skip as number }),
    limit: Math.min((limit as number | undefined) ?? most, most),
  };
  return { page, rest };
}
