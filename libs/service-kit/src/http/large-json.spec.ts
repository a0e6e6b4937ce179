import { ServiceError } from '@twinyard/conventions';
import fc from 'fast-check';
import { readLargeJson } from './large-json';

/** More than is read in one step. */
const FILLING = ' '.repeat(300_000);
/** Members of an object, where they are bounded. */
const MOST = 20_000;
const parts: [text: string, before: number][] = [];
const read = (text: string, mostMembers?: number) => readLargeJson(text, (part, before) => {
  parts.push([part, before]);
  return JSON.parse(part) as unknown;
}, mostMembers);
beforeEach(() => parts.splice(0));

/** Texts of JSON, and of what is nearly JSON: characters of one are left out, doubled or exchanged. */
const nearlyJson = fc.tuple(fc.array(fc.jsonValue({ maxDepth: 4 })), fc.array(fc.tuple(fc.nat(), fc.constantFrom('', ',', ']', '[', '"', '\\', '{', '}', ':', ' ', '\u00a0', '\ufeff')), { maxLength: 2 }))
  .map(([value, faults]) => faults.reduce((text, [place, fault]) => text.slice(0, place % text.length) + fault + text.slice((place % text.length) + 1), JSON.stringify(value)));

describe('JSON that is read in turns', () => {
  it('is what JSON.parse reads, and refused where that refuses it', async () => {
    await fc.assert(fc.asyncProperty(nearlyJson, fc.boolean(), async (text, isLong) => {
      const whole = isLong ? text.replace(',', `,${FILLING}`) : text;
      const outcome = (parsed: () => unknown) => { try { return { parsed: parsed() }; } catch { return 'refused'; } };
      const expected = outcome(() => JSON.parse(whole));
      const actual = await read(whole).then((parsed) => ({ parsed }), () => 'refused');
      expect(actual).toEqual(expected);
    }), { numRuns: 500 });
  });

  it('stands among the white space of JSON, and no other', async () => {
    for (const space of [' ', '\t', '\n', '\r']) expect(await read(`${space}[1,${FILLING}2]${space}`)).toEqual([1, 2]);
    for (const space of ['\u00a0', '\ufeff', '\u2028', '\f']) {
      for (const text of [`${space}[1]`, `[1]${space}`, `[${space}]`, `[1,${space}]`]) await expect(read(text)).rejects.toThrow(SyntaxError);
    }
  });

  it.each(['}', ']', '[', '{"a":1}'])('is looked through to its end, and not behind it: %s', async (behind) => {
    const looks = jest.spyOn(String.prototype, 'charCodeAt');
    try {
      await expect(read(`{"a":1}${behind.repeat(50_000)}`)).rejects.toThrow(SyntaxError);
      expect(looks.mock.calls.length).toBeLessThan(100);
    } finally {
      looks.mockRestore();
    }
  });

  it('comes in steps, each of which knows how many entries came before', async () => {
    const list = Array.from({ length: 50 }, (_, n) => ({ n, text: `"${'\\"],['.repeat(5_000)}` }));
    expect(await read(JSON.stringify(list))).toEqual(list);
    expect(parts.length).toBeGreaterThan(5);
    expect(parts.map(([, before]) => before)).toEqual(parts.map((_, index) => parts.slice(0, index).reduce((sum, [part]) => sum + (JSON.parse(part) as unknown[]).length, 0)));
  });

  it('lets others have their turn meanwhile', async () => {
    let turns = 0;
    let isOver = false;
    const count = () => { turns += 1; if (!isOver) setImmediate(count); };
    setImmediate(count);
    await read(JSON.stringify(Array.from({ length: 200_000 }, (_, n) => ({ name: `item ${n}`, n, tags: ['a', 'b'] }))));
    isOver = true;
    expect(turns).toBeGreaterThan(2);
  });

  it('holds no object that is wider than is said, and none too deep', async () => {
    const wide = (members: number) => `[{"a":[{${Array.from({ length: members }, (_, n) => `"k${n}":{"x":1,"y":2}`).join(',')}}]}]`;
    expect(Object.keys(((await read(wide(MOST), MOST)) as [{ a: [object] }])[0].a[0])).toHaveLength(MOST);
    const refused = expect.objectContaining({ constructor: ServiceError, status: 400, message: `body: holds an object of more than ${MOST} members` });
    await expect(read(wide(MOST + 1), MOST)).rejects.toEqual(refused);
    await expect(read(wide(MOST + 1).slice(1, -1), MOST)).rejects.toEqual(refused);
    expect(Object.keys(((await read(wide(MOST + 1))) as [{ a: [object] }])[0].a[0])).toHaveLength(MOST + 1);
    await expect(read(`${'['.repeat(200)}${']'.repeat(200)}`)).rejects.toMatchObject({ status: 400, message: 'body: is nested deeper than 150 levels' });
  });
});
