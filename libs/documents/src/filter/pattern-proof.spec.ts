import { RE2JS } from 're2js';
import { toMongoRegex, toPostgresRegex } from '../regex/translation';
import { parseFilter } from './parser';
import { provePatterns } from './pattern-proof';

const filterOf = (count: number, source: (n: number) => string, $options = '') => ({ $or: Array.from({ length: count }, (_, n) => ({ v: { $regex: source(n), $options } })) });
const conditionOf = (...filter: Parameters<typeof filterOf>) => parseFilter(filterOf(...filter)).condition;
const wall = (n: number) => `^wall ${n}\\d+$`;

describe('patterns that take longer than others wait for', () => {
  afterEach(() => jest.restoreAllMocks());

  it.each([['PostgreSQL', toPostgresRegex], ['MongoDB', toMongoRegex]])('are as many as a filter has conditions, and are looked at for %s one in a turn', async (_store, translate) => {
    const turn = { isOver: true, passed: 0, pass: async () => void (turn.passed += 1) };
    const sources: string[] = [];
    await provePatterns(conditionOf(1_000, wall), (test) => (sources.push(test.source), translate(test)), turn);
    expect([turn.passed, sources]).toEqual([1_000, Array.from({ length: 1_000 }, (_, n) => wall(n))]);
  });

  it('are compiled once: some at once, the others before a store is asked by them', async () => {
    const compile = jest.spyOn(RE2JS, 'compile');
    const condition = conditionOf(1_000, wall);
    expect(compile.mock.calls.length).toBeLessThan(600);
    await provePatterns(condition, toPostgresRegex);
    await provePatterns(condition, toPostgresRegex);
    expect(compile).toHaveBeenCalledTimes(1_000);
  });

  it('are found wherever they stand', async () => {
    const wide = Array.from({ length: 1_000 }, (_, n) => ({ $regex: wall(n) }));
    const places: readonly ((last: object) => Record<string, unknown>)[] = [
      (last) => ({ $nor: [{ v: { $not: last } }] }), (last) => ({ v: { $elemMatch: last } }), (last) => ({ v: { $elemMatch: { $and: [{ w: last }] } } }), (last) => ({ v: { $all: [{ $elemMatch: last }] } }),
    ];
    for (const place of places) {
      const { condition } = parseFilter({ $and: [...wide.slice(0, 990).map((v) => ({ v })), place({ $regex: '(?=a)' })] });
      await expect(provePatterns(condition, () => '')).rejects.toMatchObject({ status: 400, code: 'invalid', message: expect.stringContaining('$regex is not a regular expression of RE2') as string });
    }
  });

  it('are refused where one is too much for a turn, or all are, before any is compiled that is too much', async () => {
    const compile = jest.spyOn(RE2JS, 'compile');
    for (const filter of [filterOf(1, () => `(?:${'a|bc|'.repeat(190)}x){1000}`), filterOf(1_000, (n) => `[a-\u{10ffff}]{${1_000 - (n % 3)}}`)]) {
      expect(() => parseFilter(filter)).toThrow(expect.objectContaining({ code: 'limit_exceeded' }));
    }
    expect(compile.mock.calls.length).toBeLessThan(20);
  });

  it('are refused where they become more than a statement may hold', async () => {
    const condition = conditionOf(1_000, () => 'a'.repeat(999), 'i');
    await expect(provePatterns(condition, (test) => 'x'.repeat(20 * test.source.length))).rejects.toMatchObject({ code: 'limit_exceeded' });
  });

  it('of a filter that is kept are all told at once', () => {
    expect(() => parseFilter(filterOf(1_000, wall), { atOnce: true })).toThrow(expect.objectContaining({ code: 'limit_exceeded' }));
    expect(() => parseFilter(filterOf(300, wall), { atOnce: true })).not.toThrow();
  });
});
