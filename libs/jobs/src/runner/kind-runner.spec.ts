import { createLogger, type Logger, type Tx, type UnitOfWork } from '@twinyard/service-kit';
import { z } from 'zod';
import { GiveUp } from '../held-job';
import { job } from '../job';
import type { Claimed, ClaimedJob, Hold, JobStore, Requeue } from '../store/job-store';
import { Hands } from './hands';
import { KindRunner } from './kind-runner';

const NOTE = job('test.note', { schema: z.object({}), leaseMs: 10_000, longestMs: 60_000, retry: { attempts: 3, firstMs: 1, longestMs: 1 }, concurrency: 2 });
const NOTHING: Claimed = { jobs: [], isMore: false, notEnded: [] };

const claimed = (namespace: string): ClaimedJob => ({ id: namespace, token: 1, namespace, payload: {}, attempt: 1, ageMs: 0, unread: 0 });

/** On a store that answers these claims, and then that there is nothing; what it has given out ends well. */
function runnerOn(...answers: Claimed[]) {
  const claim = jest.fn<Promise<Claimed>, Parameters<JobStore['claim']>>(() => Promise.resolve(answers.shift() ?? NOTHING));
  const metrics = { finished: () => undefined, failed: () => undefined, worked: () => undefined };
  const parts = { store: { claim, finish: () => Promise.resolve(true) } as unknown as JobStore, unitOfWork: {} as UnitOfWork<Tx>, logger: createLogger('test', 'silent'), graceMs: 1, hands: new Hands(), metrics };
  return { claim, parts, runner: new KindRunner(NOTE, { run: () => Promise.resolve() }, parts) };
}

