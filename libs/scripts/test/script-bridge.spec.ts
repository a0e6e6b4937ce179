import { setTimeout as later } from 'node:timers/promises';
import { eventually } from '@twinyard/testing';
import { type ScriptBridge, type ScriptCall, ScriptRunner } from '../src';

/** The script gets `ask` itself, a signal of sorts, and the arguments of its call. */
const PRELUDE = `export default (ask, whenAborted, args) => {
  const signal = { aborted: false };
  whenAborted(() => { signal.aborted = true; });
  return [ask, signal, ...args];
};`;
/** A promise that is resolved from outside. */
function promised() {
  let resolve: (value: unknown) => void = () => undefined;
  const promise = new Promise<unknown>((done) => { resolve = done; });
  return { promise, resolve };
}
const refused = (status: number, code: string) => Object.assign(new Error('not for you'), { status, code });

describe('a script that may ask', () => {
  let runner: ScriptRunner;
  let asked: [name: string, input: unknown][];
  let answer: ScriptBridge['answer'];
  beforeAll(() => { runner = new ScriptRunner({ threads: 2 }); });
  afterAll(() => runner.close());
  beforeEach(() => {
    asked = [];
    answer = async (_name, input) => input;
  });

  const bridge: ScriptBridge = {
    prelude: PRELUDE,
    answer: (name, input, terms) => {
      asked.push([name, input]);
      return answer(name, input, terms);
    },
  };
  const run = (body: string, more: Partial<ScriptCall> = {}) => runner.run({ source: `export default async (ask, signal, ...args) => { ${body} }`, bridge, ...more });

  it('tells at its end how long it kept a processor busy, also one that had to be stopped; waiting is none of it', async () => {
    const told: number[] = [];
    const onBusy = (ms: number) => void told.push(ms);
    answer = () => later(300);
    const began = performance.now();
    await run('await ask("wait");', { onBusy });
    const took = performance.now() - began;
    expect((await run('for (;;);', { onBusy, limits: { timeMs: 300 } })).kind).toBe('stopped');
    expect(told).toHaveLength(2);
    expect(took - (told[0] ?? 0)).toBeGreaterThan(150);
    expect(told[1]).toBeGreaterThan(250);
  });

  it('waits for its answers, in any order, and goes on with them', async () => {
    const first = promised();
    answer = async (name) => (name === 'slow' ? first.promise : (first.resolve('slow one'), { quick: [1, null] }));
    const outcome = await run('const slow = ask("slow", { n: args[0] }); const quick = await ask("quick"); return [await slow, quick, await Promise.all([])];', { arguments: [7] });
    expect(outcome).toMatchObject({ kind: 'returned', result: ['slow one', { quick: [1, null] }, []] });
    expect(asked).toEqual([['slow', { n: 7 }], ['quick', null]]);
  });

  it('is given nothing where there is no answer', async () => {
    answer = async () => undefined;
    expect(await run('return [typeof await ask("x")]')).toMatchObject({ result: ['undefined'] });
  });

  it('has what it is refused thrown, with status and code, and hears nothing of errors that are not meant for it', async () => {
    answer = async (name) => { throw name === 'told' ? refused(403, 'forbidden') : new Error('the password is xyz'); };
    const caught = 'try { await ask(args[0]); } catch (error) { return [error instanceof Error, error.message, error.status, error.code]; }';
    expect(await run(caught, { arguments: ['told'] })).toMatchObject({ result: [true, 'not for you', 403, 'forbidden'] });
    expect(await run(caught, { arguments: ['untold'] })).toMatchObject({ result: [true, 'The call failed because of an internal error', null, null] });
    expect(await run('await ask("told")')).toMatchObject({ kind: 'threw', message: 'The script threw Error: not for you' });
  });

  it('asks thousands of times in its bounds of memory, some at a time', async () => {
    const outcome = await run(`
      let sum = 0;
      for (let round = 0; round < 500; round += 1) for (const n of await Promise.all([1, 2, 3, 4].map((n) => ask('n', { n, text: 'x'.repeat(10000) })))) sum += n.n;
      return sum;`, { limits: { memoryBytes: 16 * 1024 * 1024, timeMs: 60_000 } });
    expect(outcome).toMatchObject({ kind: 'returned', result: 5_000 });
    expect(asked).toHaveLength(2_000);
  });

  it('is refused too many questions at once, and too large ones, in either direction', async () => {
    answer = async (name) => (name === 'much' ? 'x'.repeat(2_000) : later(5, 1));
    const limits = { openQuestions: 3, questionBytes: 1_000 };
    const codes = 'const ends = await Promise.allSettled(wanted()); return ends.map(({ status, reason }) => reason?.code ?? status);';
    expect(await run(`const wanted = () => [1, 2, 3, 4].map(() => ask('n')); ${codes}`, { limits })).toMatchObject({ result: ['fulfilled', 'fulfilled', 'fulfilled', 'too_many_calls'] });
    expect(await run(`const wanted = () => [ask('n', 'x'.repeat(1000)), ask('much')]; ${codes}`, { limits })).toMatchObject({ result: ['too_large', 'too_large'] });
  });

  it('is refused what its getters ask beyond that, and what is asked in no words', async () => {
    answer = async () => later(5, 1);
    const asking = `const asking = { toJSON() { inner.push(ask('inner')); return 1; } }; const inner = [];
      const outer = Array.from({ length: 4 }, () => ask('outer', asking)); const ends = await Promise.allSettled([...outer, ...inner]);
      return ends.filter(({ status }) => status === 'fulfilled').length;`;
    expect(await run(asking, { limits: { openQuestions: 3 } })).toMatchObject({ kind: 'returned', result: 3 });
    expect(asked).toHaveLength(3);
    const codes = 'return (await Promise.allSettled([ask(), ask({ toString: () => "x" }), ask("x".repeat(1e6)), ask(5, 5)])).map(({ reason }) => reason?.code);';
    expect(await run(codes)).toMatchObject({ result: ['invalid', 'invalid', 'invalid', 'invalid'] });
    expect(await run('const o = {}; o.o = o; try { ask("x", o); } catch (error) { return error.name; }')).toMatchObject({ result: 'TypeError' });
  });

  it('gets many large answers, one after the other', async () => {
    answer = async () => 'x'.repeat(5_000_000);
    const lengths = 'return (await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((n) => ask("n", n).then((text) => text.length)))).reduce((sum, length) => sum + length);';
    expect(await run(lengths, { limits: { questionBytes: 6_000_000, memoryBytes: 128 * 1024 * 1024, timeMs: 60_000 } })).toMatchObject({ kind: 'returned', result: 40_000_000 });
  });

  it('has no more questions in hand than one of the largest weighs: the others wait, in its own memory', async () => {
    let [inHand, most] = [0, 0];
    answer = async () => {
      [inHand, most] = [inHand + 1, Math.max(most, inHand + 1)];
      await later(5);
      inHand -= 1;
      return 1;
    };
    const limits = { questionBytes: 1_000 };
    const all = (bytes: number) => `return (await Promise.all([1, 2, 3, 4].map(() => ask("n", "x".repeat(${bytes}))))).length;`;
    expect(await run(all(600), { limits })).toMatchObject({ kind: 'returned', result: 4 });
    expect(most).toBe(1);
    const together = promised();
    asked = [];
    answer = async () => {
      if (asked.length === 4) together.resolve(1);
      return together.promise;
    };
    expect(await run(all(200), { limits })).toMatchObject({ kind: 'returned', result: 4 });
    // Those that wait are refused with the others.
    answer = () => new Promise(() => undefined);
    const cancel = new AbortController();
    asked = [];
    const codes = run('return (await Promise.allSettled([1, 2, 3].map(() => ask("n", "x".repeat(600))))).map(({ reason }) => reason?.code);', { limits, signal: cancel.signal });
    await eventually(() => expect(asked).toHaveLength(1));
    cancel.abort();
    expect(await codes).toMatchObject({ kind: 'returned', result: ['cancelled', 'cancelled', 'cancelled'] });
  });

  it('has one of the largest answers in hand at most, whatever it asks and however long it does not look', async () => {
    let [inHand, most] = [0, 0];
    answer = async (_name, _input, { takeRoom }) => {
      await takeRoom(1_000_000);
      [inHand, most] = [inHand + 1, Math.max(most, inHand + 1)];
      await later(20);
      inHand -= 1;
      return 'x'.repeat(900_000);
    };
    const busy = 'const all = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => ask("n", n)); const until = Date.now() + 500; while (Date.now() < until); return (await Promise.all(all)).length;';
    expect(await run(busy, { limits: { questionBytes: 1_000_000, timeMs: 60_000 } })).toMatchObject({ kind: 'returned', result: 8 });
    expect(most).toBe(1);
    // What fails gives its room back.
    answer = async (name, _input, { takeRoom }) => {
      await takeRoom(1_000_000);
      if (name === 'fails') throw new Error('x');
      return 1;
    };
    expect(await run('await Promise.allSettled([1, 2, 3, 4].map(() => ask("fails"))); return (await Promise.all([1, 2, 3].map(() => ask("n")))).length;', { limits: { questionBytes: 1_000_000 } })).toMatchObject({ result: 3 });
  });

  it('is answered at a pace when it asks without end, and can be cancelled meanwhile', async () => {
    const cancel = new AbortController();
    const running = run('for (;;) await ask("x")', { signal: cancel.signal, limits: { timeMs: 600_000 } });
    await eventually(() => expect(asked.length).toBeGreaterThanOrEqual(1_000));
    const [before, since] = [asked.length, performance.now()];
    await later(1_000);
    // Twice as fast as it may be, and what a machine that stood still had saved up: without a pace it is many thousands.
    expect(asked.length - before).toBeLessThan(1_000 + performance.now() - since);
    cancel.abort();
    expect((await running).kind).toBe('cancelled');
  });

  it('is not on the clock while it waits, and is again when it goes on', async () => {
    answer = async () => later(1_500, 'late');
    expect(await run('return await ask("x")', { limits: { timeMs: 300 } })).toMatchObject({ kind: 'returned', result: 'late' });
    expect(await run('await ask("x"); for (;;) {}', { limits: { timeMs: 300 } })).toMatchObject({ kind: 'stopped', limit: 'time' });
    answer = () => new Promise(() => undefined);
    expect(await run('ask("x"); for (;;) {}', { limits: { timeMs: 300 } })).toMatchObject({ kind: 'stopped', limit: 'time' });
    // What the engine does not interrupt is ended with its thread.
    answer = async () => 1;
    expect(await run('await ask("x"); return /^(a+)+$/.test("a".repeat(60) + "!")', { limits: { timeMs: 300 } })).toMatchObject({ kind: 'stopped', limit: 'time' });
  });

  it('is on the clock in what it has done with an answer before it sees it', async () => {
    const loops = 'Object.defineProperty(Object.prototype, "then", { get() { for (;;) {} }, configurable: true }); await ask("x", {});';
    expect(await run(loops, { limits: { timeMs: 300 } })).toMatchObject({ kind: 'stopped', limit: 'time' });
  });

  it('that only waits for what nobody answers is told so, where it has not asked', async () => {
    expect(await run('await ask("x"); await new Promise(() => {})')).toMatchObject({ kind: 'threw', message: expect.stringContaining('never settled') as string });
  });

  it.each([
    ['waits', 'await ask("x")', 'cancelled'],
    ['loops', 'for (;;) {}', 'cancelled'],
    ['waits, and catches what that throws', 'for (;;) try { await ask("x"); } catch {}', 'cancelled'],
    ['tidies up when it hears of it', 'try { await ask("x"); } catch (error) { return [error.code, signal.aborted]; }', 'returned'],
    ['asks again when it hears of it', 'try { await ask("x"); } catch { try { await ask("y"); } catch (error) { return [error.code, signal.aborted]; } }', 'returned'],
  ])('is cancelled within a second while it %s', async (_what, body, kind) => {
    answer = () => new Promise(() => undefined);
    const cancel = new AbortController();
    const running = run(body, { signal: cancel.signal, limits: { timeMs: 60_000 } });
    if (body !== 'for (;;) {}') await eventually(() => expect(asked).not.toEqual([]));
    cancel.abort();
    const outcome = await running;
    expect(outcome.kind).toBe(kind);
    if (kind === 'returned') expect(outcome).toMatchObject({ result: ['cancelled', true] });
  });

  it('is cancelled before it has begun, and leaves its place to others', async () => {
    const single = new ScriptRunner({ threads: 1 });
    const endless = new AbortController();
    const first = single.run({ source: 'export default () => { for (;;) {} }', signal: endless.signal, limits: { timeMs: 60_000 } });
    const cancel = new AbortController();
    const second = single.run({ source: 'export default () => 2', signal: cancel.signal });
    const third = single.run({ source: 'export default () => 3' });
    cancel.abort();
    expect(await second).toMatchObject({ kind: 'cancelled' });
    endless.abort();
    expect(await first).toMatchObject({ kind: 'cancelled' });
    expect(await third).toMatchObject({ kind: 'returned', result: 3 });
    await single.close();
  });

  it('has what is done for it ended once it has ended, and meets no answer of the script before it', async () => {
    const single = new ScriptRunner({ threads: 1 });
    const late = promised();
    let isEnded = false;
    answer = (name, _input, { signal }) => {
      signal.addEventListener('abort', () => { isEnded = true; });
      return name === 'late' ? late.promise : Promise.resolve('mine');
    };
    await single.run({ source: 'export default (ask) => { ask("late"); return 1; }', bridge });
    expect(isEnded).toBe(true);
    const second = single.run({ source: 'export default async (ask) => [await ask("own"), await ask("own")]', bridge });
    late.resolve('of the script before');
    expect(await second).toMatchObject({ result: ['mine', 'mine'] });
    await single.close();
  });
});
