import fc from 'fast-check';
import { Query } from 'mingo';
import sift from 'sift';
import { type CollectionRef, versionOf, type DocumentStore, type JsonObject, type StoredDocument } from '../src';
import type { MakeStore } from './document-store.contract';
import { matches, sorted } from './mongo-meaning';
import { shown } from './mongo-projection';
import { wildDocument, wildFilter, wildProjection, wildSort } from './wild-generators';

/** The seed is in the name of each test. `FC_RUNS` times as many cases; `FC_SEED` other ones. */
const RUNS = Number(process.env['FC_RUNS'] ?? 1);
/** Documents a round; each round has documents of its own. */
const DOCUMENTS = 250;
const FILTERS = 120;

interface Size {
  readonly rounds: number;
  readonly seed: number;
}

/** The store is asked what three judges are asked: mingo, sift, and our own reading of MongoDB's rules where these two disagree. */
export function describeAgainstJudges(name: string, makeStore: MakeStore, { rounds, seed: first }: Size = { rounds: 2, seed: 71 }): void {
  describe(`against mingo and sift: ${name}`, () => {
    let store: DocumentStore;
    let close: (() => Promise<void>) | undefined;
    beforeAll(async () => {
      ({ store, close } = await makeStore());
    });
    afterAll(() => close?.());

    it.each(Array.from({ length: rounds * RUNS }, (_, round) => Number(process.env['FC_SEED'] ?? first) + round))(
      `finds, sorts and shows the same: ${DOCUMENTS} documents, ${FILTERS} filters, seed %i`,
      (seed) => compareRound(store, seed),
      600_000,
    );
  });
}

async function compareRound(store: DocumentStore, seed: number): Promise<void> {
  const documents = sample(wildDocument, seed, DOCUMENTS).map((document, index): StoredDocument => ({ _id: `${index}`.padStart(4, '0'), ...document }));
  const [plain, indexed] = [versionOf(`plain${seed}`, 'v'), versionOf(`indexed${seed}`, 'v')];
  await store.createCollection(plain.name);
  await store.createCollection(indexed.name, INDEXED);
  for (const target of [plain, indexed]) await store.transaction((tx) => store.insertMany(tx, target, documents));
  const [sorts, projections] = [sample(wildSort, seed, FILTERS), sample(wildProjection, seed, FILTERS)] as [JsonObject[], JsonObject[]];
  let [byJudges, overruled] = [0, 0];
  for (const [index, filter] of sample(wildFilter, seed, FILTERS).entries()) {
    const judgement = judge(documents, filter);
    byJudges += judgement.judged;
    overruled += judgement.overruled;
    const question = { filter, sort: sorts[index] as JsonObject };
    const found = await store.find(index % 2 === 0 ? plain : indexed, { ...question, projection: { _id: 1 }, limit: 1_000 });
    expectSame(documents, question, found, sorted(judgement.expected, question.sort));
    await expectShown(store, plain, projections[index] as JsonObject, documents);
  }
  // Most of the rest is what one of the two refuses or both decide otherwise (`BLIND`).
  expect(byJudges).toBeGreaterThan(FILTERS * DOCUMENTS * 0.2);
  // Both collect what lies in an array of objects before they look at it, so that `$size: 0` meets what is not there (generators.ts).
  expect(overruled).toBeLessThanOrEqual(byJudges * 0.03);
  for (const { name } of [plain, indexed]) await store.dropCollection(name);
}

const INDEXED = { indexAllFields: true, indexes: ['f', 'w', 'r.a', '.dot', 'x y.a', 'f.0', 'f.-1', 'r.0', 'r.01', 'r.-1'].map((path) => ({ key: { [path]: 1 as const }, options: { name: path } })) };
const sample = <T>(of: fc.Arbitrary<T>, seed: number, numRuns: number): T[] => fc.sample(of, { seed, numRuns });

interface Judgement {
  readonly expected: StoredDocument[];
  /** Documents about which mingo and sift were asked, and agreed. */
  readonly judged: number;
  /** Of these, answers that MongoDB does not give. */
  readonly overruled: number;
}

/**
 * Where both judges answer otherwise than MongoDB: a name that starts with a dot or is a number, `$mod` of fractions and texts, texts
 * beyond the basic plane, and arrays that lie in arrays.
 */
const BLIND = /"\.dot"|"[^"]*\.\d[."]|"[01]"|\$mod|\$type|"😀"|😀"?,?"?\$(gt|lt)|"\$(gte?|lte?)":(null|"😀")/;
const isBlindIn = (document: StoredDocument) => /\[\[|,\[/.test(JSON.stringify(document).replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/:\[/g, ':('));

function judge(documents: readonly StoredDocument[], filter: JsonObject): Judgement {
  const isBlind = BLIND.test(JSON.stringify(filter));
  const query = isBlind ? undefined : attempt(() => new Query(structuredClone(filter)));
  const asked = isBlind ? undefined : attempt(() => sift(structuredClone(filter) as never) as (document: unknown) => boolean);
  let [judged, overruled] = [0, 0];
  const expected = documents.filter((document) => {
    const ours = matches(document, filter);
    if (!query || !asked || isBlindIn(document)) return ours;
    const votes = [attempt(() => query.test(document)), attempt(() => asked(document))];
    if (votes[0] === undefined || votes[0] !== votes[1]) return ours;
    judged += 1;
    if (votes[0] !== ours) overruled += 1;
    return ours;
  });
  return { expected, judged, overruled };
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function expectSame(documents: readonly StoredDocument[], question: object, found: readonly StoredDocument[], expected: readonly StoredDocument[]): void {
  const [ids, wanted] = [found, expected].map((list) => list.map((document) => document._id)) as [string[], string[]];
  const wrong = documents.find(({ _id }) => ids.includes(_id) !== wanted.includes(_id));
  expect({ ...question, ...(wrong && { found: ids.includes(wrong._id), wrong }) }).toEqual(question);
  expect({ ...question, ids }).toEqual({ ...question, ids: wanted });
}

async function expectShown(store: DocumentStore, target: CollectionRef, projection: JsonObject, documents: readonly StoredDocument[]): Promise<void> {
  const found = await store.find(target, { projection, limit: 20 });
  expect({ projection, found }).toEqual({ projection, found: documents.slice(0, 20).map((document) => shown(document, projection)) });
}
