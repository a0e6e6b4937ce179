import type { Document } from './judged-document';

const REFERENCE = /"#\/components\/schemas\/([^"]+)"/g;

/** Names of the schemas that bodies of requests are made of, and no answer. */
export function requestSchemas({ paths, components }: Document): ReadonlySet<string> {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const reached = (from: readonly unknown[]): ReadonlySet<string> => {
    const found = new Set<string>();
    const open = [...from];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const [, name = ''] of JSON.stringify(next).matchAll(REFERENCE)) {
        if (found.has(name)) continue;
        found.add(name);
        open.push(components.schemas[name]);
      }
    }
    return found;
  };
  const answered = reached(operations.map(({ responses }) => responses));
  return new Set([...reached(operations.map(({ requestBody }) => requestBody ?? {}))].filter((name) => !answered.has(name)));
}
