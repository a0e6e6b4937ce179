import type { Effect } from './collection-writes';

export const NO_EFFECT: Effect<undefined> = { answer: undefined };

/** Ids that an event names are few: more than it could hold are not remembered. */
const MAX_IDS = 100;

/** What several writes into one version have done together. */
export const sumOf = (one: Effect<unknown>, other: Effect<unknown>): Effect<undefined> => ({
  answer: undefined, ...joined('items', one, other), ...joined('readings', one, other),
});

function joined(part: 'items' | 'readings', one: Effect<unknown>, other: Effect<unknown>): Partial<Effect<undefined>> {
  const [a, b] = [one[part], other[part]];
  const either = a ?? b;
  if (either === undefined) return {};
  return { [part]: a === undefined || b === undefined ? either : added(a, b) };
}

type Written = NonNullable<Effect<unknown>['items']>;

function added(a: Written, b: Written): Written {
  const ids = a.ids && b.ids && [...a.ids, ...b.ids];
  return {
    verb: a.verb === 'created' ? a.verb : b.verb,
    changed: a.changed + b.changed,
    ...(ids && ids.length <= MAX_IDS && { ids }),
    growth: { count: a.growth.count + b.growth.count, bytes: a.growth.bytes + b.growth.bytes },
  };
}
