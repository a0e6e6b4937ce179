import { type ScriptBridge, type ScriptCall, ScriptRunner, syntaxFaultOf } from '../src';

describe('a script with modules', () => {
  let runner: ScriptRunner;
  beforeAll(() => { runner = new ScriptRunner({ threads: 1 }); });
  afterAll(() => runner.close());

  const modules = { 'script:units': 'import { factor } from "script:factors"; export const toKelvin = (c) => c + factor;', 'script:factors': 'export const factor = 273.15;', 'script:bad': '\n\nthrow new Error("in a module");' };
  const run = (source: string, more: Partial<ScriptCall> = {}) => runner.run({ source, modules, ...more });

  it('imports those that it was given, and what they import', async () => {
    expect(await run('import { toKelvin } from "script:units"; export default () => toKelvin(0);')).toMatchObject({ result: 273.15 });
    expect(await run('export default async () => (await import("script:factors")).factor;')).toMatchObject({ result: 273.15 });
  });

  it('is the one that its modules import back', async () => {
    const call = { name: 'script:main', modules: { 'script:back': 'import { state } from "script:main"; export const read = () => state.n;' } };
    const source = 'import { read } from "script:back"; export const state = { n: 0 }; export default () => { state.n = 5; return read(); };';
    expect(await run(source, call)).toMatchObject({ kind: 'returned', result: 5 });
  });

  it('is told of one that it was not given', async () => {
    expect(await run('import "script:other"; export default () => 1;')).toMatchObject({ message: expect.stringContaining('There is no module "script:other"') as string });
    for (const name of ['toString', '__proto__', 'script.js', '']) expect((await run(`import ${JSON.stringify(name)}; export default () => 1;`, { name: 'script:main' })).kind).not.toBe('returned');
  });

  it('gets hold of nothing that its prelude is made of', async () => {
    const bridge: ScriptBridge = {
      prelude: 'import { two } from "./two"; export default (ask, whenAborted, args) => [...args, two];', modules: { './two': 'export const two = 2;' }, answer: async () => null,
    };
    expect(await run('export default (...args) => args', { bridge, arguments: [1] })).toMatchObject({ result: [1, 2] });
    for (const name of ['prelude.js', './two']) {
      expect(await run(`import * as all from ${JSON.stringify(name)}; export default () => Object.keys(all);`, { bridge })).toMatchObject({ message: expect.stringContaining(`There is no module ${JSON.stringify(name)}`) as string });
      expect((await run(`export default async () => Object.keys(await import(${JSON.stringify(name)}))`, { bridge })).kind).toBe('threw');
    }
  });

  it('says where it threw, in its own lines, and what in its own words', async () => {
    expect(await run('const inner = () => {\n  throw new TypeError("x");\n};\nexport default () => inner();')).toMatchObject({ kind: 'threw', said: 'TypeError: x', at: { line: 2 } });
    expect(await run('import "script:bad"; export default () => 1;')).toMatchObject({ kind: 'threw', said: 'in a module', at: { module: 'script:bad', line: 3 } });
    expect(await run('export default () => {\n  const = 1;\n}')).toMatchObject({ kind: 'unusable', said: expect.stringMatching(/./) as string, at: { line: 2 } });
    expect(await run('export default () => { throw "text"; }')).toMatchObject({ message: 'The script threw: text', said: 'text' });
    expect(await run('export default () => { throw null; }')).toMatchObject({ message: 'The script threw null', said: 'The script threw null' });
  });

  it.each(['script:main', 'script:my units (2)', 'script:a:1:2'])('says so when it is called %s', async (name) => {
    expect(await run('\n\nexport default () => {\n  throw new Error("here");\n};', { name })).toMatchObject({ at: { line: 4 } });
    const imported = { [name]: '\nthrow new Error("there");' };
    expect(await run(`import ${JSON.stringify(name)}; export default () => 1;`, { modules: imported })).toMatchObject({ at: { module: name, line: 2 } });
  });

  it('can be read without being run', async () => {
    const parse = (source: string, more: Partial<ScriptCall> = {}) => run(source, { parseOnly: true, ...more });
    expect(await parse('import "script:bad"; throw new Error("never"); for (;;) {}')).toMatchObject({ kind: 'returned' });
    expect(await parse('export default () => {\n  const = 1;\n}', { name: 'script:main' })).toMatchObject({ kind: 'unusable', at: { line: 2, column: expect.any(Number) as number } });
    expect(await parse('import "script:broken";', { modules: { 'script:broken': '\nexport const a = ;' } })).toMatchObject({ kind: 'unusable', at: { module: 'script:broken', line: 2 } });
    const faultOf = async (source: string) => syntaxFaultOf(await parse(source, { modules: {} }));
    for (const source of ['import { x } from "script:elsewhere"; x();', 'export * from "script:elsewhere"; await import("more");']) {
      expect([await faultOf(source), await faultOf(`${source}\nconst = 1;`)]).toEqual([undefined, expect.stringMatching(/^does not parse: .+ \(line 2, column \d+\)$/)]);
    }
  });
});

describe('what a script writes', () => {
  it('is heard as it comes, and kept of one that is stopped or cancelled', async () => {
    const runner = new ScriptRunner({ threads: 1 });
    const cancel = new AbortController();
    const heard: string[] = [];
    const source = 'export default () => { console.debug("first"); console.error("second"); for (;;) {} }';
    const outcome = await runner.run({
      source, signal: cancel.signal, limits: { timeMs: 60_000 },
      onLine: ({ level, text }) => {
        heard.push(`${level} ${text}`);
        if (heard.length === 2) cancel.abort();
      },
    });
    expect(outcome).toMatchObject({ kind: 'cancelled', console: [{ level: 'debug', text: 'first' }, { level: 'error', text: 'second' }] });
    expect(heard).toEqual(['debug first', 'error second']);
    expect(await runner.run({ source, limits: { timeMs: 200 } })).toMatchObject({ kind: 'stopped', limit: 'time', console: [{ text: 'first' }, { text: 'second' }] });
    await runner.close();
  });

  it('is bounded also where its lines are empty', async () => {
    const runner = new ScriptRunner({ threads: 1 });
    const { console } = await runner.run({ source: 'export default () => { for (let n = 0; n < 5000; n += 1) console.log(""); }', limits: { consoleCharacters: 1_000 } });
    expect(console).toHaveLength(11);
    expect(console.at(-1)).toEqual({ level: 'warn', text: '4990 more lines are left out' });
    await runner.close();
  });
});
