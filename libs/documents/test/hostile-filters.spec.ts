import fc from 'fast-check';
import { createTestDatabase, processorTime } from '@twinyard/testing';
import { ServiceError } from '@twinyard/conventions';
import { parseFilter, PostgresDocumentStore, versionOf } from '../src';
import { ParsedFilter } from '../src/filter/ast';
import { parseProjection } from '../src/projection';
import { toMongoRegex, toPostgresRegex } from '../src/regex/translation';
import { parseSort } from '../src/sort';

const nested = (levels: number, inner: unknown, wrap: (inner: unknown) => unknown) => Array.from({ length: levels }).reduce<unknown>(wrap, inner);
const many = <T>(count: number, one: (index: number) => T) => Array.from({ length: count }, (_, index) => one(index));
const fields = (count: number, value: unknown) => Object.fromEntries(many(count, (index) => [`f${index}`, value]));

/** None may cost much, or reach a store. */
const HOSTILE: readonly (readonly [what: string, filter: () => unknown])[] = [
  ['100,000 levels of $and', () => nested(100_000, { v: 1 }, (inner) => ({ $and: [inner] }))],
  ['100,000 levels of $not', () => ({ v: nested(100_000, { $gt: 1 }, (inner) => ({ $not: inner })) })],
  ['100,000 levels of $elemMatch', () => ({ v: nested(100_000, { $gt: 1 }, (inner) => ({ $elemMatch: inner })) })],
  ['nine levels, each another operator', () => ({ $or: [{ $nor: [{ a: { $elemMatch: { b: { $not: { $elemMatch: { c: { $not: { $all: [{ $elemMatch: { $not: { $not: { $gt: 1 } } } }] } } } } } } } }] }] })],
  ['a deep array as operand', () => ({ v: nested(100_000, 1, (inner) => [inner]) })],
  ['a megabyte of conditions', () => fields(50_000, { $gt: 1 })],
  ['10 MB of branches', () => ({ $or: many(500_000, () => ({ v: 1 })) })],
  ['10 MB of values', () => ({ v: { $in: many(1_500_000, (index) => index) } })],
  ['10 MB of values in $all', () => ({ v: { $all: many(1_500_000, (index) => index) } })],
  ['10 MB of values in an exact array', () => ({ v: many(1_500_000, (index) => index) })],
  ['a megabyte of operators of one field', () => ({ v: Object.fromEntries(many(50_000, (index) => [`$x${index}`, 1])) })],
  ['10 MB of types', () => ({ v: { $type: many(500_000, () => 'nothing') } })],
  ['a path of 10 MB', () => ({ ['a'.repeat(10_000_000)]: 1 })],
  ['a path of 10 MB of dots', () => ({ [`${'.'.repeat(10_000_000)}a`]: 1 })],
  ['a path of 500 steps', () => ({ [many(500, () => 'a').join('.')]: 1 })],
  ['a path of numbers', () => ({ 'a.0.0.0.0.0': 1 })],
  ['a path that ends with a dot', () => ({ 'a.': 1 })],
  ['no name', () => ({ '': 1 })],
  ['$where', () => ({ $where: 'while (true) {}' })],
  ['$expr', () => ({ $expr: { $function: { body: 'f', args: [], lang: 'js' } } })],
  ['$function', () => ({ v: { $function: {} } })],
  ['$where in $elemMatch', () => ({ v: { $elemMatch: { $where: '1' } } })],
  ['$text in $or', () => ({ $or: [{ $text: { $search: 'a' } }] })],
  ['$text with more', () => ({ $text: { $search: 'a', $language: 'none' } })],
  ['__proto__', () => JSON.parse('{"__proto__": {"$gt": 1}}') as unknown],
  ['__proto__ inside a path', () => ({ 'a.__proto__.b': 1 })],
  ['constructor', () => ({ constructor: 1 })],
  ['prototype in $elemMatch', () => ({ v: { $elemMatch: { prototype: 1 } } })],
  ['the names of Object as operators', () => ({ v: { $gt: 1, hasOwnProperty: 1 } })],
  ['toString as an operator', () => ({ v: { $toString: 1 } })],
  ['NUL in a name', () => ({ 'a\0b': 1 })],
  ['NUL in a value', () => ({ v: { $in: ['a\0'] } })],
  ['NUL in an exact array', () => ({ v: ['\0'] })],
  ['half a surrogate pair', () => ({ v: { $gt: '\ud83d' } })],
  ['half a surrogate pair in a pattern', () => ({ v: { $regex: '\udc00' } })],
  ['half a surrogate pair in a search', () => ({ $text: { $search: '\udc00' } })],
  ['an infinite number', () => JSON.parse('{"v": 1e999}') as unknown],
  ['$size of a number beyond all', () => ({ v: { $size: 1e308 } })],
  ['$size of a half', () => ({ v: { $size: 0.5 } })],
  ['$mod by minus zero', () => ({ v: { $mod: [-0, 1] } })],
  ['$mod by almost zero', () => ({ v: { $mod: [5e-324, 1] } })],
  ['$mod beyond whole numbers', () => ({ v: { $mod: [1e308, 1] } })],
  ['$mod of texts', () => ({ v: { $mod: ['4', '1'] } })],
  ['an array as operand of an order', () => ({ v: { $gt: [1] } })],
  ['an object as operand of an equality', () => ({ v: { $eq: { a: 1 } } })],
  ['objects in a list', () => ({ v: { $in: [{ a: 1 }] } })],
  ['a pattern in a list', () => ({ v: { $in: [{ $regex: 'a' }] } })],
  ['a pattern of 1,001 characters', () => ({ v: { $regex: 'a'.repeat(1_001) } })],
  ['a pattern of 10 MB', () => ({ v: { $regex: '('.repeat(10_000_000) } })],
  ['a pattern that multiplies', () => ({ v: { $regex: '((a{250}){250}){250}' } })],
  ['a thousand patterns that cost much each', () => ({ $or: many(1_000, (index) => ({ v: { $regex: `[a-\u{10ffff}]{${1_000 - index % 3}}` } })) })],
  ['one that repeats a thousand times what is long', () => ({ v: { $regex: `(${'a'.repeat(980)}){1000}` } })],
  ['one that repeats what has many branches', () => ({ v: { $regex: `(?:${'a|bc|'.repeat(190)}x){1000}` } })],
  ['one that repeats classes', () => ({ v: { $regex: `(?:${'[]a-z[:digit:]]'.repeat(60)}){1000}` } })],
  ['one among a thousand that is no pattern', () => ({ $or: many(1_000, (index) => ({ v: { $regex: index === 999 ? '(?=a)' : `^wall ${index}\\d+$` } })) })],
  ['one among a thousand that no store takes over', () => ({ $or: many(1_000, (index) => ({ v: { $regex: index === 999 ? '\\pL' : `^wall ${index}\\d+$` } })) })],
  ['look-ahead', () => ({ v: { $regex: '(?=a)' } })],
  ['a back-reference', () => ({ v: { $regex: '(a)\\1' } })],
  ['options that nobody knows', () => ({ v: { $regex: 'a', $options: 'x' } })],
  ['options that are no text', () => ({ v: { $regex: 'a', $options: ['i'] } })],
  ['10 MB of options', () => ({ v: { $regex: 'a', $options: 'z'.repeat(10_000_000) } })],
  ['options alone', () => ({ v: { $options: 'i' } })],
  ['a pattern that is an object', () => ({ v: { $regex: { source: 'a' } } })],
  ['an empty $and', () => ({ $and: [] })],
  ['$and of no object', () => ({ $and: [1] })],
  ['$not of nothing', () => ({ v: { $not: {} } })],
  ['$not of a value', () => ({ v: { $not: 1 } })],
  ['$elemMatch of a value', () => ({ v: { $elemMatch: 1 } })],
  ['$in of no list', () => ({ v: { $in: { length: 1e9 } } })],
  ['a type that nobody knows', () => ({ v: { $type: 'bigint' } })],
  ['an array as filter', () => []],
  ['a text as filter', () => '{}'],
  ['null', () => null],
];

