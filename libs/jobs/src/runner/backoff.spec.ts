import { backoffMs } from './backoff';

const POLICY = { attempts: 9, firstMs: 1_000, longestMs: 10_000 };

it('doubles the wait from attempt to attempt up to the longest, and never has all come back at one time', () => {
  const [shortest, longest] = [0, 1].map((random) => [1, 2, 3, 4, 5, 60].map((attempt) => backoffMs(POLICY, attempt, random)));
  expect(shortest).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  expect(longest).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
});
