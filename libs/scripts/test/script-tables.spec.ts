import { eventually } from '@twinyard/testing';
import { ScriptRunner } from '../src';
import { FakePlatform } from './fake-platform';

describe('rows of files in scripts', () => {
  let runner: ScriptRunner;
  let platform: FakePlatform;
  beforeAll(() => {
    runner = new ScriptRunner({ threads: 2 });
    platform = new FakePlatform(() => runner);
  });
  afterAll(() => runner.close());
  beforeEach(() => {
    platform.reset();
    platform.tables.files.set('f', [[{ a: 1 }, { a: 2 }], [], [{ a: 3 }]]);
  });
  // Whatever a script does: when it has ended, nothing of its is open.
  afterEach(() => expect(platform.tables.openNow).toBe(0));

  const endless = (signal: AbortSignal) => new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(new Error('nobody waits'))));
  const script = (body: string) => platform.run(`export default async (input, { platform, csv, xlsx }, ctx) => {\n${body}\n};`);

  it('come part by part, as the script comes to them', async () => {
    expect(await platform.result('const seen = []; for await (const { a } of csv.rows("f", { delimiter: ";", textColumns: ["a"] })) seen.push(a); return [seen, await xlsx.rows("f").toArray()];')).toEqual([[1, 2, 3], [{ a: 1 }, { a: 2 }, { a: 3 }]]);
    expect(platform.tables.sources).toEqual([
      { format: 'csv', fileId: 'f', options: { delimiter: ';', textColumns: ['a'], header: true, decimalSeparator: '.' } },
      { format: 'xlsx', fileId: 'f', options: { textColumns: [], header: true } },
    ]);
    expect(platform.tables.asked).toBe(8);
  });

  it.each([
    ['its loop is left', 'for await (const { a } of csv.rows("f")) if (a === 2) break;'],
    ['it is returned', 'const rows = csv.rows("f"); await rows.next(); await rows.return();'],
  ])('are no longer read when %s, and their place is another\'s', async (_what, body) => {
    expect(await platform.result(`for (let turn = 0; turn < 6; turn += 1) { ${body} } return 1;`)).toBe(1);
    expect(platform.tables.asked).toBe(6);
  });

  it.each([
    ['returns', 'return 1;', 'returned'], ['throws', 'throw new Error("x");', 'threw'], ['never ends', 'for (;;) {}', 'stopped'],
  ])('that nobody has read to their end are closed when the script %s', async (_what, end, kind) => {
    const source = `export default async (input, { csv, xlsx }) => { await csv.rows("f").next(); await xlsx.rows("f").next(); ${end} };`;
    expect(await platform.run(source, null, { limits: { timeMs: 500 } })).toMatchObject({ kind });
    expect(platform.tables.sources).toHaveLength(2);
  });

  it('are closed when the script is cancelled while it waits for them', async () => {
    const cancel = new AbortController();
    platform.tables.waiting = endless;
    const running = platform.run('export default async (input, { xlsx }) => { for await (const row of xlsx.rows("f")) row; };', null, { signal: cancel.signal });
    await eventually(() => expect(platform.tables.asked).toBe(1));
    cancel.abort();
    expect(await running).toMatchObject({ kind: 'cancelled' });
  });

  it('may be open of four CSV files and one workbook at once', async () => {
    const [codes, message] = await platform.result(`
      const all = [];
      const codes = [];
      for (const read of [csv, csv, csv, csv, csv, xlsx, xlsx]) {
        const rows = read.rows("f");
        all.push(rows);
        codes.push(await rows.next().then(() => "open", ({ code }) => code));
      }
      await all[0].return();
      codes.push(await csv.rows("f").next().then(() => "open"));
      return [codes, await xlsx.rows("f").next().catch(({ message }) => message)];`) as [string[], string];
    expect(codes).toEqual(['open', 'open', 'open', 'open', 'invalid', 'open', 'invalid', 'open']);
    expect(message).toBe('Another workbook is open. Read one to its end, leave its loop by break, or call return() of its rows, before the next is read');
  });

  it('that are refused say where in the script they were asked for', async () => {
    platform.tables.files.set('bad', [[{ a: 1 }], 'line 3 is bad']);
    for (const [asks, message] of [
      ['for await (const row of csv.rows("nothing")) row;', 'There is no file "nothing"'], ['await xlsx.rows("bad").toArray();', 'line 3 is bad'], ['await xlsx.write("b.xlsx", csv.rows("bad"));', 'line 3 is bad'], ['await csv.rows("f", { delimeter: ";" }).next();', 'options: Unrecognized key: "delimeter"'],
      ['await csv.rows().next();', 'fileId: Invalid input: expected string, received undefined'], ['await csv.parse(5);', 'text: Invalid input: expected string, received number'], ['await csv.write("a.csv", 5);', 'TypeError: Rows are an array, or an iterator, of objects or arrays'],
      ['await csv.write("", []);', 'name: Too small: expected string to have >=1 characters'],
    ] as const) {
      expect(await script(`await null;\n${asks}`)).toMatchObject({ kind: 'threw', said: message, at: { line: 3 } });
    }
    // One that has failed is closed: there are places for more.
    expect(await platform.result('for (let turn = 0; turn < 6; turn += 1) await csv.rows("bad").toArray().catch(() => undefined); return 1;')).toBe(1);
  });

  it('are written in parts, from whatever gives one after the other', async () => {
    const file = await platform.result(`
      const made = await csv.write("a.csv", Array.from({ length: 2500 }, (_, n) => ({ n, at: new Date(0), gap: undefined })), { columns: ["n"], parent: "p", tags: ["t"], bom: true });
      await xlsx.write("b.xlsx", (function* rows() { yield [1]; yield { a: "x" }; })(), { sheet: "S" });
      await xlsx.write("c.xlsx", csv.rows("f"));
      await csv.write("d.csv", []);
      return made;`);
    expect(file).toEqual({ _id: 'made', _name: 'a.csv' });
    const [first, second, third, fourth] = platform.tables.written;
    expect(first?.parts.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
    expect(first?.parts[0]?.[1]).toEqual({ n: 1, at: '1970-01-01T00:00:00.000Z' });
    expect(first?.target).toEqual({ format: 'csv', name: 'a.csv', options: { columns: ['n'], parent: 'p', tags: ['t'], bom: true, delimiter: ',', textColumns: [] } });
    expect(second).toMatchObject({ target: { format: 'xlsx', name: 'b.xlsx', options: { sheet: 'S', tags: [] } }, parts: [[[1], { a: 'x' }]], isFinished: true });
    expect([third?.parts, fourth?.parts, fourth?.isFinished]).toEqual([[[{ a: 1 }, { a: 2 }, { a: 3 }]], [], true]);
  });

  it('go in smaller parts where they are large', async () => {
    await platform.result('await csv.write("a.csv", Array.from({ length: 5 }, () => ({ text: "x".repeat(200000) })));');
    expect(platform.tables.written[0]?.parts.map(({ length }) => length)).toEqual([2, 2, 1]);
  });

  it('that throw while they are written leave the file unfinished, and say where they threw', async () => {
    const outcome = await script('const rows = async function* () {\nyield { a: 1 };\nthrow new Error("half way");\n};\nawait csv.write("a.csv", rows());');
    expect(outcome).toMatchObject({ kind: 'threw', said: 'half way', at: { line: 4 } });
    expect(platform.tables.written).toMatchObject([{ isFinished: false }]);
  });

  it('that the file refuses end the writing where it was asked for, and whoever gives them tidies up', async () => {
    platform.tables.isRefused = (row) => (row as { readonly n: number }).n === 1_500;
    const outcome = await script('const rows = function* () {\ntry { for (let n = 0; ; n += 1) yield { n }; } finally { console.log("tidied"); }\n};\nawait xlsx.write("a.xlsx", rows());');
    expect(outcome).toMatchObject({ kind: 'threw', said: 'row 501 is refused', at: { line: 5 }, console: [{ text: 'tidied' }] });
    expect(platform.tables.written).toMatchObject([{ isFinished: false }]);
  });

  it('may be written to two files at once', async () => {
    const codes = await platform.result(`
      const writing = [csv.write("a.csv", [{ a: 1 }]), csv.write("b.csv", [{ a: 1 }]), csv.write("c.csv", [{ a: 1 }])];
      const ends = await Promise.allSettled(writing);
      return [...ends.map(({ reason }) => reason?.code ?? "written"), (await csv.write("d.csv", []))._id];`);
    expect(codes).toEqual(['written', 'written', 'invalid', 'made']);
  });

  it('whose writing nobody has waited for are counted', async () => {
    const { kind, underWay } = await script('csv.write("a.csv", [{ a: 1 }]);');
    expect([kind, underWay]).toEqual(['returned', 1]);
    expect(platform.tables.written).toMatchObject([{ isFinished: false }]);
    expect((await script('await csv.write("a.csv", [{ a: 1 }]); await csv.write("b.csv", [{ a: 1 }]).catch(() => undefined);')).underWay).toBe(0);
  });

  it('are read from texts, and written to them', async () => {
    expect(await platform.result('return [await csv.parse("a\\n1", { header: true }), await csv.stringify([{ a: 1 }], { delimiter: ";" }), await csv.stringify(csv.rows("f")), await csv.stringify([])];')).toEqual([[{ a: 1 }], 'a\n1\n', 'a\n1\n', 'a\n1\n']);
    expect(platform.tables.texts).toEqual([
      { text: 'a\n1', options: { header: true, textColumns: [], decimalSeparator: '.' } }, { rows: [{ a: 1 }], form: { delimiter: ';', textColumns: [] } },
      { rows: [{ a: 1 }, { a: 2 }, { a: 3 }], form: { delimiter: ',', textColumns: [] } }, { rows: [], form: { delimiter: ',', textColumns: [] } },
    ]);
  });
});
