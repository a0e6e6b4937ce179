import { readFileSync } from 'node:fs';
import { EngineMemory } from '../src/engine/engine-memory';
import { type ScriptBridge, type ScriptCall, type ScriptOutcome, ScriptRunner } from '../src';

const PRELUDE = 'import { twice } from "./twice.mjs"; export default (ask, whenAborted, args) => [{ ask, twice }, ...args];';

describe('a script in an engine that others had before', () => {
  let runner: ScriptRunner;
  /** One thread: each script follows the one before in its engine. */
  beforeAll(() => { runner = new ScriptRunner({ threads: 1 }); });
  afterAll(() => runner.close());

  const bridge: ScriptBridge = {
    prelude: PRELUDE, modules: { './twice.mjs': 'export const twice = (value) => value * 2; export const seen = [];' },
    answer: async (_name, input) => input,
  };
  const run = (body: string, more: Partial<ScriptCall> = {}): Promise<ScriptOutcome> => runner.run({ source: `export default async (libraries) => { ${body} }`, bridge, ...more });
  const resultOf = async (body: string, more?: Partial<ScriptCall>) => {
    const outcome = await run(body, more);
    return outcome.kind === 'returned' ? outcome.result : outcome;
  };

  it('finds nothing of what they have left, changed or taken away', async () => {
    const LOOK = `return [typeof left, [].left, Math.random.left, JSON.stringify({ a: 1 }), typeof console.log, libraries.twice(2), Object.isFrozen(Array.prototype),
      await libraries.ask("echo", { n: 1 }), [..."ab"].map((one) => one).join("-"), typeof Promise, "x".repeat(3)];`;
    const before = await resultOf(LOOK);
    await run(`globalThis.left = 1; Array.prototype.left = 1; Math.random.left = 1; Math.random = () => 4; JSON.stringify = () => "mine"; JSON.parse = () => "mine"; delete console.log;
      libraries.twice = () => 5; Object.freeze(Array.prototype); Array.prototype.map = () => []; Array.prototype[Symbol.iterator] = function* () {}; globalThis.Promise = 1; String.prototype.repeat = () => "";
      Object.prototype.then = undefined; Object.defineProperty(Object.prototype, "0", { get: () => 7 });`);
    expect(await resultOf(LOOK)).toEqual(before);
    expect(before).toEqual(['undefined', null, null, '{"a":1}', 'function', 4, false, { n: 1 }, 'a-b', 'function', 'xxx']);
  });

  it('is not woken by what they have begun and not waited for', async () => {
    const left = await run('let n = 0; const more = () => { console.log("left"); if ((n += 1) < 10_000) Promise.resolve().then(more); }; more(); throw new Error("left");');
    expect(left).toMatchObject({ kind: 'threw', said: 'left' });
    expect(left.console.length).toBeLessThan(10_000);
    const { console: lines } = await run('libraries.ask("never", {}).then(() => console.log("late")); console.log("first");');
    expect(lines.map(({ text }) => text)).toEqual(['first']);
    const outcome = await run('await null; await null; console.log("second");');
    expect(outcome.console.map(({ text }) => text)).toEqual(['second']);
  });

  it('has modules of its own under the names that theirs had', async () => {
    const version = (n: number) => ({ modules: { 'script:units': `export const version = ${n};` } });
    const VERSION = 'const { version } = await import("script:units"); return version;';
    for (const n of [1, 2, 3]) expect(await resultOf(VERSION, version(n))).toBe(n);
    expect(await run(VERSION)).toMatchObject({ kind: 'threw', said: expect.stringContaining('There is no module "script:units"') });
  });

  it('has random numbers of its own, as they should be', async () => {
    const THOUSAND = 'return Array.from({ length: 1000 }, () => Math.random());';
    const [one, other] = [await resultOf(THOUSAND), await resultOf(THOUSAND)] as [number[], number[]];
    expect(new Set([...one, ...other]).size).toBe(2_000);
    for (const numbers of [one, other]) {
      expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
      // Ten standard deviations of the mean of a thousand.
      expect(Math.abs(numbers.reduce((sum, number) => sum + number, 0) / 1_000 - 0.5)).toBeLessThan(0.1);
    }
    expect(await resultOf('return Object.keys(Math).length;')).toBe(0);
  });

  it('has one all the same where theirs broke, or was of another kind', async () => {
    expect(await run('const deep = (n) => deep(n + 1) + 1; return deep(0);')).toMatchObject({ kind: 'stopped', limit: 'stack' });
    expect(await resultOf('return 1;')).toBe(1);
    expect(await resultOf('return new Uint8Array(40_000_000).length;', { limits: { memoryBytes: 50_000_000 } })).toBe(40_000_000);
    expect(await run('return new Uint8Array(40_000_000).length;', { limits: { memoryBytes: 20_000_000 } })).toMatchObject({ kind: 'stopped', limit: 'memory' });
    expect(await runner.run({ source: 'export default (value) => value', arguments: [2] })).toMatchObject({ kind: 'returned', result: 2 });
    expect(await resultOf('return libraries.twice(4);')).toBe(8);
    expect(await resultOf('return libraries.own;', { bridge: { ...bridge, prelude: 'export default () => [{ own: "another prelude" }];' } })).toBe('another prelude');
    expect(await resultOf('return 1;', { bridge: { ...bridge, prelude: 'throw new Error("broken prelude");' } })).toMatchObject({ kind: 'threw', said: 'broken prelude' });
  });
});

it('the memory of an engine is put back byte by byte, whatever was written to it, unless it has grown', () => {
  const memory = new EngineMemory(50_000_000);
  const bytes = () => new Uint8Array(memory.memory.buffer);
  bytes().set([1, 2, 3], 100_000);
  const image = memory.image();
  expect([...image.keys()]).toEqual([1]);
  const before = Buffer.from(bytes());
  bytes().fill(7, 50_000, 3_000_000);
  bytes().set([9], bytes().byteLength - 1);
  expect(memory.putBack(image)).toBe(true);
  expect(Buffer.compare(bytes(), before)).toBe(0);
  memory.memory.grow(1);
  expect(memory.putBack(image)).toBe(false);
});

/** WebAssembly 1.0, 5.5.2 and 5.5.9: sections with their sizes as LEB128; a global is a type, whether it changes, and its first value. */
it('the engine has no state beside its memory but the stack pointer', () => {
  const code = readFileSync(require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'));
  let at = 8;
  const number = () => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = code[at++] as number;
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  };
  const globals: { readonly type: number; readonly changes: number }[] = [];
  while (at < code.length) {
    const [section, size] = [code[at++], number()];
    const end = at + size;
    for (let left = section === 6 ? number() : 0; left > 0; left -= 1) {
      globals.push({ type: code[at++] as number, changes: code[at++] as number });
      at = code.indexOf(0x0b, at) + 1;
    }
    at = end;
  }
  expect(globals).toEqual([{ type: 0x7f, changes: 1 }]);
});
