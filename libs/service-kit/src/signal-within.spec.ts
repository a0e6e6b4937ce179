import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { collectGarbage, eventually } from '@twinyard/testing';
import { signalWithin } from './signal-within';

describe('signalWithin', () => {
  it('is aborted when its time is over, though nobody holds it and the collector has run', async () => {
    const ending = new AbortController();
    const reasons: unknown[] = [];
    const listen = () => {
      const signal = signalWithin(200, ending.signal);
      signal.addEventListener('abort', () => reasons.push((signal.reason as Error).name), { once: true });
    };
    for (let made = 0; made < 20; made += 1) listen();
    for (let rounds = 0; rounds < 3; rounds += 1) {
      await delay(20);
      collectGarbage();
    }
    await eventually(() => expect(reasons).toEqual(Array.from({ length: 20 }, () => 'TimeoutError')));
  });

  it('is aborted with what ends the work, and by its time alone where nothing does', async () => {
    const ending = new AbortController();
    const signal = signalWithin(60_000, ending.signal);
    ending.abort(new Error('stopped'));
    expect(signal.reason).toEqual(new Error('stopped'));
    const alone = signalWithin(1);
    await once(alone, 'abort');
    expect(alone.reason).toMatchObject({ name: 'TimeoutError' });
  });
});
