import { byteSize, type CollectionRef, type DocumentStore, documentsIn, type LinkCondition, type LinkTarget, systemCollection, versionOf } from '../src';

/** What an answer of these stores weighs at most. */
export const ANSWER_BYTES = 1024 ** 2;
const EACH = 50_000;
const COUNT = 60;
const TARGET = versionOf('heavy', 'v1');
const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `i${String(from + n).padStart(3, '0')}`);

/** Parents, of which every tenth is wanted, and heavy. */
const PARENTS = versionOf('heavy', 'parents');
const MANY = 400;
const isWanted = (n: number) => n % 10 === 3;
const linkFilter = { n: { $mod: [10, 3] } };

type MakeSmallStore = (options: { readonly answerBytes: number }) => Promise<{ readonly store: DocumentStore; readonly close: () => Promise<void> }>;

/** Every adapter passes this: no answer weighs more than it may, and what was left out follows from what came. */
export function describeHeavyPages(name: string, makeStore: MakeSmallStore): void {
  describe(`pages that weigh too much: ${name}`, () => {
    let store: DocumentStore;
    let close: (() => Promise<void>) | undefined;
    beforeAll(async () => {
      ({ store, close } = await makeStore({ answerBytes: ANSWER_BYTES }));
      await store.createCollection(TARGET.name);
      await store.createCollection('links');
      await store.transaction((tx) => store.insertMany(tx, TARGET, ids(0, COUNT).map((_id, n) => ({ _id, n, text: String(n).padStart(EACH, 'x') }))));
      await store.transaction((tx) => store.insertMany(tx, PARENTS, ids(0, MANY).map((_id, n) => ({ _id, n, text: isWanted(n) ? String(n).padStart(EACH, 'x') : '' }))));
      const links = [TARGET, PARENTS].flatMap(({ partition }) => ids(0, partition === 'v1' ? COUNT : MANY).map((id) => ({ _id: `${partition} ${id}`, from: `${partition}:${id}`, toItem: 'a', toVersion: partition, toId: id })));
      await store.transaction((tx) => store.insertMany(tx, systemCollection('links'), links));
    });
    afterAll(() => close?.());

    const linkedTo = ({ partition }: CollectionRef, ...targets: readonly LinkTarget[]): LinkCondition => ({
      every: true, terms: [{ links: { in: systemCollection('links'), near: { field: 'from', prefix: `${partition}:` }, far: { owner: 'toItem', partition: 'toVersion', id: 'toId' } }, targets }],
    });
    const wanted: LinkTarget = { owner: 'a', name: TARGET.name, filter: linkFilter };

    const linked = linkedTo(TARGET, { ...wanted, filter: { n: { $gte: 2 } } });
    const readers: Readonly<Record<string, (skip: number, sort?: Record<string, 1 | -1>) => Promise<{ found: string[]; bytes: number; total: number; isCut: boolean }>>> = {
      page: async (skip, sort) => {
        const { list, count, total, isCut = false } = await store.page({ target: TARGET, limit: 5_000, skip, ...(sort && { sort }) });
        const found = documentsIn(list).map(({ _id }) => _id);
        expect(count).toBe(found.length);
        return { found, bytes: Buffer.byteLength(typeof list === 'string' ? list : Buffer.concat(list)), total, isCut };
      },
      texts: async (skip, sort) => {
        const { rows, total, isCut = false } = await store.textRows({ target: TARGET, limit: 5_000, skip, ...(sort && { sort }) });
        expect(rows.every(({ id, text }) => (JSON.parse(text) as { _id: string })._id === id)).toBe(true);
        return { found: rows.map(({ id }) => id), bytes: rows.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0), total, isCut };
      },
    };

    it.each(Object.keys(readers))('are cut, one behind the other to the end: %s', async (reader) => {
      for (const sort of [undefined, { n: -1 as const }]) {
        const all: string[] = [];
        for (let isCut = true; isCut;) {
          const page = await readers[reader]?.(all.length, sort);
          if (page === undefined) throw new Error(reader);
          expect([page.found.length > 0, page.total, page.bytes <= ANSWER_BYTES]).toEqual([true, COUNT, true]);
          // It is used: not the first part alone.
          if (page.isCut) expect(page.bytes).toBeGreaterThan(ANSWER_BYTES / 2);
          all.push(...page.found);
          ({ isCut } = page);
        }
        expect(all).toEqual(sort ? ids(0, COUNT).reverse() : ids(0, COUNT));
      }
    });

    it('are cut where they are told by what they are linked to', async () => {
      for (const limit of [COUNT, 5_000]) {
        const { documents, total, isCut, passed } = await store.linkedPage({ target: TARGET, limit }, linked);
        expect([total, isCut, documents.length > 10, documents.length < COUNT - 2, passed]).toEqual([COUNT, true, true, true, 2 + documents.length]);
        expect(documents.map(({ _id }) => _id)).toEqual(ids(2, 2 + documents.length));
      }
    });

    /** Of an owner whom no link leads to: so many that a store asks for what is linked one by one. */
    const nobody = Array.from({ length: 40 }, (_, n): LinkTarget => ({ owner: `nobody${n}`, name: TARGET.name, filter: {} }));
    const ways: Readonly<Record<string, { readonly limit: number; readonly targets: readonly LinkTarget[]; readonly projection?: Record<string, number> }>> = {
      'in one question': { limit: MANY, targets: [wanted] },
      'in halves': { limit: 5_000, targets: [wanted] },
      'by the reads of any store': { limit: MANY, targets: [wanted, ...nobody] },
      'shown in part': { limit: 5_000, targets: [wanted], projection: { n: 1, text: 1, _id: 0 } },
      'shown in part, by the reads of any store': { limit: MANY, targets: [wanted, ...nobody], projection: { n: 1, text: 1, _id: 0 } },
    };

    it.each(Object.keys(ways))('of which not all stay say up to where they came, so that whoever goes on behind loses none and sees none twice: %s', async (way) => {
      const { targets, ...query } = ways[way] as (typeof ways)[string];
      for (const sort of [undefined, { n: -1 as const }]) {
        const found: unknown[] = [];
        let cuts = 0;
        for (let skip = 0; skip < MANY;) {
          const { documents, total, isCut = false, passed } = await store.linkedPage({ target: PARENTS, ...query, skip, ...(sort && { sort }) }, linkedTo(PARENTS, ...targets));
          expect([total, documents.length > 0, documents.reduce((sum, document) => sum + byteSize(document), 0) <= ANSWER_BYTES]).toEqual([MANY, true, true]);
          found.push(...documents.map(({ n }) => n));
          if (isCut) cuts += 1;
          skip += isCut ? (passed as number) : query.limit;
        }
        const all = Array.from({ length: MANY }, (_, n) => n).filter(isWanted);
        expect([found, cuts > 0]).toEqual([sort ? all.reverse() : all, true]);
      }
    });

    it('weigh what goes out, however a store writes numbers', async () => {
      const numbers = versionOf('heavy', 'numbers');
      await store.transaction((tx) => store.insertMany(tx, numbers, ids(0, 8).map((_id) => ({ _id, list: Array.from({ length: 1_000 }, () => 1e-300) }))));
      const found: string[] = [];
      for (let isCut = true; isCut;) {
        const page = await store.page({ target: numbers, limit: 5_000, skip: found.length });
        expect(Buffer.byteLength(typeof page.list === 'string' ? page.list : Buffer.concat(page.list))).toBeLessThanOrEqual(ANSWER_BYTES);
        found.push(...documentsIn(page.list).map(({ _id }) => _id));
        isCut = page.isCut === true;
      }
      expect(found).toEqual(ids(0, 8));
    });

    it('are none of what a service reads for itself, a portion behind the other, whatever an answer may weigh', async () => {
      const { documents, isCut } = await store.portion(TARGET, { limit: 5_000, filter: { n: { $gte: 1 } }, sort: { n: -1 }, projection: { n: 1 } });
      expect([documents, isCut]).toEqual([ids(1, COUNT).reverse().map((_id, n) => ({ _id, n: COUNT - 1 - n })), false]);
      const large = versionOf('heavy', 'large');
      const each = 'x'.repeat(5 * 1024 ** 2);
      for (const _id of ids(0, 7)) await store.transaction((tx) => store.insertMany(tx, large, [{ _id, each }]));
      const parts: string[][] = [];
      await store.transaction(async (tx) => {
        for (let after = '', more = true; more;) {
          const part = await store.portion(large, { limit: 100, sort: { _id: 1 }, filter: { _id: { $gt: after } } }, tx);
          parts.push(part.documents.map(({ _id }) => _id));
          [after, more] = [part.documents.at(-1)?._id ?? '', part.isCut];
        }
      });
      expect(parts).toEqual([ids(0, 3), ids(3, 6), ids(6, 7)]);
    });

    it('are whole where a projection leaves little of them', async () => {
      const { list, isCut } = await store.page({ target: TARGET, limit: 5_000, projection: { n: 1 } });
      expect([documentsIn(list).map(({ n }) => n), isCut]).toEqual([Array.from({ length: COUNT }, (_, n) => n), undefined]);
      const { rows } = await store.textRows({ target: TARGET, limit: 5_000, projection: { _id: 1 } });
      expect(rows.map(({ id }) => id)).toEqual(ids(0, COUNT));
      expect(await store.find(TARGET, { limit: 5_000, projection: { _id: 1 } })).toHaveLength(COUNT);
    });

    it('are refused where they are all the values of a field', async () => {
      await expect(store.distinct(TARGET, { path: 'text', limit: 1_000 })).rejects.toMatchObject({ code: 'limit_exceeded' });
      expect(await store.distinct(TARGET, { path: 'text', limit: 10 })).toHaveLength(10);
    });

    it('are refused where they cannot be cut, and else begin with what there is room for', async () => {
      await expect(store.find(TARGET, { limit: 5_000 })).rejects.toMatchObject({ code: 'limit_exceeded' });
      const some = await store.find(TARGET, { limit: 5_000, mayBeCut: true });
      expect(some.map(({ _id }) => _id)).toEqual(ids(0, some.length));
      expect([some.length > 10, some.length < COUNT]).toEqual([true, true]);
      await store.transaction((tx) => store.readings.upsertMany(tx, TARGET, some.map((one, n) => ({ _ts: new Date(n * 1_000).toISOString(), _tsMetadata: { _telItemId: 'i000', _sourceId: 's' }, text: one['text'] }))));
      await store.transaction((tx) => store.readings.upsertMany(tx, TARGET, some.map((one, n) => ({ _ts: new Date((n + 1_000) * 1_000).toISOString(), _tsMetadata: { _telItemId: 'i000', _sourceId: 's' }, text: one['text'] }))));
      await expect(store.readings.find(TARGET, { limit: 5_000 })).rejects.toMatchObject({ code: 'limit_exceeded' });
      const readings = await store.readings.find(TARGET, { limit: 5_000, mayBeCut: true });
      expect([readings.length > 10, readings.length < 2 * some.length]).toEqual([true, true]);
      const { documents, isCut } = await store.readings.portion(TARGET, { limit: 5_000, projection: { _ts: 1 } });
      expect([documents.length, isCut]).toEqual([2 * some.length, false]);
    });

    it('hold one document, whatever it weighs, and none that weighs more than is stored', async () => {
      const one = versionOf('heavy', 'one');
      await store.transaction((tx) => store.insertMany(tx, one, ['a', 'b'].map((_id) => ({ _id, text: 'y'.repeat(2 * ANSWER_BYTES) }))));
      const { list, count, total, isCut } = await store.page({ target: one, limit: 5_000 });
      expect([documentsIn(list).map(({ _id }) => _id), count, total, isCut]).toEqual([['a'], 1, 2, true]);
      const tooLarge = store.transaction((tx) => store.insertMany(tx, one, [{ _id: 'c', text: 'z'.repeat(16 * 1024 ** 2) }]));
      await expect(tooLarge).rejects.toMatchObject({ status: 413 });
    });
  });
}
