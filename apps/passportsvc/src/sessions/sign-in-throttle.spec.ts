import { accountKey, addressKey, waitSeconds } from './sign-in-throttle';

describe('the wait after wrong passwords', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  const after = (key: string, failures: number, secondsAgo = 0) => waitSeconds([{ key, failures, lastFailedAt: new Date(now.getTime() - secondsAgo * 1_000) }], now);

  it('begins with the fifth, doubles, and has an end', () => {
    const key = accountKey('a@example.com');
    expect([1, 4, 5, 6, 8, 13, 14, 100].map((failures) => after(key, failures))).toEqual([0, 0, 1, 2, 8, 256, 300, 300]);
    expect(after(addressKey('10.0.0.1'), 100)).toBe(30);
  });

  it('runs off, and the longest of several counts', () => {
    const key = accountKey('a@example.com');
    expect([after(key, 8, 5), after(key, 8, 8), after(key, 8, 900)]).toEqual([3, 0, 0]);
    expect(waitSeconds([{ key, failures: 6, lastFailedAt: now }, { key: addressKey('10.0.0.1'), failures: 8, lastFailedAt: now }], now)).toBe(8);
    expect(waitSeconds([], now)).toBe(0);
  });
});
