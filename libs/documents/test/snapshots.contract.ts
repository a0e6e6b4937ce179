import type { CollectionRef, DocumentStore, StoredDocument, StreamQuery, WholeStreamQuery } from '../src';

export function describeSnapshots(holding: (documents: readonly StoredDocument[]) => Promise<CollectionRef>, store: () => DocumentStore): void {
  const idsOf = (documents: readonly StoredDocument[]) => documents.map((document) => document._id);

  it('streams all that matches in order, a part at a time, as often as asked', async () => {
    const rows = Array.from({ length: 1_203 }, (_, n) => ({ _id: `d${n}`, n: n % 7, big: n % 400 === 3 ? 'x'.repeat(80_000) : '' }));
    const target = await holding(rows);
    const snapshot = await store().snapshot();
    try {
      const read = async (query: StreamQuery) => {
        const parts: (readonly StoredDocument[])[] = [];
        for await (const part of snapshot.documents(target, query)) parts.push(part);
        expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(500);
        return parts.flat();
      };
      const [first] = await read({});
      expect(first).toEqual(rows[0]);
      expect(idsOf(await read({}))).toEqual(idsOf(rows));
      expect(await read({ filter: { n: 3, big: '' }, sort: { _id: -1 }, projection: { n: 1 } })).toEqual(
        await store().find(target, { filter: { n: 3, big: '' }, sort: { _id: -1 }, projection: { n: 1 }, limit: 5_000 }),
      );
      await expect(read({ filter: { $where: '1' } })).rejects.toMatchObject({ code: 'invalid' });
    } finally {
      await snapshot.close();
      await snapshot.close();
    }
  });

  it('streams the same as text, a line each', async () => {
    const rows = Array.from({ length: 603 }, (_, n) => ({ _id: `d${n}`, n: n % 7, text: `"${n}\n`, big: n % 200 === 3 ? 'ä'.repeat(80_000) : '' }));
    const target = await holding(rows);
    const snapshot = await store().snapshot();
    try {
      const read = async (query: WholeStreamQuery) => {
        const texts: string[] = [];
        for await (const part of snapshot.documentTexts(target, query)) texts.push(...part);
        expect(texts.filter((text) => text.includes('\n'))).toEqual([]);
        return texts.map((text) => JSON.parse(text) as unknown);
      };
      expect(await read({})).toEqual(rows);
      expect(await read({ filter: { n: 3 }, sort: { _id: -1 }, skip: 1, limit: 40 })).toEqual(await store().find(target, { filter: { n: 3 }, sort: { _id: -1 }, skip: 1, limit: 40 }));
      await expect(read({ filter: { $where: '1' } })).rejects.toMatchObject({ code: 'invalid' });
    } finally {
      await snapshot.close();
    }
  });

  it('shows in a snapshot nothing of what is written while others read', async () => {
    const target = await holding([{ _id: 'a' }]);
    const snapshot = await store().snapshot();
    const read = async () => {
      const found: string[] = [];
      for await (const part of snapshot.documents(target, {})) found.push(...idsOf(part));
      return found;
    };
    expect(await read()).toEqual(['a']);
    await store().transaction((tx) => store().insertMany(tx, target, [{ _id: 'late' }]));
    expect(await read()).toEqual(['a']);
    await snapshot.close();
  });

  it('ends a stream when its reader leaves it, and gives the connection back', async () => {
    const target = await holding(Array.from({ length: 1_100 }, (_, n) => ({ _id: `d${n}` })));
    for (let round = 0; round < 15; round += 1) {
      const snapshot = await store().snapshot();
      const reading = snapshot.documents(target, {});
      expect((await reading.next()).done).toBe(false);
      if (round % 2 === 0) await reading.return();
      await snapshot.close();
      await expect(reading.next().then(({ done }) => (done ? Promise.reject(new Error('ended')) : undefined))).rejects.toThrow();
    }
  });
}
