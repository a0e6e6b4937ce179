import fc from 'fast-check';
import { type DocumentStore, type LinkCondition, type Links, type LinkTarget, systemCollection, type StoredDocument, versionOf } from '../src';
import type { MakeStore } from './document-store.contract';

const SEED = 20_266;
const NEAR = versionOf('near', 'n1');
const NEARS = 40;
const FARS = 30;

interface Link {
  readonly from: number;
  readonly owner: 'a' | 'b' | 'c';
  readonly partition: 'v1' | 'v2';
  readonly to: number;
}

const link: fc.Arbitrary<Link> = fc.record({ from: fc.nat(NEARS - 1), owner: fc.constantFrom('a', 'b', 'c'), partition: fc.constantFrom('v1', 'v2'), to: fc.nat(FARS + 3) });
const links: readonly Link[] = fc.sample(link, { seed: SEED, numRuns: 150 });
const nearDocuments: StoredDocument[] = Array.from({ length: NEARS }, (_, n) => ({ _id: `i${(n * 7) % NEARS}`, n, k: n % 4 }));
/** The same ids in both partitions of both collections, with other values. */
const farDocuments = (owner: string, partition: string): StoredDocument[] =>
  Array.from({ length: FARS }, (_, n) => ({ _id: `f${n}`, v: (n * (owner === 'a' ? 3 : 5) + (partition === 'v1' ? 0 : 1)) % 6, word: n % 3 === 0 ? 'wall' : 'door' }));

const linksIn: Links = { in: systemCollection('links'), near: { field: 'from', prefix: 'n1:' }, far: { owner: 'toItem', partition: 'toVersion', id: 'toId' } };
const inverse: Links = { in: systemCollection('links'), near: { field: 'to', prefix: 'v1:' }, far: { owner: 'fromItem', partition: 'fromVersion', id: 'fromId' } };

const farFilter = fc.oneof(fc.record({ v: fc.nat(5) }), fc.record({ v: fc.record({ $gte: fc.nat(5) }) }), fc.constant({}), fc.constant({ word: { $regex: '^w' } }), fc.constant({ _id: { $in: ['f1', 'f2', 'f3'] } }));
const target = fc.record({ owner: fc.constantFrom('a', 'b'), filter: farFilter }).map(({ owner, filter }): LinkTarget => ({ owner, name: `far${owner}`, filter }));
const term = fc.array(target, { maxLength: 2 }).map((targets) => targets.filter(({ owner }, n) => targets.findIndex((other) => other.owner === owner) === n));
const question = fc.record({
  every: fc.boolean(), terms: fc.array(term, { minLength: 1, maxLength: 3 }), skip: fc.nat(NEARS + 2), limit: fc.nat(NEARS),
  filter: fc.option(fc.record({ k: fc.nat(4) }), { nil: undefined }), sort: fc.option(fc.constant({ n: -1 as const }), { nil: undefined }),
});

/** Every adapter passes this; the judge looks at every link. */
export function describeLinkedPages(name: string, makeStore: MakeStore): void {
  describe(`pages of linked documents: ${name}`, () => compareWithAll(makeStore));
}

