import { parsePath } from '@twinyard/documents';

/** The paths on which lists lie that are not the same list: to MongoDB these are parallel, and no index can hold them. */
export function listsOnPaths(document: object, paths: readonly string[]): readonly string[] {
  const lists = new Map<object, string>();
  for (const path of paths) {
    const list = listOn(document, path);
    if (list !== undefined && !lists.has(list)) lists.set(list, path);
  }
  return [...lists.values()];
}

/** The first list that a path leads to or through. */
function listOn(document: object, path: string): object | undefined {
  let value: unknown = document;
  for (const name of parsePath(path, 'key')) {
    if (Array.isArray(value)) return value;
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return Array.isArray(value) ? value : undefined;
}
