import { type ScriptCall, type ScriptOutcome, ScriptRunner } from '../src';

const QUICK = { timeMs: 400 };
/** For what ends otherwise than by the clock. */
const PATIENT = { timeMs: 20_000, memoryBytes: 16 * 1024 * 1024 };
/** Beyond its own time a script has the grace of its thread; the rest is for a machine that stops for seconds. */
const ENDED_MS = 20_000;

let runner: ScriptRunner;
beforeAll(() => { runner = new ScriptRunner({ threads: 2, queue: 20 }); });
afterAll(() => runner.close());

const run = (source: string, args: readonly unknown[] = [], more: Partial<ScriptCall> = {}) => runner.run({ source, arguments: args, ...more });
const resultOf = async (source: string, ...args: readonly unknown[]) => {
  const outcome = await run(source, args);
  if (outcome.kind !== 'returned') throw new Error(JSON.stringify(outcome));
  return outcome.result;
};
const endOf = async (body: string, limits: Partial<ScriptCall['limits']> = {}): Promise<ScriptOutcome> =>
  run(`export default function () { ${body} }`, [], { limits: { ...PATIENT, ...limits } });

describe('a script', () => {
  it('is a module whose exported function gets copies of JSON and gives JSON', async () => {
    const source = 'const twice = (n) => n * 2; export default ({ n }, [first]) => ({ n: twice(n), first }); export function other() { return [this === undefined, arguments.length]; }';
    expect(await resultOf(source, { n: 21 }, ['a'])).toEqual({ n: 42, first: 'a' });
    expect(await run(source, [1, 2], { entry: 'other' })).toMatchObject({ kind: 'returned', result: [true, 2] });
    expect(await resultOf('export default () => undefined')).toBeUndefined();
    expect(await resultOf('export default (x) => x', { deep: [{ ü: '𝒳', '': null, t: 1e21 }] })).toEqual({ deep: [{ ü: '𝒳', '': null, t: 1e21 }] });
  });

  it('may be asynchronous, also while it loads', async () => {
    expect(await resultOf('const base = await Promise.resolve(40); export default async (n) => { await null; return base + (await n); }', 2)).toBe(42);
    const rejected = await run('export default async () => { throw new TypeError("later"); }');
    expect(rejected).toMatchObject({ kind: 'threw', message: 'The script threw TypeError: later' });
  });

  it('knows nothing of what the last one left behind, in the same thread', async () => {
    const single = new ScriptRunner({ threads: 1 });
    await single.run({ source: 'globalThis.left = 1; Array.prototype.map = () => "mine"; JSON.parse = () => "mine"; export default () => 1' });
    const seen = await single.run({ source: 'export default (list) => [typeof left, list.map((n) => n + 1)]', arguments: [[1]] });
    await single.close();
    expect(seen).toMatchObject({ kind: 'returned', result: ['undefined', [2]] });
  });

  it('writes to a console that is kept, in order and bounded', async () => {
    const { console } = await run('console.log("a", 1, { b: [true] }, null, undefined); console.warn(Symbol("s")); export default () => console.error(new Error("x").message)');
    expect(console).toEqual([{ level: 'info', text: 'a 1 {"b":[true]} null undefined' }, { level: 'warn', text: 'a symbol' }, { level: 'error', text: 'x' }]);
    const flood = await run('export default () => { for (let n = 0; n < 50000; n += 1) console.log("y".repeat(100)); console.log("x".repeat(1e7)); }', [], { limits: { timeMs: PATIENT.timeMs } });
    expect(flood.console.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(20_100);
    expect(flood.console.at(-1)?.text).toMatch(/^\d+ more lines are left out$/);
  });

  it.each([
    ['export default (', 'The script is no module'],
    ['export const a = 1', 'has no function as its default export'],
    ['export default 5', 'has no function as its default export'],
  ])('that is no such module is unusable: %s', async (source, message) => {
    expect(await run(source)).toMatchObject({ kind: 'unusable', message: expect.stringContaining(message) as string });
  });

  it('reaches nothing of the machine', async () => {
    const names = ['process', 'require', 'module', 'fetch', 'XMLHttpRequest', 'WebSocket', 'setTimeout', 'setInterval', 'Buffer', 'WebAssembly', 'Worker', 'std', 'os', 'Deno', 'Bun', 'performance', 'navigator', 'scriptArgs', 'print'];
    expect(await resultOf('export default (names) => names.filter((name) => name in globalThis)', names)).toEqual([]);
    for (const wanted of ['node:fs', 'fs', 'std', 'os', './script-worker.js', 'https://example.com/a.js']) {
      expect((await run(`import ${JSON.stringify(wanted)}; export default () => 1`)).kind).not.toBe('returned');
      expect((await run(`export default () => import(${JSON.stringify(wanted)})`)).kind).toBe('threw');
    }
    expect(await resultOf('export default () => (function () { return this; })?.constructor("return typeof process")()')).toBe('undefined');
  });

  it('cannot change what the host is made of', async () => {
    const before = Object.getOwnPropertyNames(Object.prototype).sort();
    const polluted = await resultOf(`export default (value) => {
      Object.prototype.polluted = 'yes'; value.__proto__.seen = 'yes'; value.constructor.prototype.more = 'yes'; Array.prototype.push = () => 'no';
      return JSON.parse('{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}},"kept":1}');
    }`, { a: 1 }) as Record<string, unknown>;
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before);
    expect(Object.hasOwn(polluted, '__proto__')).toBe(false);
    expect((Object.assign({}, polluted) as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(polluted['kept']).toBe(1);
  });
});

describe('a hostile script', () => {
  it.each([
    ['an endless loop', 'for (;;) {}', 'time'],
    ['an endless loop in a getter of what it throws', 'throw { get message() { for (;;) {} } }', 'time'],
    ['an endless loop that catches its end', 'for (;;) { try { for (;;) {} } catch {} }', 'time'],
    ['an endless regular expression', 'return /^(a+)+$/.test("a".repeat(60) + "!")', 'time'],
    ['endless promises', 'const next = () => { Promise.resolve().then(next); }; next(); return new Promise(() => {})', 'time'],
    ['an endless loop of awaits', 'return (async () => { for (;;) await null; })()', 'time'],
    ['an endless sort', 'return [3, 2, 1].sort(() => { for (;;) {} })', 'time'],
    ['a memory bomb', 'const all = []; for (;;) all.push({ a: 1, b: 2 })', 'memory'],
    ['many buffers', 'const all = []; for (;;) all.push(new ArrayBuffer(2 ** 20))', 'memory'],
    ['an endless string', 'let text = "x"; for (;;) text += text + "y"', 'memory'],
    ['a memory bomb that catches its end', 'const all = []; for (;;) { try { for (;;) all.push(new Uint8Array(2 ** 16)); } catch {} }', 'time'],
    ['an endless chain of promises, each waiting for the next', 'const next = () => Promise.resolve().then(next); return next()', 'memory'],
    ['one huge allocation', 'return new Uint8Array(2 ** 31 - 1).length', 'memory'],
    ['a deep recursion', 'const down = (n) => down(n + 1) + 1; return down(0)', 'stack'],
    ['a huge result', 'return "x".repeat(5e6)', 'output'],
    ['a result of many bytes in few characters', 'return "€".repeat(4e5)', 'output'],
  ])('%s is stopped', async (_, body, limit) => {
    const started = Date.now();
    expect(await endOf(body, { outputBytes: 1_000_000, ...(limit === 'time' && QUICK) })).toMatchObject({ kind: 'stopped', limit });
    if (limit === 'time') expect(Date.now() - started).toBeLessThan(ENDED_MS);
  });

  it('is stopped while it loads, too', async () => {
    expect(await run('for (;;) {} export default () => 1', [], { limits: QUICK })).toMatchObject({ kind: 'stopped', limit: 'time' });
  });

  it('that waits for ever is told so at once', async () => {
    expect(await endOf('return new Promise(() => {})', { timeMs: 60_000 })).toMatchObject({ kind: 'threw', message: expect.stringContaining('never settled') as string });
  });

  it.each([
    ['null', 'The script threw null'],
    ['undefined', 'The script threw undefined'],
    ['5n', 'The script threw 5'],
    ['Symbol("x")', 'The script threw a symbol'],
    ['"text"', 'The script threw: text'],
    ['{}', 'The script threw an object without a message'],
    ['new Proxy({}, { get() { throw 1; } })', 'The script threw an object without a message'],
    ['{ name: { toString() { throw 2; } }, message: "m" }', 'The script threw Error: m'],
    ['new Error("x".repeat(1e6))', `The script threw Error: ${'x'.repeat(1_000)}`],
  ])('that throws %s is told what it threw', async (value, message) => {
    expect(await endOf(`throw ${value}`)).toMatchObject({ kind: 'threw', message });
  });

  it.each(['return { toJSON() { throw new Error("no"); } }', 'const o = {}; o.o = o; return o', 'return 5n'])('whose result is no JSON is told so: %s', async (body) => {
    expect((await endOf(body)).kind).toBe('threw');
  });

  it('does not keep others from running, nor from running after it', async () => {
    const bad = Array.from({ length: 4 }, () => endOf('for (;;) {}', QUICK));
    const good = await Promise.all(Array.from({ length: 6 }, (_, n) => resultOf('export default (n) => n + 1', n)));
    expect(good).toEqual([1, 2, 3, 4, 5, 6]);
    expect((await Promise.all(bad)).map(({ kind }) => kind)).toEqual(['stopped', 'stopped', 'stopped', 'stopped']);
  });
});

it('refuses what would wait in a queue that is full, and everything once it is closed', async () => {
  const narrow = new ScriptRunner({ threads: 1, queue: 1 });
  const source = 'export default () => 1';
  const [first, second, third] = await Promise.allSettled([narrow.run({ source }), narrow.run({ source }), narrow.run({ source })]);
  expect([first.status, second.status]).toEqual(['fulfilled', 'fulfilled']);
  expect(third).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
  await narrow.close();
  await expect(narrow.run({ source })).rejects.toMatchObject({ code: 'unavailable' });
});

it('refuses what waits when it is closed, and starts nothing for it', async () => {
  const single = new ScriptRunner({ threads: 1 });
  const running = single.run({ source: 'export default () => { for (;;) {} }', limits: { timeMs: 60_000 } });
  const waiting = single.run({ source: 'export default () => 1' }).catch((error: unknown) => error);
  await single.close();
  expect(await running).toMatchObject({ kind: 'stopped' });
  expect(await waiting).toMatchObject({ code: 'unavailable' });
});

it('takes in no more than so many bytes, and says which limit that is', async () => {
  const runner = new ScriptRunner();
  const call = { source: 'export default (text) => text.length', arguments: ['x'.repeat(1_000)] };
  expect(await runner.run({ ...call, limits: { inputBytes: 1_000 } })).toEqual({ kind: 'stopped', limit: 'input', message: 'The script and what it is given have more than 1000 bytes', console: [] });
  expect(await runner.run(call)).toMatchObject({ kind: 'returned', result: 1_000 });
  await runner.close();
});

it('does not have one owner keep others from a thread, nor fill the queue', async () => {
  const single = new ScriptRunner({ threads: 1, queue: 10, queuePerOwner: 3 });
  const order: string[] = [];
  const runOf = (...owners: string[]) =>
    single.run({ source: 'export default () => 1', owners }).then(() => order.push(owners.join()), (error: Error) => { throw error; });
  const greedy = Array.from({ length: 5 }, () => runOf('greedy'));
  const other = runOf('other');
  const both = runOf('greedy', 'third');
  const ended = await Promise.allSettled([...greedy, other, both]);
  await single.close();
  expect(ended.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, true, false, true, false]);
  expect(ended[4]).toMatchObject({ reason: { code: 'unavailable', message: expect.stringContaining('of this organization') as string } });
  expect(order).toHaveLength(5);
});
