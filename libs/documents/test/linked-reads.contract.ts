import { type DocumentStore, type LinkCondition, type LinkTarget, systemCollection, type StoredDocument, versionOf } from '../src';
import type { MakeStore } from './document-store.contract';

const PARENTS = 1_300;
const FARS = 20;
const WIDE = versionOf('wide', 'w1');
const LINKS = systemCollection('ties');
const far = { owner: 'toItem', partition: 'toVersion', id: 'toId' };
const parents: StoredDocument[] = Array.from({ length: PARENTS }, (_, n) => ({ _id: `p${(n * 7) % PARENTS}`, n, word: `a "line"\nand ${n}` }));
/** Two of each parent: to `left`, and to `right` or nowhere. */
const ties: StoredDocument[] = Array.from({ length: PARENTS * 2 }, (_, n) => {
  const [parent, owner] = [n >> 1, n % 2 === 0 ? 'left' : 'right'];
  return { _id: `t${n}`, from: `w1:p${parent}`, toItem: owner, toVersion: 'v', toId: `f${(parent * 3) % (FARS + 2)}` };
});

/** Every adapter passes this: pages that are large, links as such, and texts of single documents. */
export function describeLinkedReads(name: string, makeStore: MakeStore): void {
  describe(`linked reads: ${name}`, () => {
    let store: DocumentStore;
    let close: (() => Promise<void>) | undefined;
    beforeAll(async () => {
      ({ store, close } = await makeStore());
      await store.createCollection('ties', { indexes: [{ key: { from: 1, toItem: 1 }, options: { name: 'from' } }] });
      for (const collection of ['wide', 'left', 'right']) await store.createCollection(collection);
      await store.transaction(async (tx) => {
        await store.insertMany(tx, WIDE, parents);
        await store.insertMany(tx, LINKS, ties);
        for (const owner of ['left', 'right']) await store.insertMany(tx, versionOf(owner, 'v'), Array.from({ length: FARS }, (_, n) => ({ _id: `f${n}`, n, word: `far\n${n}` })));
      });
    });
    afterAll(() => close?.());

    const leadTo = (every: boolean, ...targets: readonly LinkTarget[]): LinkCondition => (
      { every, terms: targets.map((target) => ({ links: { in: LINKS, near: { field: 'from', prefix: 'w1:' }, far }, targets: [target] })) }
    );
    const left: LinkTarget = { owner: 'left', name: 'left', filter: { n: { $lt: 15 } } };
    const right: LinkTarget = { owner: 'right', name: 'right', filter: { n: { $gt: 4 } } };
    const farOf = (id: string) => (Number(id.slice(1)) * 3) % (FARS + 2);
    const meets = { left: (id: string) => farOf(id) < 15, right: (id: string) => farOf(id) > 4 && farOf(id) < FARS };

    it.each([[true, undefined, 0], [false, undefined, 40], [true, { n: -1 }, 40], [false, { n: -1 }, 0]] as const)('keep of a large page what leads to what is wanted (every: %s, sort: %j, skip: %s)', async (every, sort, skip) => {
      const query = { limit: 1_200, skip, ...(sort && { sort }) };
      const page = await store.linkedPage({ target: WIDE, ...query }, leadTo(every, left, right));
      const ids = (await store.find(WIDE, query)).map(({ _id }) => _id);
      expect(page.documents.map(({ _id }) => _id)).toEqual(ids.filter((id) => (every ? meets.left(id) && meets.right(id) : meets.left(id) || meets.right(id))));
      expect(page.total).toBe(PARENTS);
    });

    it('keep nothing of a page beyond the last, and count all the same', async () => {
      expect(await store.linkedPage({ target: WIDE, limit: 1_200, skip: PARENTS }, leadTo(true, left))).toEqual({ documents: [], total: PARENTS });
      expect((await store.linkedPage({ target: WIDE, limit: 1_200, skip: 1_290, filter: { n: { $lt: 1_295 } } }, leadTo(false, left, right))).total).toBe(1_295);
    });

    it('find nothing in a collection that has been dropped', async () => {
      await store.createCollection('gone');
      await store.dropCollection('gone');
      const gone: LinkTarget = { owner: 'right', name: 'gone', filter: {} };
      const query = { target: WIDE, limit: 50 };
      expect(await store.linkedPage(query, leadTo(false, left, gone))).toEqual(await store.linkedPage(query, leadTo(false, left)));
      expect(await store.linkedPage({ target: versionOf('gone', 'v'), limit: 50 }, leadTo(true, left))).toEqual({ documents: [], total: 0 });
      expect(await store.textRows({ target: versionOf('gone', 'v'), limit: 50 })).toEqual({ rows: [], total: 0 });
    });

    it('tell the links of what is named, in the order of their creation', async () => {
      const names = ['w1:p9', 'w1:p4', 'w1:none'];
      const wanted = { in: LINKS, near: { field: 'from', names }, far, owners: ['left', 'other'], limit: 10 };
      const expected = [4, 9].map((parent) => ({ near: `w1:p${parent}`, owner: 'left', partition: 'v', id: `f${(parent * 3) % (FARS + 2)}` }));
      expect(await store.links(wanted)).toEqual(expected);
      expect(await store.links({ ...wanted, limit: 1 })).toEqual(expected.slice(0, 1));
      expect(await store.links({ ...wanted, owners: [] })).toEqual([]);
      expect(await store.links({ ...wanted, near: { field: 'from', names: [] } })).toEqual([]);
    });

    it.each([[undefined], [{ word: 1 }], [{ _id: 0 }], [{ word: 0, _id: 0 }], [{ _id: 1 }]])('give a page in single texts (projection %j)', async (projection) => {
      const query = { filter: { n: { $gte: 7 } }, sort: { n: -1 }, skip: 3, limit: 20, ...(projection && { projection }) };
      const { rows, total } = await store.textRows({ target: WIDE, ...query });
      expect(rows.map(({ text }) => JSON.parse(text) as unknown)).toEqual(await store.find(WIDE, query));
      expect(rows.map(({ id }) => id)).toEqual((await store.find(WIDE, { ...query, projection: { _id: 1 } })).map(({ _id }) => _id));
      expect(total).toBe(PARENTS - 7);
      expect(rows.every(({ text }) => !text.includes('\n'))).toBe(true);
    });

    it('give no texts where nothing matches', async () => {
      expect(await store.textRows({ target: WIDE, filter: { n: -1 }, limit: 5 })).toEqual({ rows: [], total: 0 });
    });
  });
}
