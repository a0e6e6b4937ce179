import fc from 'fast-check';
import { Query } from 'mingo';
import { parseFilter } from '../src';
import { withDates } from '../src/filter/reading-dates';
import { CreationOrder } from '../src/mongo/creation-order';
import { decodeDocument, encodeDocument } from '../src/mongo/document-codec';
import { decodeName, encodeName } from '../src/mongo/field-names';
import { compileFilter } from '../src/mongo/filter-compiler';
import { indexDefinition } from '../src/mongo/index-definition';
import { translateReadError } from '../src/mongo/mongo-reads.adapter';
import { readingBounds } from '../src/mongo/reading-bounds';
import { documentFields, inPartition, readingFields } from '../src/mongo/stored-fields';
import { documentOf, filter } from './generators';
import { matches } from './mongo-meaning';
import { wildDocument, wildFilter } from './wild-generators';

/** What MongoDB is asked, without one: the rest is seen on the engine (mongo-document-store.engines.ts). */
describe('what MongoDB is asked', () => {
  const compiled = (condition: Record<string, unknown>) => compileFilter(parseFilter(condition).condition, { fields: documentFields('v1'), guardsRegex: false }).filter;
  const json = fc.jsonValue({ maxDepth: 3 });

  it('means of the rows what the filter means of the documents: 300 filters, judged by mingo', () => {
    const documents = fc.sample(documentOf, { seed: 7, numRuns: 100 }).map((document, index) => ({ _id: `${index}`, ...document }));
    const rows = documents.map((document) => ({ _id: { part: 'v1', id: document._id }, doc: encodeDocument(document, '_id') }));
    let compared = 0;
    fc.assert(
      // The regular expressions are PCRE's here, which mingo does not speak.
      fc.property(filter.filter((condition) => !JSON.stringify(condition).includes('"$regex"')), (condition) => {
        let expected: unknown[];
        try {
          const query = new Query(structuredClone(condition));
          expected = documents.filter((document) => query.test(document)).map((document) => document._id);
        } catch {
          return; // mingo breaks down on some lists that are empty
        }
        compared += 1;
        const query = new Query(structuredClone(compiled(condition)));
        const found = rows.filter((row) => query.test(row)).map((row) => row._id.id);
        expect({ condition, found }).toEqual({ condition, found: expected });
      }),
      { seed: 7, numRuns: 300 },
    );
    expect(compared).toBeGreaterThan(250);
  });

  it('keeps any name and any value of JSON, and gives them back', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (name) => {
      const stored = encodeName(name);
      expect(stored).toMatch(/^(?!\$)[^.\0]+$/s);
      expect(decodeName(stored)).toBe(name);
    }));
    fc.assert(fc.property(fc.dictionary(fc.constantFrom('a', '.b', '$c', 'd.e', '%2E', '%', '', '0'), json), (document) => {
      expect(decodeDocument(encodeDocument(document))).toEqual(JSON.parse(JSON.stringify(document)));
    }));
  });

  it('stores what the JSON says: neither -0 nor undefined, dates as text, equal objects alike', () => {
    const stored = encodeDocument({ b: -0, a: { y: [undefined, Number.NaN], x: undefined }, at: new Date(0) });
    expect(Object.is((stored as { b: number }).b, 0)).toBe(true);
    expect(stored).toEqual({ a: { y: [null, null] }, at: '1970-01-01T00:00:00.000Z', b: 0 });
    expect(JSON.stringify(encodeDocument({ o: { b: 1, a: 2 } }))).toBe(JSON.stringify(encodeDocument({ o: { a: 2, b: 1 } })));
  });

  it('means of the rows what the filter means of the documents, whatever these hold: 400 filters of 120 documents', () => {
    const documents = fc.sample(wildDocument, { seed: 8, numRuns: 120 }).map((document, index) => ({ _id: `${index}`, ...document }));
    const rows = documents.map((document) => ({ _id: { part: 'v1', id: document._id }, doc: encodeDocument(document, '_id') }));
    for (const condition of fc.sample(wildFilter, { seed: 8, numRuns: 400 })) {
      const sent = compiledOrRefused(condition);
      if (sent === undefined) continue;
      const wrong = documents.filter((document, index) => matches(document, condition) !== matches(rows[index] as object, sent, (path) => path.split('.')));
      expect({ condition, sent, wrong: wrong.slice(0, 1) }).toEqual({ condition, sent, wrong: [] });
    }
  });

  /** One object of operators cannot say everything of one element (docs/operations/document-stores.md). */
  function compiledOrRefused(condition: Record<string, unknown>) {
    try {
      return compiled(condition);
    } catch (error) {
      if ((error as Error).message === 'query: $elemMatch: two of its operators say the same of one value') return undefined;
      throw error;
    }
  }

  it.each<[Record<string, unknown>, unknown]>([
    [{ _id: 'a' }, { _id: { $in: [{ part: 'v1', id: 'a' }] } }],
    [{ _id: { $in: ['a', 1, null] } }, { _id: { $in: [{ part: 'v1', id: 'a' }] } }],
    [{ _id: 5 }, { _id: { $in: [] } }],
    [{ _id: { $ne: 'a' } }, { _id: { $nin: [{ part: 'v1', id: 'a' }] } }],
    [{ _id: { $gt: 'a' } }, { '_id.id': { $gt: 'a' } }],
    [{ '.secret.load %': 1 }, { 'doc.%2Esecret.load %25': { $eq: 1 } }],
    [{ v: { $not: { $gt: 1 } } }, { $nor: [{ 'doc.v': { $gt: 1 } }] }],
    [{ v: { $exists: false } }, { 'doc.v': { $exists: false } }],
    [{ v: { $gt: 1, $lt: 3 } }, { $and: [{ 'doc.v': { $gt: 1 } }, { 'doc.v': { $lt: 3 } }] }],
    [{ v: { $type: ['long', 'int'] } }, { 'doc.v': { $type: ['int'] } }],
    [{ v: { $type: 'long' } }, { 'doc.v': { $in: [] } }],
    [{ v: { $gte: null } }, { 'doc.v': { $eq: null } }],
    [{ v: { $lt: null } }, { 'doc.v': { $in: [] } }],
    [{ v: { $regex: '^a.$', $options: 'i' } }, { 'doc.v': { $regex: '\\A[\\x{41}\\x{61}][^\\n]\\z' } }],
    [{ v: { $elemMatch: { $gt: 1, $ne: 3, $nin: [4] } } }, { 'doc.v': { $elemMatch: { $gt: 1, $nin: [3, 4] } } }],
    [{ v: { $elemMatch: { $all: [1, 2], $not: { $gt: 5, $lt: 9 } } } }, { 'doc.v': { $elemMatch: { $all: [1, 2], $not: { $gt: 5, $lt: 9 } } } }],
    [{ v: { $elemMatch: { b: { $ne: 1 }, 'c.d': 2 } } }, { 'doc.v': { $elemMatch: { $and: [{ b: { $nin: [1] } }, { 'c.d': { $eq: 2 } }] } } }],
    [{}, {}],
  ])('asks %j by operators of our own choice', (condition, expected) => {
    expect(compiled(condition)).toEqual(expected);
  });

  it('refuses a regular expression that becomes longer, with the case of its letters folded, than MongoDB takes', () => {
    const short = { v: { $regex: '[a-z]'.repeat(100), $options: 'i' } };
    const long = { v: { $regex: '[ɐ-ʯ]'.repeat(190), $options: 'i' } };
    expect(JSON.stringify(compiled(short)).length).toBeLessThan(32_764);
    expect(() => compiled(long)).toThrow(expect.objectContaining({ code: 'invalid', message: expect.stringContaining('more than 32764 bytes') }));
  });

  it('asks the index of _id alone for ids, and names the partition in all else', () => {
    expect(inPartition('v1', compiled({ _id: 'a' }))).toEqual({ _id: { $in: [{ part: 'v1', id: 'a' }] } });
    expect(inPartition('v1', compiled({ _id: { $ne: 'a' } }))).toHaveProperty(['_id.part'], 'v1');
    expect(inPartition('v1', compiled({ _id: 'a', n: 1 }))).toHaveProperty(['_id.part'], 'v1');
    expect(inPartition('v1', compiled({ _id: 5 }))).toEqual({ _id: { $in: [] } });
    expect(inPartition('v1', compiled({}))).toEqual({ '_id.part': 'v1' });
  });

  it('compares ISO text beside _ts as a date, and looks a single item up by the key', () => {
    const { condition } = withDates(parseFilter({ '_tsMetadata._telItemId': 'a', _ts: { $gte: '2026-01-01T01:00:00+01:00', $lt: '2026-02-01' } }));
    const [from, to] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-02-01T00:00:00Z')];
    expect(compileFilter(condition, { fields: readingFields, guardsRegex: false }).filter).toEqual({
      $and: [{ '_id.item': { $eq: 'a' } }, { $and: [{ '_id.ts': { $gte: from } }, { '_id.ts': { $lt: to } }] }],
    });
    const series = { collection: 'c', part: 'v1' };
    expect(readingBounds(series, condition)).toEqual({ _id: { $gte: { ...series, item: 'a', ts: from }, $lte: { ...series, item: 'a', ts: to } } });
    expect(readingBounds(series, withDates(parseFilter({ _ts: { $gte: '2026-01-01' } })).condition)).toEqual({});
    expect(readingBounds(series, parseFilter({ $or: [{ '_tsMetadata._telItemId': 'a' }, { n: 1 }] }).condition)).toEqual({});
  });

  it('puts the partition before the paths of an index and the id behind them', () => {
    expect(Object.entries(indexDefinition({ key: { z: 1, 'a..b': -1 }, options: { name: 'i' } }).key)).toEqual([['_id.part', 1], ['doc.z', 1], ['doc.a.%2Eb', -1], ['_id.id', 1]]);
    expect(indexDefinition({ key: { z: 1 }, options: { name: 'i', unique: true } })).toMatchObject({ key: { '_id.part': 1, 'doc.z': 1 }, unique: true });
    expect(indexDefinition({ key: { t: 'text' }, options: { name: 'i', default_language: 'simple' } })).toMatchObject({ key: { '_id.part': 1, 'doc.t': 'text' }, default_language: 'none' });
  });

  it('tells whoever sorts by two arrays of a document that this is the question, not the server', () => {
    const asked = { filter: {}, usesRegex: false, usesText: false };
    const refused = Object.assign(new Error('cannot sort with keys that are parallel arrays'), { code: 2 });
    expect(translateReadError(refused, asked)).toMatchObject({ status: 400, message: expect.stringContaining('arrays on two of its paths') as string });
    const other = Object.assign(new Error('something else'), { code: 2 });
    expect(translateReadError(other, asked)).toBe(other);
  });

  it('numbers documents upwards, also when the clock stands still or goes back', () => {
    let now = 1_000;
    const order = new CreationOrder(() => now);
    const first = order.take(5_000);
    expect(order.take(1)).toBe(first + 5_000);
    now = 500;
    expect(order.take(1)).toBe(first + 5_001);
    now = 2_000_000_000_000;
    expect(Number.isSafeInteger(order.take(1))).toBe(true);
  });
});
