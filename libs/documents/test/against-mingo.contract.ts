import fc from 'fast-check';
import { find, Query } from 'mingo';
import { versionOf, type DocumentStore, type JsonObject, type StoredDocument } from '../src';
import type { MakeStore } from './document-store.contract';
import { documentOf, filter, projectionOf, sortOf } from './generators';

const SEED = 20_260;

/** The judge of every adapter's compiler is a third party. */
export function describeAgainstMingo(name: string, makeStore: MakeStore, isAsked: (condition: JsonObject) => boolean = () => true): void {
  describe(`against mingo: ${name}`, () => compareWithMingo(makeStore, isAsked));
}

function compareWithMingo(makeStore: MakeStore, isAsked: (condition: JsonObject) => boolean): void {
  let store: DocumentStore;
  let close: (() => Promise<void>) | undefined;
  const target = versionOf('plain', 'v');
  const indexed = versionOf('indexed', 'v');
  const documents: StoredDocument[] = fc.sample(documentOf, { seed: SEED, numRuns: 400 }).map((document, index) => ({ _id: `${index}`.padStart(4, '0'), ...document }));

  beforeAll(async () => {
    ({ store, close } = await makeStore());
    await store.createCollection('plain');
    const indexes = ['s', 'l', 'o.b', 'd.o.b', 'r.b'].map((path) => ({ key: { [path]: 1 as const }, options: { name: path } }));
    await store.createCollection('indexed', { indexAllFields: true, indexes });
    for (const each of [target, indexed]) await store.transaction((tx) => store.insertMany(tx, each, documents));
  });
  afterAll(() => close?.());

  /** mingo breaks down on some lists that are empty; there is no answer to compare with then. */
  function expectedOf(condition: Record<string, unknown>): string[] | undefined {
    const query = new Query(structuredClone(condition));
    try {
      return documents.filter((document) => query.test(document)).map((document) => document._id);
    } catch {
      return undefined;
    }
  }

  it.each([['plain', 700], ['indexed', 400]] as const)('finds the same documents (%s): 400 documents, %i filters', async (name, numRuns) => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(filter.filter(isAsked), async (condition) => {
        const expected = expectedOf(condition);
        if (expected === undefined) return;
        compared += 1;
        const found = await store.find(versionOf(name, 'v'), { filter: condition, projection: { _id: 1 }, limit: 1_000 });
        const ids = found.map((document) => document._id);
        const wrong = documents.filter((document) => ids.includes(document._id) !== expected.includes(document._id));
        expect({ condition, wrong: wrong.slice(0, 1).map((document) => [ids.includes(document._id), document]) }).toEqual({ condition, wrong: [] });
      }),
      { seed: SEED, numRuns },
    );
    expect(compared).toBeGreaterThan(numRuns * 0.85);
  });

  it('sorts as mingo does, ties by _id', async () => {
    await fc.assert(
      fc.asyncProperty(sortOf, async (sort) => {
        const expected = find(documents, {}).sort({ ...sort, _id: 1 }).all() as StoredDocument[];
        const found = await store.find(target, { sort, limit: 1_000 });
        expect({ sort, ids: found.map((document) => document._id) }).toEqual({ sort, ids: expected.map((document) => document._id) });
      }),
      { seed: SEED, numRuns: 60 },
    );
  });

  it('projects as mingo does', async () => {
    await fc.assert(
      fc.asyncProperty(projectionOf, async (projection) => {
        const expected = find(structuredClone(documents), {}, projection).all();
        const found = await store.find(target, { projection, limit: 1_000 });
        expect({ projection, found }).toEqual({ projection, found: expected });
      }),
      { seed: SEED, numRuns: 60 },
    );
  });
}
