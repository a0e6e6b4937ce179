import { isPlainObject } from '../filter/parser';
import type { SimpleKey } from './group-key';
import type { GroupPlan } from './group-plan';

/** A store says of spans by the clocks of a zone when they begin by these, as if they showed UTC: here it becomes the instant. */
export function shownByClocks({ key }: GroupPlan, value: unknown): unknown {
  if (key.kind === 'none') return value;
  if (key.kind !== 'parts') return instantOf(key, value);
  if (!isPlainObject(value)) return value;
  const parts = new Map(key.parts);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, instantOf(parts.get(name) as SimpleKey, inner)]));
}

function instantOf(key: SimpleKey, value: unknown): unknown {
  if ((key.kind !== 'span' && key.kind !== 'months') || key.zone === undefined) return value;
  return new Date(key.zone.instantOf(Date.parse(value as string))).toISOString();
}