describe('hostile filters', () => {
  /** Whatever asks it anything gets another error than 400. */
  async function storeThatIsGone(): Promise<PostgresDocumentStore> {
    const database = await createTestDatabase();
    const store = await PostgresDocumentStore.open({ url: database.url });
    await store.close();
    await database.drop();
    return store;
  }
  let store: PostgresDocumentStore;
  beforeAll(async () => { store = await storeThatIsGone(); });

  it('would be an error of another kind if they reached the store', async () => {
    await expect(store.count(versionOf('any', 'v'), { v: 1 })).rejects.not.toMatchObject({ status: 400 });
  });

  it.each([
    ['a thousand plain patterns', many(1_000, (index) => ({ v: { $regex: `^wall ${index}\\.1 \\(first floor\\)`, $options: 'i' } }))],
    ['a thousand that count', many(1_000, () => ({ v: { $regex: '^wall \\d+$' } }))],
    ['a thousand of alternatives', many(1_000, (index) => ({ v: { $regex: `^wall ${index} of the (first|second) floor$` } }))],
    ['a thousand that repeat what they choose', many(1_000, (index) => ({ v: { $regex: `(a|b)*c{1,${(index % 90) + 2}}(x|y)+${index}$`, $options: 'i' } }))],
    ['a few of hundreds of classes each', many(9, (index) => ({ v: { $regex: `${'[a-\u0370]'.repeat(140)}${index}`, $options: 'i' } }))],
  ])('are not those that are only long: %s go to the store', async (_what, $or) => {
    await expect(store.count(versionOf('any', 'v'), { $or })).rejects.not.toMatchObject({ status: 400 });
  });

  // Processor time, which a busy machine does not change, and of a slow one: 10 MB are gone through. Patterns that are refused take a tenth of it, and others have their turn meanwhile.
  it.each(HOSTILE)('cost a 400, and neither time nor a query: %s', async (_what, make) => {
    const filter = make() as Record<string, unknown>;
    const refused = () => expect(store.count(versionOf('any', 'v'), filter)).rejects.toMatchObject({ status: 400 });
    expect(await processorTime(refused, 2_500)).toBeLessThan(2_500);
  });
});

