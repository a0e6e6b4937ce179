import { type CollectionRef, documentsIn, type DocumentStore, type IndexSpec, type StoredDocument } from '../src';

/** Of texts that do not compress: a longest index entry is found by their bytes alone. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
function letters(length: number, seed: number): string {
  const next = random(seed);
  return Array.from({ length }, () => String.fromCharCode(97 + Math.floor(next() * 26))).join('');
}

const LONG = letters(2_700, 1);
/** The same but for the last letter. */
const OTHER = `${LONG.slice(0, -1)}${LONG.endsWith('x') ? 'y' : 'x'}`;
const HUGE = letters(3_000_000, 2);

/** Values of any length, depth and type. */
const VALUES: Readonly<Record<string, unknown>> = {
  short: 'a', empty: '', long: LONG, other: OTHER, huge: HUGE, kanji: Array.from({ length: 4_000 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7_919) % 20_000))).join(''),
  number: 5, least: 5e-324, greatest: -1.7976931348623157e308, yes: true, no: false, null: null, list: [1, 'a'], none: [], longList: Array.from({ length: 5_000 }, (_, n) => n * 1.5), listOfLong: [LONG, 'b'], lists: [[LONG]],
  object: { text: 'a' }, nothing: {}, wide: Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`k${n}`, letters(20, n + 3)])), deep: Array.from({ length: 50 }).reduce<unknown>((inner) => ({ a: [inner, LONG] }), 1),
  // What the digests of others look like.
  digest: { text: 'c'.repeat(64) }, digests: ['c'.repeat(64)],
};

const index = (name: string, key: IndexSpec['key'], unique = false): IndexSpec => ({ key, options: { name, ...(unique && { unique }) } });
const NON_UNIQUE = [index('one', { v: 1 }), index('inner', { 'p.v': -1 }), index('two', { v: 1, w: 1 })];

export function describeIndexedValues(holding: (documents: readonly StoredDocument[]) => Promise<CollectionRef>, store: () => DocumentStore): void {
  const documents = Object.entries(VALUES).map(([_id, v]) => ({ _id, v, w: v, p: { v } }));
  const put = (target: CollectionRef, ...of: readonly StoredDocument[]) => store().transaction((tx) => store().insertMany(tx, target, of));
  const found = async (target: CollectionRef, filter: Record<string, unknown>) => (await store().find(target, { filter, limit: 100 })).map(({ _id }) => _id).sort();
  const create = async (target: CollectionRef, specs: readonly IndexSpec[]) => { for (const spec of specs) await store().createIndex(target.name, spec); };
  /** Arrays on two paths of one index are what MongoDB cannot hold. */
  const isList = ({ v }: { readonly v: unknown }) => Array.isArray(v);

  const FILTERS: Readonly<Record<string, unknown>>[] = [
    ...[LONG, OTHER, HUGE, 'a', '', 5, 5e-324, true, null].map((v) => ({ v })), { v: { $in: [LONG, 'a', 5] } }, { v: { $nin: [LONG, 'a'] } }, { v: { $ne: LONG } }, { v: { $regex: `^${LONG.slice(0, 50)}` } },
    { v: { $gt: LONG } }, { v: { $gte: LONG, $lte: LONG } }, { v: { $lt: 'b' } }, { v: { $gt: 4 } }, { v: { $all: [LONG, 'b'] } }, { v: [1, 'a'] }, { 'p.v': LONG }, { 'p.v': { $in: [HUGE] } }, { v: 'c'.repeat(64) }, { 'v.text': 'a' },
  ];

  it('takes values of any length, depth and type on indexed paths, and finds them as without an index', async () => {
    const plain = await holding(documents);
    const [before, after] = [await holding([]), await holding(documents.filter((one) => !isList(one)))];
    await create(before, NON_UNIQUE.slice(0, 2));
    await put(before, ...documents);
    await create(after, NON_UNIQUE);
    await put(after, { _id: 'list', v: [LONG, 'a'], w: LONG });
    for (const filter of FILTERS) expect([filter, await found(before, filter)]).toEqual([filter, await found(plain, filter)]);
    expect(await found(after, { v: LONG })).toEqual(['list', 'long']);
    const replaced = await store().transaction((tx) => store().replaceMany(tx, before, [{ _id: 'short', v: HUGE }, { _id: 'huge', v: 'a' }]));
    expect([replaced.count, await found(before, { v: HUGE }), await found(before, { v: 'a' })]).toEqual([2, ['short'], ['huge', 'list']]);
  });

  it('compares values as a whole where an index is unique, long ones too', async () => {
    const unique = await holding([]);
    await create(unique, [index('one', { v: 1 }, true)]);
    const some = documents.filter(({ _id }) => !['list', 'none', 'listOfLong', 'lists', 'longList', 'digests'].includes(_id));
    await put(unique, ...some);
    for (const { _id, v } of some) await expect(put(unique, { _id: `again ${_id}`, v })).rejects.toMatchObject({ code: 'conflict' });
    expect(await store().count(unique, {})).toBe(some.length);
    const pairs = await holding([]);
    await create(pairs, [index('both', { v: 1, w: 1 }, true)]);
    await put(pairs, { _id: '1', v: LONG, w: HUGE }, { _id: '2', v: LONG, w: OTHER }, { _id: '3', v: OTHER, w: HUGE }, { _id: '4', v: LONG });
    for (const [v, w] of [[LONG, HUGE], [LONG, OTHER], [LONG, null]]) await expect(put(pairs, { _id: 'again', v, w })).rejects.toMatchObject({ code: 'conflict' });
    const twice = await holding([{ _id: '1', v: HUGE }, { _id: '2', v: HUGE }]);
    await expect(create(twice, [index('one', { v: 1 }, true)])).rejects.toMatchObject({ code: 'conflict' });
  });

  it('takes any number of words on a path of a text index, and finds them', async () => {
    const next = random(9);
    const word = () => Array.from({ length: 12 }, () => String.fromCharCode(97 + Math.floor(next() * 26))).join('');
    const words = Array.from({ length: 80_000 }, word);
    const text = `${words.slice(0, 40_000).join(' ')} red door ${words.slice(40_000).join('\n')}`;
    const target = await holding([{ _id: 'first', t: text }]);
    await create(target, [{ key: { t: 'text', more: 'text' }, options: { name: 'words', default_language: 'none' } }]);
    await put(target, { _id: 'many', t: ['blue', text], more: 'green' }, { _id: 'few', t: `${words[7]} red window` }, { _id: 'other', t: 'grey' });
    const search = async ($search: string) => found(target, { $text: { $search } });
    expect(await search(words[7] as string)).toEqual(['few', 'first', 'many']);
    expect(await search(words.at(-1) as string)).toEqual(['first', 'many']);
    expect(await search('"red door"')).toEqual(['first', 'many']);
    expect(await search('green grey')).toEqual(['many', 'other']);
    expect(await search(`${words[7]} -window`)).toEqual(['first', 'many']);
    expect(await search(`${words[7]} -${words[79_999]}`)).toEqual(['few']);
    expect(documentsIn((await store().page({ target, filter: { $text: { $search: 'nowhere' } }, limit: 5 })).list)).toEqual([]);
  });
}
