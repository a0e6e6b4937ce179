import { type CollectionRef, type DocumentStore, MAX_DOCUMENT_BYTES, type StoredDocument } from '../src';

export function describeLargeDocuments(holding: (documents: readonly StoredDocument[]) => Promise<CollectionRef>, store: () => DocumentStore): void {
  const insert = (target: CollectionRef, documents: readonly StoredDocument[]) => store().transaction((tx) => store().insertMany(tx, target, documents));
  const large = 'x'.repeat(MAX_DOCUMENT_BYTES - 1_000);
  const tooLarge = { _id: 'c', large: `${large}${'x'.repeat(1_000)}` };

  it('holds a document of nearly 16 MB, and refuses a larger one, alone and among many, and writes nothing of the request', async () => {
    const target = await holding([{ _id: 'a' }]);
    await insert(target, [{ _id: 'b', large }]);
    expect((await store().find(target, { filter: { _id: 'b' }, limit: 1 }))[0]).toEqual({ _id: 'b', large });
    const many = Array.from({ length: 100 }, (_, n) => ({ _id: `d${n}` }));
    const refusal = { code: 'too_large', message: `c has ${Buffer.byteLength(JSON.stringify(tooLarge))} bytes; at most ${MAX_DOCUMENT_BYTES} are kept of one` };
    for (const documents of [[tooLarge], [...many, tooLarge]]) await expect(insert(target, documents)).rejects.toMatchObject(refusal);
    const replaced = store().transaction((tx) => store().replaceMany(tx, target, [{ ...tooLarge, _id: 'a' }]));
    await expect(replaced).rejects.toMatchObject({ code: 'too_large' });
    expect((await store().find(target, { limit: 100 })).map(({ _id }) => _id)).toEqual(['a', 'b']);
  });
}
