import { isObject } from '../storage/filters';

/**
 * Contract 2.3: in a collection with `_encryptionEnabled` properties whose name starts with a dot are stored encrypted, at any depth, in
 * arrays too. A path is that of the store's filters: names with dots between them, so a dotted name shows as a dot at the beginning or
 * as two dots in a row. Elements of an array share the array's path: a projection may leave some of them out.
 */
export const isDottedPath = (path: string): boolean => path.startsWith('.') || path.includes('..');

const isDottedName = (name: string) => name.startsWith('.');
const joined = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

export type Replace = (value: unknown, path: string) => unknown;

/** The value with everything under a dotted name replaced; the same value where there is no such name. */
export function replaceDotted(value: unknown, path: string, replace: Replace): unknown {
  if (Array.isArray(value)) return changed(value, (element) => replaceDotted(element, path, replace));
  if (!isObject(value)) return value;
  let copy: Record<string, unknown> | undefined;
  for (const [name, before] of Object.entries(value)) {
    const at = joined(path, name);
    const after = isDottedName(name) ? replace(before, at) : replaceDotted(before, at, replace);
    if (after === before) continue;
    copy ??= { ...value };
    copy[name] = after;
  }
  return copy ?? value;
}

function changed(list: readonly unknown[], change: (element: unknown) => unknown): readonly unknown[] {
  const after = list.map(change);
  return after.some((element, index) => element !== list[index]) ? after : list;
}

/** What stands under dotted names, with the path of each. */
export function dottedValues(value: unknown, path = ''): { readonly path: string; readonly value: unknown }[] {
  const found: { path: string; value: unknown }[] = [];
  replaceDotted(value, path, (inner, at) => {
    found.push({ path: at, value: inner });
    return inner;
  });
  return found;
}

/** The value without what stands under dotted names. */
export function withoutDotted<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutDotted) as T;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !isDottedName(name)).map(([name, inner]) => [name, withoutDotted(inner)])) as T;
}

/** The dotted paths that a filter of the wire names, inside of `$or`, `$elemMatch` and the like too. */
export function dottedPathsIn(filter: unknown, path = ''): string[] {
  if (Array.isArray(filter)) return filter.flatMap((inner) => dottedPathsIn(inner, path));
  if (!isObject(filter)) return [];
  return Object.entries(filter).flatMap(([key, inner]) => {
    const at = key.startsWith('$') ? path : joined(path, key);
    return isDottedPath(at) ? [at] : dottedPathsIn(inner, at);
  });
}
