import type { CollectionRef, DocumentStore, StoredDocument } from '../src';

type Case = readonly [what: string, filter: Record<string, unknown>, matching: readonly unknown[], other: readonly unknown[]];

/** MongoDB's answers where mingo, the oracle of the property tests, gives others (test/generators.ts), and where a rule of the contract is at stake. */
export const FILTER_CASES: readonly Case[] = [
  ['arrays match by element', { v: 2 }, [2, [1, 2]], [3, [[2]], '2', [3]]],
  ['elements of arrays inside arrays of objects', { 'v.b': { $gt: 1 } }, [[{ b: [0, 5] }], { b: 2 }], [[{ b: [0] }], [[{ b: 5 }]]]],
  ['a number in a path is an index or a name', { 'v.0': 1 }, [[1, 2], { 0: 1 }, [{ 0: 1 }]], [1, [2, 1], [[1]]]],
  ['a number amid a path', { 'v.1.b': 1 }, [[0, { b: 1 }], { 1: { b: 1 } }], [[{ b: 1 }], { b: 1 }]],
  ['null matches a missing field', { 'v.b': null }, [{}, { b: null }, 5, null, [{ b: 1 }, {}]], [{ b: 1 }, [], [1], [{ b: 1 }]]],
  ['null of an element', { v: null }, [null, [1, null]], [1, [], {}]],
  ['$gte null is null or missing', { v: { $gte: null } }, [null], [0, '']],
  ['types do not mix', { v: { $lt: 5 } }, [4, [9, 1]], ['1', true, null, { a: 1 }, []]],
  ['negations hold for missing fields', { 'v.b': { $ne: 1 } }, [{}, 5, [], [{ b: 2 }]], [{ b: 1 }, [{ b: 2 }, { b: 1 }]]],
  ['$not holds for other types', { v: { $not: { $gt: 1 } } }, [1, 'a', null, []], [2, [0, 3]]],
  ['two operators may hold for two elements', { v: { $gt: 5, $lt: 3 } }, [[1, 9]], [4, [4], [9]]],
  ['$elemMatch holds for one element', { v: { $elemMatch: { $gt: 3, $lt: 6 } } }, [[1, 5]], [[1, 9], 5, [[5]]]],
  ['$elemMatch of documents', { v: { $elemMatch: { b: 1, c: 2 } } }, [[{ b: 1, c: 2 }]], [[{ b: 1 }, { c: 2 }], { b: 1, c: 2 }]],
  ['$elemMatch takes an array for a document of its places', { v: { $elemMatch: { 0: 1, b: { $exists: false } } } }, [[[1]], [{ 0: 1 }]], [[1], [[2]], [{ 0: 1, b: 1 }]]],
  ['$elemMatch under a path through an array', { 'v.b': { $elemMatch: { $eq: 1 } } }, [[{ b: [1] }]], [[{ b: 1 }]]],
  ['$all of a scalar', { v: { $all: [1] } }, [1, [1, 2]], [2]],
  ['$all of $elemMatch', { v: { $all: [{ $elemMatch: { b: 1 } }, { $elemMatch: { b: 2 } }] } }, [[{ b: 1 }, { b: 2 }]], [[{ b: 1 }]]],
  ['an empty $all matches nothing', { v: { $all: [] } }, [], [[], 1]],
  ['an exact array', { v: [1, 'a'] }, [[1, 'a'], [[1, 'a']]], [['a', 1], [1, 'a', 2], 1]],
  ['$in of arrays and null', { v: { $in: [[1], null] } }, [[1], null, [[1]]], [1, [2]]],
  ['$size under a path through an array', { 'v.b': { $size: 2 } }, [[{ b: [1, 2] }]], [[{ b: 1 }, { b: 2 }]]],
  ['$size of arrays alone', { v: { $size: 1 } }, [[1], [[]]], [1, {}, []]],
  ['$type of elements', { v: { $type: 'string' } }, ['a', [1, 'a']], [1, [['a']]]],
  ['$type array', { v: { $type: 'array' } }, [[], [1]], [1, {}]],
  ['$type int', { v: { $type: 'int' } }, [1, -2147483648, [0.5, 3]], [1.5, 2147483648, '1']],
  ['$type double', { v: { $type: ['double'] } }, [1.5, 2147483648], [1, '1', true]],
  ['$mod cuts to whole numbers', { v: { $mod: [4, -1] } }, [-5, -1.9, [1, -9]], [3, 1, 'a', null]],
  ['$mod of what 64 bits do not hold', { v: { $mod: [4, 0] } }, [8, -(2 ** 63)], [1e308, 2 ** 63, -1e21]],
  ['numbers at the edges of a double', { v: { $gt: 5e-324, $lte: 1.7976931348623157e308 } }, [1e-323, 2 ** 53 + 2, 1.7976931348623157e308], [5e-324, 0, -1e308]],
  ['$type int at its edges', { v: { $type: 'int' } }, [-(2 ** 31), 2 ** 31 - 1], [-(2 ** 31) - 1, 2 ** 31]],
  ['texts compare by code point', { v: { $gt: '\uffee' } }, ['😀'], ['\uffee', 'a', '\ue000']],
  ['texts that look like dates and numbers are texts', { v: { $lt: '2026-01-31' } }, ['2026-01-30T23:59:59Z', '1e3'], [1_000, '2026-02']],
  ['$exists', { 'v.b': { $exists: true } }, [{ b: null }, [{}, { b: 1 }]], [{}, 1, []]],
  ['$regex sees texts alone', { v: { $regex: '^1' } }, ['12', [2, '1']], [1, [['1']], { a: '1' }]],
  ['names of any sort', { 'v.a b/(c)"\\': 1 }, [{ 'a b/(c)"\\': 1 }], [{ a: 1 }]],
  ['a name that starts with a dot', { 'v..x': 1 }, [{ '.x': 1 }], [{ x: 1 }]],
  ['a value that looks like SQL', { v: "'; drop table x; --" }, ["'; drop table x; --"], ["'"]],
  ['$nor', { $nor: [{ v: 1 }, { v: { $gt: 5 } }] }, [2, 'a'], [1, 9]],
];

