import { PassThrough } from 'node:stream';
import { pacedBody } from './paced-body';

describe('the pace of a sender', () => {
  const slow = new Error('slow');
  let body: PassThrough;
  let chunks: AsyncGenerator<Buffer>;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    body = new PassThrough();
    body.on('error', () => undefined);
    chunks = pacedBody(body, { silenceMs: 1_000, leastBytesPerSecond: 10 }, slow);
  });
  afterEach(async () => {
    jest.useRealTimers();
    await chunks.return(undefined);
  });

  /** What comes so much later. */
  const after = async (ms: number, bytes: number): Promise<number | undefined> => {
    const next = chunks.next();
    jest.advanceTimersByTime(ms);
    body.write(Buffer.alloc(bytes));
    return (await next).value?.length;
  };

  it('leaves the time alone in which nobody waits for it', async () => {
    expect(await after(999, 10)).toBe(10);
    jest.advanceTimersByTime(600_000);
    expect(await after(0, 1)).toBe(1);
    body.end();
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('cuts who sends nothing, also behind the last of its bytes', async () => {
    expect(await after(0, 1_000)).toBe(1_000);
    const cut = expect(chunks.next()).rejects.toBe(slow);
    jest.advanceTimersByTime(1_000);
    await cut;
    expect(body.destroyed).toBe(true);
  });

  it('cuts who sends now and then a byte, by the average of the time that it is waited for', async () => {
    expect(await after(900, 10)).toBe(10);
    expect(await after(900, 10)).toBe(10);
    // What came before is no credit.
    expect(await after(600, 4)).toBe(4);
    await expect(after(600, 4)).rejects.toBe(slow);
    expect(body.destroyed).toBe(true);
  });
});
