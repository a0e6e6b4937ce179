import { createLogger } from '@twinyard/service-kit';
import type { JobStore } from '../store/job-store';
import { LeaseKeeper } from './lease-keeper';

const LEASE_MS = 9_000;
const HOLD = { id: 'a', token: 1 };

function keeperOn(renew: JobStore['renew']) {
  const asked = jest.fn(renew);
  return { asked, keeper: new LeaseKeeper({ renew: asked } as unknown as JobStore, LEASE_MS, createLogger('test', 'silent')) };
}

describe('leases', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('are renewed while their worker is at it, and no longer', async () => {
    const { asked, keeper } = keeperOn(() => Promise.resolve(new Set()));
    const lease = keeper.keep(HOLD, performance.now());
    await jest.advanceTimersByTimeAsync(10 * LEASE_MS);
    expect([lease.stopped, asked.mock.calls.length]).toEqual([undefined, 30]);
    keeper.letGo(lease);
    await jest.advanceTimersByTimeAsync(LEASE_MS);
    expect(asked).toHaveBeenCalledTimes(30);
  });

  it('are lost in time when the store does not answer, which is then asked again', async () => {
    const { asked, keeper } = keeperOn(() => new Promise(() => undefined));
    const lease = keeper.keep(HOLD, performance.now());
    await jest.advanceTimersByTimeAsync(LEASE_MS - 100);
    expect([lease.stopped, asked.mock.calls.length]).toEqual([undefined, 1]);
    await jest.advanceTimersByTimeAsync(100);
    expect(lease.stopped).toBe('lost');
    keeper.keep({ id: 'b', token: 2 }, performance.now());
    await jest.advanceTimersByTimeAsync(LEASE_MS);
    expect(asked).toHaveBeenCalledTimes(2);
    expect(asked.mock.calls[1]?.[0]).toEqual([expect.objectContaining({ id: 'b' })]);
  });

  it('of one job that this process has twice are apart: the lost one is not renewed, nor does it take the other with it', async () => {
    const { asked, keeper } = keeperOn((holds) => Promise.resolve(new Set(holds.filter(({ token }) => token === 1).map(({ id }) => id))));
    const [earlier, later] = [keeper.keep(HOLD, performance.now()), keeper.keep({ ...HOLD, token: 2 }, performance.now())];
    earlier.stop('lost');
    await jest.advanceTimersByTimeAsync(2 * LEASE_MS);
    expect([later.stopped, asked.mock.calls.every(([holds]) => holds.length === 1)]).toEqual([undefined, true]);
    keeper.letGo(earlier);
    keeper.letGo(later);
  });
});