describe('the runner of a kind', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('looks once a second, and not without a pause, while others hold back what is due', async () => {
    const { claim, runner } = runnerOn(...Array.from({ length: 9 }, () => ({ jobs: [], isMore: true, notEnded: [] })));
    runner.wake();
    await jest.advanceTimersByTimeAsync(990);
    expect(claim).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(claim).toHaveBeenCalledTimes(4);
    await runner.stop();
  });

  it('takes no more than the process has hands, and goes on when another kind gives one back', async () => {
    const { claim, parts } = runnerOn({ jobs: [claimed('a')], isMore: true, notEnded: [] });
    const hands = new Hands(2);
    hands.take(1, 0);
    let end = (): void => undefined;
    const runner = new KindRunner(NOTE, { run: () => new Promise<void>((resolve) => (end = resolve)) }, { ...parts, hands });
    runner.wake();
    await jest.advanceTimersByTimeAsync(900);
    const slots = () => claim.mock.calls.map(([terms]) => terms.slots);
    expect(slots()).toEqual([1]);
    hands.give(1);
    await jest.advanceTimersByTimeAsync(10);
    expect(slots()).toEqual([1, 1]);
    end();
    await runner.stop();
  });

  it('begins the next claim behind the namespace whose turn was the last', async () => {
    const { claim, runner } = runnerOn({ jobs: [claimed('b'), claimed('a')], isMore: true, notEnded: [] });
    runner.wake();
    await jest.advanceTimersByTimeAsync(10);
    expect(claim.mock.calls.map(([{ after }]) => after).slice(0, 2)).toEqual(['', 'a']);
    await runner.stop();
  });

  it('waits for an attempt that has ended its job, and does not stop it, when the key comes again', async () => {
    const { parts } = runnerOn({ jobs: [claimed('a')], isMore: false, notEnded: [] }, { jobs: [{ ...claimed('a'), token: 2 }], isMore: false, notEnded: [] });
    const reasons: unknown[] = [];
    let begun = 0;
    let leave = (): void => undefined;
    const runner = new KindRunner(NOTE, {
      run: async (held) => {
        begun += 1;
        held.signal.addEventListener('abort', () => reasons.push(held.signal.reason));
        await held.finish({} as Tx);
        if (begun === 1) await new Promise<void>((resolve) => (leave = resolve));
      },
    }, parts);
    for (let n = 0; n < 2; n += 1) {
      runner.wake();
      await jest.advanceTimersByTimeAsync(10);
    }
    expect([begun, reasons]).toEqual([1, []]);
    leave();
    await jest.advanceTimersByTimeAsync(10);
    expect([begun, reasons]).toEqual([2, []]);
    await runner.stop();
  });

  it('keeps the lease of what is done until its end is confirmed: some transaction may have the job in hand', async () => {
    const { claim, parts } = runnerOn();
    const renewed: string[][] = [];
    const store = { ...parts.store, renew: (holds: readonly { readonly id: string }[]) => Promise.resolve((renewed.push(holds.map(({ id }) => id)), new Set<string>())) } as unknown as JobStore;
    claim.mockResolvedValueOnce({ jobs: [claimed('a')], isMore: false, notEnded: [] });
    claim.mockResolvedValueOnce({ ...NOTHING, notEnded: ['a'] }).mockResolvedValueOnce({ ...NOTHING, notEnded: ['a'] });
    const runner = new KindRunner({ ...NOTE, leaseMs: 300 }, { run: () => Promise.resolve() }, { ...parts, store });
    runner.wake();
    await jest.advanceTimersByTimeAsync(1_500);
    expect([renewed.length > 9, new Set(renewed.flat())]).toEqual([true, new Set(['a'])]);
    await jest.advanceTimersByTimeAsync(1_000);
    const before = renewed.length;
    expect(claim.mock.calls.map(([, ended]) => ended.length)).toEqual([0, 1, 1, 1]);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(renewed).toHaveLength(before);
    await runner.stop();
  });

  it.each([[undefined, 'stopped'], [1_000, 'sent']])('gives an attempt in hand %s ms when the process ends, before it is told to stop', async (finishWithinMs, end) => {
    const { parts } = runnerOn({ jobs: [claimed('a')], isMore: false, notEnded: [] });
    const seen: string[] = [];
    const store = { ...parts.store, requeue: () => Promise.resolve(true) } as unknown as JobStore;
    const unitOfWork = { run: (work: (tx: Tx) => Promise<unknown>) => work({} as Tx) } as unknown as UnitOfWork<Tx>;
    const runner = new KindRunner({ ...NOTE, ...(finishWithinMs !== undefined && { finishWithinMs }) }, {
      run: ({ signal }) => new Promise((resolve, reject) => {
        const sending = setTimeout(() => resolve(void seen.push('sent')), 500);
        signal.addEventListener('abort', () => (clearTimeout(sending), seen.push('stopped'), reject(signal.reason as Error)));
      }),
    }, { ...parts, store, unitOfWork });
    runner.wake();
    await jest.advanceTimersByTimeAsync(10);
    const stopped = runner.stop();
    await jest.advanceTimersByTimeAsync(600);
    await stopped;
    expect(seen).toEqual([end]);
  });

  it.each([
    [0, 0, 'comes back'], [9, 179_999, 'comes back'], [0, 180_000, 'comes back'], [1, 180_000, 'comes back'], [2, 180_000, 'is dead'],
  ])('a payload that %s times before could not be read, of a job %s ms old, %s, whatever attempts its kind has', async (unread, ageMs, becomes) => {
    const { parts } = runnerOn({ jobs: [{ ...claimed('a'), payload: 5, unread, ageMs }], isMore: false, notEnded: [] });
    const ends: unknown[] = [];
    const requeue = (_tx: Tx, _hold: Hold, back: Requeue) => Promise.resolve(ends.push(back) > 0);
    const store = { ...parts.store, requeue, bury: () => Promise.resolve(ends.push('is dead') > 0) } as unknown as JobStore;
    const unitOfWork = { run: (work: (tx: Tx) => Promise<unknown>) => work({} as Tx) } as unknown as UnitOfWork<Tx>;
    const runner = new KindRunner({ ...NOTE, retry: { ...NOTE.retry, attempts: 1_000_000_000 } }, { run: () => Promise.resolve() }, { ...parts, store, unitOfWork });
    runner.wake();
    await jest.advanceTimersByTimeAsync(10);
    const back = { delayMs: 60_000, attempts: 'uncounted', unread: unread + 1, cause: expect.any(String) as string };
    expect(ends).toEqual([becomes === 'is dead' ? becomes : back]);
    await runner.stop();
  });

  it('names the request that a job follows from in the log lines of the job', async () => {
    const { parts } = runnerOn({ jobs: [{ ...claimed('a'), requestId: 'req-1' }], isMore: false, notEnded: [] });
    const lines: unknown[] = [];
    const write = (fields: unknown, text: unknown) => void lines.push([text, fields]);
    const store = { ...parts.store, bury: () => Promise.resolve(true) } as unknown as JobStore;
    const unitOfWork = { run: (work: (tx: Tx) => Promise<unknown>) => work({} as Tx) } as unknown as UnitOfWork<Tx>;
    const logger = { warn: write, error: write } as unknown as Logger;
    const runner = new KindRunner(NOTE, { run: () => Promise.reject(new GiveUp('never')) }, { ...parts, store, unitOfWork, logger });
    runner.wake();
    await jest.advanceTimersByTimeAsync(10);
    const names = expect.objectContaining({ kind: NOTE.kind, jobId: 'a', attempt: 1, requestId: 'req-1' }) as unknown;
    expect(lines).toEqual([['a job failed', names], ['a job was given up', names]]);
    await runner.stop();
  });

  it('ends in the pause after a claim that failed', async () => {
    const { claim, runner } = runnerOn();
    claim.mockRejectedValue(new Error('away'));
    runner.wake();
    await jest.advanceTimersByTimeAsync(10);
    await runner.stop();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(claim).toHaveBeenCalledTimes(1);
  });
});
