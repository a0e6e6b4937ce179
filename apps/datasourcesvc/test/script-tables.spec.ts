import { eventually } from '@twinyard/testing';
import { workbookFile } from '@twinyard/testing/workbook-files';
import { XlsxWorkbook } from '@twinyard/xlsx';
import { builtInComponents } from '../src/components/built-in-components';
import type { Component } from '../src/components/component';
import { PlatformStandIn } from './consumer-contract/platform-stand-in';
import { EXPECTED_BY_SCRIPTS } from './consumer-contract/script-contract';
import { NS, OTHER } from './running-service';
import { ScriptStep, type ScriptStepOptions } from './script-step';

const [UPLOAD, CONTENT] = ['upload a file', 'the text at a signed address'];
const MB = 1_048_576;
/** What a spec may hold back. */
const ASKS = 'await platform.items.findOne({ _userType: "asked" });';

describe('tables of scripts', () => {
  let platform: PlatformStandIn;
  let target: Component;

  beforeAll(async () => {
    platform = await PlatformStandIn.start(EXPECTED_BY_SCRIPTS);
    target = builtInComponents({ scripts: { threads: 2, instantThreads: 1, seconds: 60 } }).find(({ name }) => name === 'default_script_target') as Component;
  });
  beforeEach(() => {
    platform.items.all.length = 0;
    platform.files.all.clear();
    platform.calls.length = 0;
    platform.disturb = () => undefined;
  });
  afterEach(() => expect(platform.violations).toEqual([]));
  afterAll(async () => {
    await target.close?.();
    await platform?.stop();
  });

  const stepOf = (statements: string, options: ScriptStepOptions = {}, userType = 'job') => {
    platform.items.addScript(userType, `export default async ({ actualParams }, { platform, csv, xlsx }, ctx) => {\n${statements}\n};`);
    return new ScriptStep(target, platform.url, { ...options, params: { userType, ...options.params } });
  };
  const run = (statements: string, options?: ScriptStepOptions) => stepOf(statements, options).run();
  const rowsOf = (read: 'csv' | 'xlsx', options: object = {}) => run(`return ${read}.rows("f", ${JSON.stringify(options)}).toArray();`);
  const addCsv = (content: string | Buffer) => platform.addFile('f', 'f-1', 'list.csv', Buffer.from(content));
  const addWorkbook = async (rows: readonly (readonly (string | number | boolean | null | { readonly xml: string })[])[]) => (
    platform.addFile('f', 'f-1', 'list.xlsx', await workbookFile({ sheets: [{ name: 'Cover', state: 'hidden', rows: [['x']] }, { name: 'List', rows }], formats: [0, 14] })));
  const textOf = (name: string) => platform.files.bytesOf(name)?.toString();
  const cellsOf = async (name: string) => {
    const rows: unknown[][] = [];
    for await (const part of (await XlsxWorkbook.open(platform.files.bytesOf(name) as Buffer)).rows()) {
      for (const { cells } of part.rows) rows.push(Array.from(cells, (cell) => (cell !== undefined && 'value' in cell ? cell.value : null)));
    }
    return rows;
  };
  const holdAsked = () => {
    platform.disturb = () => (platform.calls.at(-1)?.path.includes('asked') ? 'hold' : undefined);
  };

  describe('that are read', () => {
    it('have the cells of CSV as imports read them, under the names of their columns', async () => {
      addCsv('key,AHU1.Supply,room,big,text,gap,on\na,21.5,1E5,12345678901234567890," ü, ""x""\n",NA,true\n\n,,,,,,\nb,-1,007,1,"""=1""",,[1]\n');
      expect(await rowsOf('csv', { textColumns: ['room'] })).toEqual([
        { key: 'a', 'AHU1.Supply': 21.5, room: '1E5', big: '12345678901234567890', text: ' ü, "x"\n', on: true }, { key: 'b', 'AHU1.Supply': -1, room: '007', big: 1, text: '=1', on: [1] },
      ]);
      addCsv(Buffer.from('K;Wert\nä;1.234,5\nb;x\n', 'latin1'));
      expect(await rowsOf('csv', { encoding: 'windows-1252', decimalSeparator: ',', missingValues: ['x'] })).toEqual([{ K: 'ä', Wert: 1234.5 }, { K: 'b' }]);
      addCsv('a,b\n1,\n2\n');
      expect(await rowsOf('csv', { header: false })).toEqual([['a', 'b'], [1, null], [2]]);
      addCsv('');
      expect(await rowsOf('csv')).toEqual([]);
    });

    it('have the cells of a workbook with their types', async () => {
      await addWorkbook([['A list'], [], ['key', 'n', 'on', 'since', 'wrong', 'big'], ['007', 1.5, true, { xml: '<c r="@" s="1"><v>45292</v></c>' }, { xml: '<c r="@" t="e"><v>#REF!</v></c>' }, { xml: '<c r="@"><v>12345678901234567890</v></c>' }], ['-', 2, null]]);
      expect(await rowsOf('xlsx', { headerRow: 3 })).toEqual([{ key: '007', n: 1.5, on: true, since: '2024-01-01', big: '12345678901234567890' }, { n: 2 }]);
      expect(await rowsOf('xlsx', { sheet: 'cover', header: false })).toEqual([['x']]);
    });

    it('come a megabyte at a time, and a version of them where it is named', async () => {
      const line = (n: number) => `${n},${'x'.repeat(1_000)}\n`;
      addCsv(`n,text\n${Array.from({ length: 5_000 }, (_, n) => line(n)).join('')}`);
      platform.addFile('f', 'f-2', 'list.csv', Buffer.from('n\n1\n'));
      expect(await run('let sum = 0; for await (const { n } of csv.rows("f", { fileVersionId: "f-1" })) sum += n; return [sum, await csv.rows("f").toArray()];')).toEqual([12_497_500, [{ n: 1 }]]);
    });

    it('go on where the line broke', async () => {
      addCsv(`n,text\n${Array.from({ length: 3_000 }, (_, n) => `${n},${'x'.repeat(1_000)}\n`).join('')}`);
      platform.disturb = ({ name, nth }) => (name === CONTENT && nth === 1 ? 'break off' : undefined);
      expect(await run('let [sum, count] = [0, 0]; for await (const { n } of csv.rows("f")) { sum += n; count += 1; } return [count, sum];')).toEqual([3_000, 4_498_500]);
      expect(platform.count(CONTENT)).toBe(2);
    });

    it.each([
      ['a broken row', 'a,b\n1,2\n"x,3\n', 'line 3 opens a quote that is not closed (line 2)'],
      ['a row of another width', 'a,b\n1\n', 'line 2 has 1 cells, and there are 2 columns: with "header": false such rows are lists of their cells (line 2)'],
      ['two columns of one name', 'a,a\n1,2\n', 'The file has two columns named "a": the 1. and the 2. (line 2)'],
      ['a value without a name', 'a,\n1,2\n', 'line 2 has a value in column 2, which has no name (line 2)'],
      ['no UTF-8', Buffer.from('a\n\xe4\n', 'latin1'), 'line 2 is not UTF-8 in column 1; name the encoding of the file (line 2)'],
      ['a row without an end', `a\n"${'x'.repeat(MB)}\n`, 'line 2 is too long, or opens a quote that is not closed (line 2)'],
    ])('of CSV are refused with the line of the file and that of the script: %s', async (_what, content, message) => {
      addCsv(content);
      await expect(rowsOf('csv')).rejects.toMatchObject({ code: 'invalid', message });
    });

    it('are refused where they are none, or nobody may read them', async () => {
      addCsv('a\n1\n');
      await expect(rowsOf('xlsx')).rejects.toThrow('The file is no workbook (.xlsx) (line 2)');
      await expect(rowsOf('csv', { encoding: 'klingon' })).rejects.toThrow('The file is not CSV: there is no encoding "klingon" (line 2)');
      await expect(rowsOf('csv', { textColumns: ['b'] })).rejects.toThrow('The file has no column "b"; it has a (line 2)');
      await expect(run('await csv.rows("nothing").toArray();')).rejects.toThrow('filesvc: There is no file "nothing" (line 2)');
      await expect(run('await csv.rows("f", { fileVersionId: "none" }).toArray();')).rejects.toThrow('filesvc: There is no version "none" (line 2)');
      platform.files.addFolder('folder', [NS]);
      await expect(run('await csv.rows("folder").toArray();')).rejects.toThrow('folder is a folder (line 2)');
      platform.addFile('other', 'other-1', 'other.csv', Buffer.from('a\n1\n'), [OTHER]);
      expect(await run('try { await csv.rows("other").toArray(); } catch ({ status, code }) { return [status, code]; }')).toEqual([404, 'not_found']);
    });

    it('have at most 50 MB, of either kind', async () => {
      addCsv(`a\n${`${' '.repeat(MB - 1)}\n`.repeat(50)}`);
      await expect(rowsOf('csv')).rejects.toThrow('The file is larger than the 50 MB that can be read (line 2)');
      expect(await run('try { await xlsx.rows("f").toArray(); } catch ({ status, code }) { return [status, code]; }')).toEqual([413, 'too_large']);
    });

    it('give their place to another script when theirs has ended, or was cancelled', async () => {
      await addWorkbook([['n'], [1], [2]]);
      holdAsked();
      const cancel = new AbortController();
      const holds = stepOf(`await xlsx.rows("f").next(); ctx.log("info", "open"); ${ASKS}`, { signal: cancel.signal });
      const held = holds.run().catch((error: unknown) => error);
      await eventually(() => expect(holds.log).toContain('info open'));
      const waits = stepOf('ctx.log("info", "begun"); return xlsx.rows("f").toArray();', {}, 'waits');
      const rows = waits.run();
      await eventually(() => expect(waits.log).toContain('info begun'));
      const before = await Promise.race([rows, new Promise((resolve) => setImmediate(() => resolve('waits')))]);
      expect(before).toBe('waits');
      cancel.abort(new Error('cancelled'));
      expect(await held).toBeInstanceOf(Error);
      expect(await rows).toEqual([{ n: 1 }, { n: 2 }]);
      // Nobody holds the place any more.
      expect(await run('for (let turn = 0; turn < 3; turn += 1) await xlsx.rows("f").next().catch(() => undefined); return (await xlsx.rows("f").next().catch(({ code }) => code));')).toBe('invalid');
      expect(await run('for (let turn = 0; turn < 3; turn += 1) for await (const row of xlsx.rows("f")) break; return xlsx.rows("f").toArray();')).toEqual([{ n: 1 }, { n: 2 }]);
    });
  });

  describe('that are written', () => {
    /** Written and read again: what comes back. */
    const roundTrip = (write: 'csv' | 'xlsx', rows: string, options = '{}') => run(`const { _id } = await ${write}.write("back", ${rows}, ${options}); return ${write}.rows(_id).toArray();`);
    const ROWS = '[{ "=head": "=1+1", "AHU1.Supply": 21.5, text: "ü, \\"x\\"\\nand 007", digits: "0123", on: true, at: new Date(0), none: null, list: [1, { a: 2 }] }, { "=head": "-2", digits: "12", text: " ", on: false, none: undefined }]';

    it('are read back from CSV as they were, and nothing in it is a formula', async () => {
      expect(await roundTrip('csv', ROWS)).toEqual([
        { '=head': '=1+1', 'AHU1.Supply': 21.5, text: 'ü, "x"\nand 007', digits: '0123', on: true, at: '1970-01-01T00:00:00.000Z', list: [1, { a: 2 }] }, { '=head': '-2', digits: '12', on: false },
      ]);
      expect(textOf('back')).toBe([
        '\\=head,AHU1.Supply,text,digits,on,at,none,list', '"""=1+1""",21.5,"ü, ""x""\nand 007",0123,true,1970-01-01T00:00:00.000Z,,"[1,{""a"":2}]"', '"""-2""",," ","""12""",false,,,', '',
      ].join('\n'));
      expect([...platform.files.all.values()][0]).toMatchObject({ name: 'back', contentType: 'text/csv; charset=utf-8', namespaces: [NS], parent: 'root' });
    });

    it('are read back from a workbook as they were', async () => {
      expect(await roundTrip('xlsx', ROWS)).toEqual([
        { '=head': '=1+1', 'AHU1.Supply': 21.5, text: 'ü, "x"\nand 007', digits: '0123', on: true, at: '1970-01-01T00:00:00.000Z', list: '[1,{"a":2}]' }, { '=head': '-2', digits: '12', on: false },
      ]);
      expect((await cellsOf('back'))[0]).toEqual(['=head', 'AHU1.Supply', 'text', 'digits', 'on', 'at', 'none', 'list']);
    });

    it('have the columns, the form and the place that they are given', async () => {
      platform.files.addFolder('reports', [NS]);
      const file = await run('return csv.write("a.csv", [{ a: "12", b: 2, c: 3 }, ["x", "=y"]], { columns: ["b", "a"], textColumns: ["a"], delimiter: ";", bom: true, parent: "reports", tags: ["x"] });');
      expect(file).toMatchObject({ _id: 'file of a.csv', _name: 'a.csv', _tipVersion: 1 });
      expect(textOf('a.csv')).toBe('\ufeffb;a\n2;12\nx;"""=y"""\n');
      expect(platform.files.get('file of a.csv')).toMatchObject({ parent: 'reports', tags: ['x'], namespaces: [NS] });
      await run('await csv.write("b.csv", [["a", 1], [null, true, "x"]]); await xlsx.write("b.xlsx", [["a", 1], [null, true, "x"]], { sheet: "S" }); await csv.write("c.csv", [], { columns: ["a"] }); await csv.write("d.csv", []); await xlsx.write("d.xlsx", []);');
      expect([textOf('b.csv'), textOf('c.csv'), textOf('d.csv')]).toEqual(['a,1\n,true,x\n', 'a\n', '']);
      expect([await cellsOf('b.xlsx'), await cellsOf('d.xlsx')]).toEqual([[['a', 1], [null, true, 'x']], []]);
      expect((await XlsxWorkbook.open(platform.files.bytesOf('b.xlsx') as Buffer)).sheets.map(({ name }) => name)).toEqual(['S']);
    });

    it('may be as many as a file of another kind has', async () => {
      await addWorkbook([['key', 'n'], ...Array.from({ length: 3_000 }, (_, n) => [`k${n}`, n])]);
      expect(await run('const rows = async function* () { for await (const row of xlsx.rows("f")) if (row.n % 2 === 0) yield { ...row, half: row.n / 2 }; }; return (await csv.write("half.csv", rows()))._tipId;')).toBe('version of half.csv');
      expect(textOf('half.csv')?.split('\n')).toHaveLength(1_502);
      expect(textOf('half.csv')?.split('\n').slice(0, 3)).toEqual(['key,n,half', 'k0,0,0', 'k2,2,1']);
    });

    it('are uploaded once, also where the answer is lost, and in one piece while they are made where they are large', async () => {
      platform.disturb = ({ name, nth }) => (name === UPLOAD && nth === 1 ? 'lose the answer' : undefined);
      await run('await csv.write("small.csv", [{ a: 1 }]);');
      expect([platform.count(UPLOAD), platform.files.get('file of small.csv')?.versions.size]).toEqual([2, 1]);
      platform.disturb = () => undefined;
      await run('await csv.write("large.csv", (function* () { for (let n = 0; n < 3000; n += 1) yield { n, text: "x".repeat(1000) }; })());');
      expect([platform.count(UPLOAD), platform.files.bytesOf('large.csv')?.length, textOf('large.csv')?.split('\n').length]).toEqual([3, 3_016_897, 3_002]);
    });

    it.each([
      ['throws', 'throw new Error("half way");', 'half way (line 2)'], ['gives a row that is none', 'yield 5;', 'row 5001 is neither an object nor an array (line 3)'],
      ['gives a property that is new', 'yield { n: 1, more: 2 };', 'row 5001 has "more", which none of the first rows has: name the columns with "columns" (line 3)'], ['gives a list among objects', 'yield [1];', 'row 5001 is an array, and the first rows are objects (line 3)'],
    ])('leave no file when whoever makes them %s', async (_what, end, message) => {
      for (const size of [10, 1_000]) {
        await expect(run(`const rows = function* () { for (let n = 0; n < 5000; n += 1) yield { n, text: "x".repeat(${size}) }; ${end} };\nawait csv.write("a.csv", rows());`)).rejects.toThrow(message);
      }
      expect([platform.files.all.size, platform.count(UPLOAD)]).toEqual([0, 0]);
    });

    it('leave no file when their script is cancelled, nor where it does not wait', async () => {
      holdAsked();
      const cancel = new AbortController();
      const step = stepOf(`const rows = async function* () { for (let n = 0; n < 5000; n += 1) yield { n, text: "x".repeat(1000) }; ctx.log("info", "half way"); ${ASKS} };\nawait csv.write("a.csv", rows());`, { signal: cancel.signal });
      const ended = step.run().catch((error: unknown) => error);
      await eventually(() => expect(step.log).toContain('info half way'));
      cancel.abort(new Error('cancelled'));
      expect(await ended).toBeInstanceOf(Error);
      const hasty = stepOf('csv.write("b.csv", Array.from({ length: 20000 }, (_, n) => ({ n })));');
      await hasty.run();
      expect(hasty.log.at(-1)).toContain('1 of its calls had no answer yet');
      expect([platform.files.all.size, platform.count(UPLOAD)]).toEqual([0, 0]);
    });

    it('are refused with what is wrong, and where in the script', async () => {
      const write = (rows: string, options = '{}', kind = 'csv') => run(`await ${kind}.write("a", ${rows}, ${options});`);
      await expect(write('[{ a: 1 }]', '{ delimiter: "ü" }')).rejects.toThrow('delimiter: must be one character of ASCII, and no quote (line 2)');
      await expect(write('[{ a: 1 }]', '{ textColumns: ["b"] }')).rejects.toThrow('textColumns: There is no column "b" (line 2)');
      await expect(write('[[1, 2]]', '{ columns: ["a"] }')).rejects.toThrow('row 1 has 2 cells, and there are 1 columns (line 2)');
      await expect(write('[]', '{ columns: ["a", "a"] }')).rejects.toThrow('Two columns are named "a" (line 2)');
      await expect(write('[{ a: "x".repeat(32768) }]', '{}', 'xlsx')).rejects.toThrow('The text in A2 has 32768 characters, and a cell of a workbook has at most 32767 (line 2)');
      platform.disturb = ({ name }) => (name === UPLOAD ? { status: 403, body: { message: 'not for you', code: 'forbidden' } } : undefined);
      await expect(write('[{ a: 1 }]')).rejects.toMatchObject({ message: 'filesvc: not for you (line 2)' });
    });

    it('have at most 50 MB', async () => {
      await expect(run('const text = "x".repeat(1000000);\nawait csv.write("a.csv", (function* () { for (;;) yield { text }; })());')).rejects.toThrow('"a.csv" has more than 50 MB (line 3)');
      expect(platform.files.all.size).toBe(0);
    });
  });

  it('are read from texts and written to them', async () => {
    expect(await run('return [await csv.parse("a;b\\n1,5;x\\n", { decimalSeparator: "," }), await csv.parse("1,2\\n", { header: false }), await csv.parse("")];')).toEqual([[{ a: 1.5, b: 'x' }], [[1, 2]], []]);
    expect(await run('return [await csv.stringify([{ a: 1 }, { b: "=x" }]), await csv.stringify([["12", 3]], { delimiter: ";" }), await csv.stringify([])];')).toEqual(['a,b\n1,\n,"""=x"""\n', '"""12""";3\n', '']);
    await expect(run('await csv.parse("a\\n\\"x");')).rejects.toThrow('line 2 opens a quote that is not closed (line 2)');
    const wide = 'const wide = Array.from({ length: 2000 }, (_, n) => "column".repeat(20) + n);';
    await expect(run(`${wide}\nawait csv.parse([wide.join(), ...Array.from({ length: 100 }, () => wide.map(() => 1).join())].join("\\n"));`)).rejects.toThrow('The rows have more than 10485760 bytes as JSON: keep the text in a file, and read its rows (line 3)');
    await expect(run(`${wide}\nawait csv.stringify(Array.from({ length: 6000 }, () => ({})), { columns: wide });`)).rejects.toThrow('The text has more than 10 MB (line 3)');
  });

  it('are asked for with the token of the run, in its namespaces, and counted in what it uses', async () => {
    addCsv('a\n1\n');
    const step = stepOf('await csv.write("b.csv", csv.rows("f"));');
    await step.run();
    expect(step.usage.take()).toMatchObject({ requests: platform.calls.length });
    const calls = platform.calls.filter(({ path }) => path.startsWith('/filesvc'));
    expect(calls.map(({ name }) => name)).toEqual(['a file', 'a signed address of a version', CONTENT, UPLOAD]);
    expect(calls.map(({ token, path }) => [token, new URL(path, 'http://x').searchParams.get('nsfilter')])).toEqual([['Bearer token', NS], ['Bearer token', NS], [undefined, null], ['Bearer token', NS]]);
  });
});