const RUNS = 1_000 * Number(process.env['FC_RUNS'] ?? 1);
const OPERATORS = ['$and', '$or', '$nor', '$not', '$eq', '$ne', '$gt', '$in', '$nin', '$all', '$elemMatch', '$size', '$mod', '$type', '$exists', '$regex', '$options', '$text', '$search', '$where', '$', '$$', 'v', 'a.b', 'a.0', '', '.', '__proto__', 'toString'];
const { almost } = fc.letrec<{ almost: unknown }>((tie) => ({
  almost: fc.oneof(
    { maxDepth: 7 },
    { weight: 3, arbitrary: fc.oneof(fc.constantFrom<unknown>(0, -0, 1, 1e308, Number.NaN, 'a', '', '^a', 'i', '(', 'int', null, true, undefined), fc.anything()) },
    { weight: 2, arbitrary: fc.array(tie('almost'), { maxLength: 3 }) },
    { weight: 5, arbitrary: fc.array(fc.tuple(fc.constantFrom(...OPERATORS), tie('almost')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)) },
  ),
}));

describe('whatever is sent', () => {
  const isAnswered = (read: () => unknown): unknown => {
    try {
      return read();
    } catch (error) {
      if (error instanceof ServiceError && error.status === 400) return undefined;
      throw error;
    }
  };

  it.each([['anything', fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withMap: true })], ['any JSON', fc.jsonValue()], ['what looks like a filter', almost]])('is a filter or a 400: %s', (_what, arbitrary) => {
    let taken = 0;
    fc.assert(fc.property(arbitrary as fc.Arbitrary<unknown>, (value) => {
      const filter = isAnswered(() => parseFilter(value));
      if (filter !== undefined) taken += 1;
      expect(filter === undefined || filter instanceof ParsedFilter).toBe(true);
    }), { seed: 3, numRuns: RUNS });
    expect(taken).toBeGreaterThan(0);
  });

  it('is an order or a 400, and a projection or a 400', () => {
    fc.assert(fc.property(fc.oneof(fc.object(), almost.filter((value) => typeof value === 'object' && value !== null)), (value) => {
      isAnswered(() => parseSort(value as Record<string, unknown>));
      isAnswered(() => parseProjection(value as Record<string, unknown>));
    }), { seed: 3, numRuns: RUNS });
  });

  it('is a pattern of both stores or a 400', () => {
    fc.assert(fc.property(fc.oneof(fc.string({ maxLength: 30 }), fc.string({ unit: fc.constantFrom(...'()[]{}^$.*+?|\\-,:=!<>PQEabd0129 \n') })), fc.constantFrom('', 'i', 'ms'), (source, options) => {
      isAnswered(() => {
        const { condition } = parseFilter({ v: { $regex: source, $options: options } });
        if (condition.kind === 'field' && condition.test.kind === 'regex') return [toPostgresRegex(condition.test), toMongoRegex(condition.test)];
        throw new Error('not a pattern');
      });
    }), { seed: 3, numRuns: RUNS });
  });
});
