import type { JsonObject } from '../src';

/** What MongoDB shows of a document, in the plainest way. `_id` is left out by `{ _id: 0 }` alone. */
export function shown(document: JsonObject, { _id, ...flags }: JsonObject): JsonObject {
  const { _id: id, ...rest } = document;
  const names = Object.keys(flags);
  const cut = (Object.values(flags)[0] === 1 ? kept : left)(rest, names, '') as JsonObject;
  return _id === 0 ? cut : { _id: id, ...cut };
}

function kept(value: unknown, names: readonly string[], prefix: string): unknown {
  if (Array.isArray(value)) return value.filter(isContainer).map((element) => kept(element, names, prefix));
  return mapped(value as JsonObject, (name, child) => {
    const path = prefix + name;
    if (names.includes(path)) return [[name, child]];
    return isOnTheWay(names, path) && isContainer(child) ? [[name, kept(child, names, `${path}.`)]] : [];
  });
}

function left(value: unknown, names: readonly string[], prefix: string): unknown {
  if (Array.isArray(value)) return value.map((element) => left(element, names, prefix));
  if (!isContainer(value)) return value;
  return mapped(value as JsonObject, (name, child) => {
    const path = prefix + name;
    if (names.includes(path)) return [];
    return [[name, isOnTheWay(names, path) ? left(child, names, `${path}.`) : child]];
  });
}

type Entries = [string, unknown][];
const mapped = (value: JsonObject, entry: (name: string, child: unknown) => Entries) => Object.fromEntries(Object.entries(value).flatMap(([name, child]) => entry(name, child)));
const isOnTheWay = (names: readonly string[], path: string) => names.some((name) => name.startsWith(`${path}.`));
const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
