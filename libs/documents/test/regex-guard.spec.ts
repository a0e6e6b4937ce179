import fc from 'fast-check';
import { Aggregator, Query } from 'mingo';
import { parseFilter } from '../src';
import { encodeDocument } from '../src/mongo/document-codec';
import { compileFilter, type MongoFilter } from '../src/mongo/filter-compiler';
import { hasRegexMatch } from '../src/mongo/regex-match';
import { translateReadError } from '../src/mongo/mongo-reads.adapter';
import { documentFields } from '../src/mongo/stored-fields';
import { matches } from './mongo-meaning';

/** Each is one that the server may give up. */
const SLOW = '(a|b|.)+.*x*';

const NAMES = ['a', 'b', '0', '1'];
const textsEverywhere = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.constantFrom('a', 'bx', ''), fc.array(tie('value'), { minLength: 1, maxLength: 3 }), tie('object')),
  object: fc.tuple(...NAMES.map(() => tie('value'))).map((values) => Object.fromEntries(values.map((value, index) => [NAMES[index], value]))),
})).object;

describe('regular expressions that MongoDB may give up', () => {
  const compiled = (condition: Record<string, unknown>) => compileFilter(parseFilter(condition).condition, { fields: documentFields('v1'), guardsRegex: true }).filter;
  const plain = (condition: Record<string, unknown>) => compileFilter(parseFilter(condition).condition, { fields: documentFields('v1'), guardsRegex: false }).filter;
  const rowOf = (document: object) => ({ _id: { part: 'v1', id: '1' }, bytes: Buffer.byteLength(JSON.stringify(document)), doc: encodeDocument(document as Record<string, unknown>, '_id') });
  /** What the server is made to say of texts: lists in lists of whether they match. */
  const looksOf = (filter: unknown): object[] => {
    if (Array.isArray(filter)) return filter.flatMap(looksOf);
    if (typeof filter !== 'object' || filter === null) return [];
    const { $expr } = filter as { $expr?: { $eq: [object] } };
    return $expr ? [$expr.$eq[0]] : Object.values(filter).flatMap(looksOf);
  };
  const saidOf = (document: object, look: object): unknown[] => {
    const [row] = new Aggregator([{ $project: { look } }]).run([rowOf(document)]) as { look: unknown[] }[];
    return (row?.look ?? []).flat(Infinity);
  };
  const matchedIn = (document: object, look: object) => saidOf(document, look).includes(true);

  const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }).map((names) => names.join('.'));
  const regex = fc.constant({ $regex: SLOW });
  const test = fc.oneof(
    regex,
    fc.constant({ $elemMatch: { $regex: SLOW } }),
    path.map((inner) => ({ $elemMatch: { [inner]: { $regex: SLOW } } })),
    path.map((inner) => ({ $elemMatch: { $or: [{ [inner]: { $regex: SLOW } }, { [inner]: { $elemMatch: { $regex: SLOW } } }] } })),
  );

  it('has every text looked at that a filter comes to: 3,000 filters of wild documents', () => {
    let found = 0;
    fc.assert(fc.property(path, test, textsEverywhere, (name, inner, document) => {
      const filter = compiled({ [name]: inner });
      const looks = looksOf(filter);
      expect(looks).not.toEqual([]);
      if (!matches(document as object, { [name]: inner } as Record<string, never>)) return;
      found += 1;
      expect({ document, looked: looks.some((look) => matchedIn(document as object, look)) }).toEqual({ document, looked: true });
    }), { numRuns: 3_000, seed: 19 });
    expect(found).toBeGreaterThan(300);
  });

  it('leaves alone what is found', () => {
    const documents = [{ v: 'aax' }, { v: 'aay' }, { v: ['q', 'aax'] }, { w: 1 }, { v: [{ n: 'aax' }] }];
    // Of the two languages what both understand.
    const conditions = [{ v: { $regex: 'a+a*x' } }, { v: { $not: { $regex: 'a+a*x' } } }, { v: { $elemMatch: { n: { $regex: 'a+a*x' } } } }, { $nor: [{ v: { $regex: 'a+a*x' } }, { w: 1 }] }];
    for (const condition of conditions) {
      const found = (filter: MongoFilter) => documents.filter((document) => new Query(structuredClone(filter) as Record<string, never>).test(rowOf(document)));
      expect(JSON.stringify(compiled(condition))).toContain('$regexMatch');
      expect(found(compiled(condition))).toEqual(found(plain(condition)));
    }
  });

  it.each<[Record<string, unknown>, RegExp]>([
    [{ v: { $regex: SLOW } }, /^\{"\$or":\[\{"doc\.v":\{"\$regex":"[^"]+"\}\},\{"\$expr":/],
    // Here a text that is given up lets the document through.
    [{ v: { $not: { $regex: SLOW } } }, /^\{"\$and":\[\{"\$nor":\[\{"doc\.v":\{"\$regex":"[^"]+"\}\}\]\},\{"\$nor":\[\{"\$expr":/],
    [{ v: { $elemMatch: { $regex: SLOW, $not: { $regex: `${SLOW}z` } } } }, /^\{"\$and":\[\{"\$or":\[\{"doc\.v":\{"\$elemMatch":.*\$expr.*\{"\$nor":\[\{"\$expr":/],
  ])('asks %j in a way that ends with an error where a text is given up', (condition, expected) => expect(JSON.stringify(compiled(condition))).toMatch(expected));

  it('has texts looked at alone of more bytes than a pattern is ever tried at one place, and asks no document for them that weighs less', () => {
    const [look] = looksOf(compiled({ v: { $regex: 'ab*' } })) as [object];
    const long = `a${'b'.repeat(1_000_000)}`;
    expect(saidOf({ v: ['a', long, long.slice(1), 1] }, look)).toEqual([false, false, true, false, false]);
    const [filter, { $and: before }] = (compiled({ v: { $regex: 'ab*' } }) as { $or: [object, { $and: object[] }] }).$or;
    expect([filter, before.slice(0, -1)]).toEqual([{ 'doc.v': { $regex: 'a(?:b)*' } }, [{ bytes: { $gt: 1_000_000 } }]]);
  });

  it('leaves the index that the beginning of a text can be asked of its use', () => {
    const beforeLook = (source: string) => ((compiled({ 'v.n': { $regex: source } }) as { $or: [object, { $and?: object[] }] }).$or[1].$and ?? []).slice(0, -1);
    expect(beforeLook('^wall \\d+$')).toEqual([{ 'doc.v.n': { $regex: '\\Awall' } }, { bytes: { $gt: 1_000_000 } }]);
    expect(beforeLook('^wall.*\\d+x')).toEqual([{ 'doc.v.n': { $regex: '\\Awall' } }]);
    for (const source of ['^(wall|door) \\d+', '^wall|door\\d+', '^w*all', 'wall \\d+']) expect(JSON.stringify(beforeLook(source))).not.toContain('$regex');
  });

  it('goes through a list once, however long it is', () => {
    const filter = compiled({ 'v.n': { $elemMatch: { $regex: SLOW } } });
    expect(JSON.stringify(filter)).not.toContain('$reduce');
    const texts = Array.from({ length: 20_000 }, (_, n) => ({ n: [n === 19_999 ? 'a' : 1] }));
    expect(looksOf(filter).some((look) => matchedIn({ v: texts }, look))).toBe(true);
  });

  it('nests no deeper than the server goes, under as many levels as a filter has', () => {
    const depthOf = (value: unknown): number => (typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0);
    const deepest = { [Array.from({ length: 31 }, () => 'a').join('.')]: { $not: { $regex: SLOW } } };
    const filter = Array.from({ length: 6 }).reduce<Record<string, unknown>>((inner) => ({ $and: [inner, { b: 1 }] }), deepest);
    expect(depthOf(compiled(filter))).toBeLessThan(150);
  });

  it('is for a server that knows how, which says so of a document of its own', async () => {
    const asked: unknown[] = [];
    const server = (answer: () => Promise<unknown[]>) => ({ db: { aggregate: (pipeline: unknown) => (asked.push(pipeline), { toArray: answer }) } }) as unknown as Parameters<typeof hasRegexMatch>[0];
    const refusing = (code?: number) => server(() => Promise.reject(Object.assign(new Error('no'), code !== undefined && { code })));
    expect(await hasRegexMatch(server(() => Promise.resolve([{ text: 'a' }])))).toBe(true);
    expect(asked).toEqual([[{ $documents: [{ text: 'a' }] }, { $match: { $expr: { $regexMatch: expect.anything() as unknown } } }]]);
    expect([await hasRegexMatch(server(() => Promise.resolve([]))), await hasRegexMatch(refusing(40_324)), await hasRegexMatch(refusing(168)), await hasRegexMatch(refusing(13))]).toEqual([false, false, false, true]);
    await expect(hasRegexMatch(refusing())).rejects.toThrow('no');
  });

  it('asks as ever for what is always told', () => {
    for (const condition of [{ v: { $regex: '^pump [0-9]{3}$' } }, { v: { $elemMatch: { n: { $regex: 'a' } } } }, { v: 1 }]) expect(compiled(condition)).toEqual(plain(condition));
  });

  it('refuses a path that is longer than the server could be made to follow', () => {
    const path = (steps: number) => Array.from({ length: steps }, () => 'a').join('.');
    expect(JSON.stringify(compiled({ [path(31)]: { $regex: SLOW } }))).toContain('$regexMatch');
    expect(() => compiled({ [path(32)]: { $regex: SLOW } })).toThrow(expect.objectContaining({ code: 'invalid' }));
    expect(compiled({ [path(32)]: { $regex: 'a' } })).toEqual(plain({ [path(32)]: { $regex: 'a' } }));
  });

  it.each([51_156, 5_073_403])('makes query_too_slow of error %i', (code) => {
    const refused = Object.assign(new Error('Error occurred while executing the regular expression'), { code });
    expect(translateReadError(refused, { filter: {}, usesRegex: true, usesText: false })).toMatchObject({ code: 'query_too_slow' });
  });
});