function compareWithAll(makeStore: MakeStore): void {
  let store: DocumentStore;
  let close: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    ({ store, close } = await makeStore());
    await store.createCollection('links', { indexes: [{ key: { from: 1 }, options: { name: 'from' } }] });
    for (const collection of ['near', 'fara', 'farb']) await store.createCollection(collection);
    await store.transaction(async (tx) => {
      await store.insertMany(tx, NEAR, nearDocuments);
      await store.insertMany(tx, linksIn.in, links.map(({ from, owner, partition, to }, n) => (
        { _id: `l${n}`, from: `n1:i${from}`, to: `${partition}:f${to}`, fromItem: 'near', fromVersion: 'n1', fromId: `i${from}`, toItem: owner, toVersion: partition, toId: `f${to}` }
      )));
      for (const owner of ['a', 'b']) for (const partition of ['v1', 'v2']) await store.insertMany(tx, versionOf(`far${owner}`, partition), farDocuments(owner, partition));
    });
  });
  afterAll(() => close?.());

  const leads = (id: string, { owner, filter }: LinkTarget, found: ReadonlyMap<string, ReadonlySet<string>>) =>
    links.some((one) => `i${one.from}` === id && one.owner === owner && found.get(`${JSON.stringify(filter)} ${owner} ${one.partition}`)?.has(`f${one.to}`));

  async function expected(ids: readonly string[], { every, terms }: LinkCondition): Promise<string[]> {
    const found = new Map<string, ReadonlySet<string>>();
    for (const { owner, name, filter } of terms.flatMap(({ targets }) => targets)) {
      for (const partition of ['v1', 'v2']) found.set(`${JSON.stringify(filter)} ${owner} ${partition}`, new Set((await store.find(versionOf(name, partition), { filter, limit: 100 })).map(({ _id }) => _id)));
    }
    const meets = (id: string, targets: readonly LinkTarget[]) => targets.some((one) => leads(id, one, found));
    return ids.filter((id) => (every ? terms.every(({ targets }) => meets(id, targets)) : terms.some(({ targets }) => meets(id, targets))));
  }

  it('keep of a page what leads to documents that meet all terms or any, and count what matches', async () => {
    let kept = 0;
    await fc.assert(fc.asyncProperty(question, async ({ every, terms, filter, sort, ...page }) => {
      const query = { ...page, ...(filter && { filter }), ...(sort && { sort }) };
      const condition = { every, terms: terms.map((targets) => ({ links: linksIn, targets })) };
      const ids = (await store.find(NEAR, query)).map(({ _id }) => _id);
      const answer = await store.linkedPage({ target: NEAR, ...query }, condition);
      expect({ ids: answer.documents.map(({ _id }) => _id), total: answer.total }).toEqual({ ids: await expected(ids, condition), total: await store.count(NEAR, filter ?? {}) });
      kept += answer.documents.length;
    }), { seed: SEED, numRuns: 60 });
    expect(kept).toBeGreaterThan(60);
  });

  const condition = (targets: readonly LinkTarget[]): LinkCondition => ({ every: true, terms: [{ links: linksIn, targets }] });
  const a: LinkTarget = { owner: 'a', name: 'fara', filter: {} };

  it('follow links the other way, and show what a projection leaves', async () => {
    const found = await store.linkedPage({ target: versionOf('fara', 'v1'), limit: FARS, projection: { word: 1 } }, { every: false, terms: [{ links: inverse, targets: [{ owner: 'near', name: 'near', filter: { k: 1 } }] }] });
    const near = new Set(nearDocuments.filter(({ k }) => k === 1).map(({ _id }) => _id));
    // The field at this end says nothing of whose it is, as the prefix is unique where links are made.
    const wanted = farDocuments('a', 'v1').filter(({ _id }) => links.some(({ from, partition, to }) => near.has(`i${from}`) && partition === 'v1' && `f${to}` === _id));
    expect(found).toEqual({ documents: wanted.map(({ _id, word }) => ({ _id, word })), total: FARS });
    expect(wanted.length).toBeGreaterThan(0);
  });

  it('ask of many collections what they ask of a few', async () => {
    const few = await store.linkedPage({ target: NEAR, limit: NEARS }, condition([a]));
    const none = Array.from({ length: 40 }, (_, n): LinkTarget => ({ owner: `none${n}`, name: 'farb', filter: {} }));
    expect(await store.linkedPage({ target: NEAR, limit: NEARS }, condition([a, ...none]))).toEqual(few);
    expect(few.documents.length).toBeGreaterThan(5);
    expect(few.documents.length).toBeLessThan(NEARS);
  });

  it('refuse what is no filter, and words where nothing tells them', async () => {
    await expect(store.linkedPage({ target: NEAR, limit: 5, filter: { k: 77 } }, condition([{ ...a, filter: { $where: '1' } }]))).rejects.toMatchObject({ code: 'invalid' });
    await expect(store.linkedPage({ target: NEAR, limit: 5 }, condition([{ ...a, filter: { $text: { $search: 'x' } } }]))).rejects.toMatchObject({ message: '$text needs a text index' });
  });

  it('find words where the other end has a text index', async () => {
    await store.createIndex('farb', { key: { word: 'text' }, options: { name: 'words' } });
    const byWord = condition([{ owner: 'b', name: 'farb', filter: { $text: { $search: 'wall' } } }]);
    const byRegex = condition([{ owner: 'b', name: 'farb', filter: { word: { $regex: '^wall$' } } }]);
    expect(await store.linkedPage({ target: NEAR, limit: NEARS }, byWord)).toEqual(await store.linkedPage({ target: NEAR, limit: NEARS }, byRegex));
  });
}
