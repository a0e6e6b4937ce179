import { isObject } from './filters';

/** Field by field, also inside of objects; what is no object is replaced. */
export function merged(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return after;
  const both = { ...before };
  for (const [name, value] of Object.entries(after)) both[name] = Object.hasOwn(before, name) ? merged(before[name], value) : value;
  return both;
}