const HOSTILE: readonly [filter: unknown, naming: string][] = [
  [{ $where: 'true' }, '$where'],
  [{ $expr: {} }, '$expr'],
  [{ v: { $function: {} } }, '$function'],
  [{ v: { $constructor: 1 } }, '$constructor'],
  [{ v: { $gt: 1, toString: 2 } }, 'toString'],
  [{ v: { $geoWithin: {} } }, '$geoWithin'],
  [{ $and: [{ $or: [{ v: { $not: { $jsonSchema: 1 } } }] }] }, '$jsonSchema'],
  [{ v: { a: 1 } }, 'compare their fields'],
  [{ v: { $gt: [1] } }, '$gt'],
  [{ v: [{ a: 1 }] }, 'compare their fields'],
  [{ 'a.__proto__': 1 }, '__proto__'],
  [JSON.parse('{"__proto__":{"a":1}}'), '__proto__'],
  [{ 'constructor.name': 1 }, 'constructor'],
  [{ 'a.$b': 1 }, '$b'],
  [{ v: '\0' }, 'NUL'],
  [{ v: '\ud800' }, 'surrogate'],
  [{ $and: [] }, '$and'],
  [{ $or: {} }, '$or'],
  [{ v: { $in: 1 } }, 'v: $in'],
  [{ 'v.w': { $all: {} } }, 'v.w: $all'],
  [{ v: { $mod: [0, 1] } }, '$mod'],
  [{ v: { $options: 'i' } }, '$options'],
  [{ v: { $in: Array.from({ length: 10_001 }, () => 1) } }, 'v: $in takes at most 10000'],
  [{ $or: Array.from({ length: 1_001 }, () => ({ v: 1 })) }, '1000 conditions'],
  [Array.from({ length: 9 }).reduce<unknown>((inner) => ({ $and: [inner] }), { v: 1 }), '8 levels'],
  [{ 'a.1.2.3.4.5': 1 }, 'numbers'],
];

export function describeFilterMeaning(holding: (documents: readonly StoredDocument[]) => Promise<CollectionRef>, store: () => DocumentStore): void {
  it.each(FILTER_CASES)('means what MongoDB means: %s', async (_what, filter, matching, other) => {
    const documents = [...matching.map((v, index) => ({ _id: `yes ${index}`, v })), ...other.map((v, index) => ({ _id: `no ${index}`, v }))];
    const target = await holding(documents);
    const found = await store().find(target, { filter, limit: 100 });
    expect(found.map((document) => document._id)).toEqual(matching.map((_, index) => `yes ${index}`));
    const negated = await store().find(target, { filter: { $nor: [filter] }, limit: 100 });
    expect(negated.map((document) => document._id)).toEqual(other.map((_, index) => `no ${index}`));
  });

  it.each(HOSTILE)('refuses %j, naming %s', async (filter, naming) => {
    const target = await holding([]);
    const asked = store().find(target, { filter: filter as Record<string, unknown>, limit: 1 });
    await expect(asked).rejects.toMatchObject({ status: 400, message: expect.stringContaining(naming) as string });
  });

  it('takes filters as large as the limits allow', async () => {
    const target = await holding([{ _id: 'a', v: 9_999 }]);
    expect(await store().count(target, { v: { $in: Array.from({ length: 10_000 }, (_, index) => index) } })).toBe(1);
    expect(await store().count(target, { $or: Array.from({ length: 1_000 }, (_, index) => ({ v: index + 9_000 })) })).toBe(1);
  });
}
