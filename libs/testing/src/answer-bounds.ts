import { type ApiDocument, type ApiResponse, nameOf, type Schema } from './issuing-operations';

/** Contract 0.1, and RFC 7644 section 3.4.2. */
interface PageEnvelope {
  readonly _pageSize: number;
  readonly _total: number;
  readonly _list: readonly unknown[];
}

interface ScimList {
  readonly itemsPerPage: number;
  readonly totalResults: number;
  readonly Resources: readonly unknown[];
}

const LISTED: readonly string[] = ['_list', 'Resources'];

/** Asks for a page, as somebody who may read all of the list. */
export type AskPage = (path: string, page: { readonly offset: number; readonly size: number }) => Promise<{ readonly status: number; readonly body: unknown; readonly text: string }>;

export interface BoundedLists {
  readonly document: ApiDocument;
  /** What an answer of the service under test weighs at most. */
  readonly most: number;
  readonly ask: AskPage;
  /** By operation what makes records of it that weigh more together, and answers where they are listed; of a list that cannot weigh much, why. */
  readonly lists: Readonly<Record<string, (() => Promise<string>) | string>>;
}

/** Records for which it is asked: no list has fewer at most. */
const SIZE = 100;
/** What an answer says of a record beside what is kept of it, in bytes at most. */
const BESIDE = 1_000;

/** `GET /path` of all that a service answers with lists, as its document says: pages and arrays. */
export function listOperations({ paths, components }: ApiDocument): string[] {
  const isList = (schema: Schema | undefined): boolean => {
    if (schema === undefined) return false;
    const { $ref, type, properties = {}, allOf = [] } = schema;
    if ($ref !== undefined) return isList(components?.schemas?.[nameOf($ref)]);
    return type === 'array' || LISTED.some((name) => Object.hasOwn(properties, name)) || allOf.some(isList);
  };
  const lists = (responses: Readonly<Record<string, ApiResponse>> = {}) =>
    Object.entries(responses).some(([status, { content }]) => status.startsWith('2') && Object.values(content ?? {}).some(({ schema }) => isList(schema)));
  return Object.entries(paths).filter(([, methods]) => lists(methods['get']?.responses)).map(([path]) => `GET ${path}`).sort();
}

/** In the `describe` of a service whose answers may weigh little. */
export function itBoundsLists({ document, most, ask, lists }: BoundedLists): void {
  it('are all known here', () => {
    expect(listOperations(document)).toEqual(Object.keys(lists).sort());
  });

  const made = Object.entries(lists).flatMap(([operation, make]) => (typeof make === 'string' ? [] : [[operation, make] as const]));
  it.each(made)('end where the answer is full, say so, and go on behind it: %s', async (_operation, make) => {
    await goThrough(await make(), most, ask);
  });
}

/** All of a list, page by page; the first has to be cut. */
export async function goThrough(path: string, most: number, ask: AskPage): Promise<void> {
  const found = new Set<string>();
  let [offset, total] = [0, Number.POSITIVE_INFINITY];
  while (offset < total) {
    const { status, body, text } = await ask(path, { offset, size: SIZE });
    expect([path, status]).toEqual([path, 200]);
    const page = toPage(body as PageEnvelope | ScimList);
    const count = page.entries.length;
    expect({ path, isEmpty: count === 0, isLight: count === 1 || Buffer.byteLength(text) <= most + count * BESIDE }).toEqual({ path, isEmpty: false, isLight: true });
    total = page.total;
    if (offset === 0) expect([path, count < Math.min(total, SIZE)]).toEqual([path, true]);
    if (offset + count < total) expect([path, page.size]).toEqual([path, count]);
    for (const entry of page.entries) found.add(JSON.stringify(entry));
    offset += count;
  }
  expect([path, found.size]).toEqual([path, total]);
}

const toPage = (body: PageEnvelope | ScimList) => (
  'Resources' in body
    ? { size: body.itemsPerPage, total: body.totalResults, entries: body.Resources }
    : { size: body._pageSize, total: body._total, entries: body._list }
);
