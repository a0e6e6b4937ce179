import { randomBytes } from 'node:crypto';

/**
 * `Math.random` for an engine whose memory is put back, and with it what its own goes by: each script would get the same numbers. xorshift128 of 32-bit words
 * (Marsaglia, "Xorshift RNGs", 2003); two of its numbers make the 53 bits of one. Gives the function that sets where it begins.
 */
export const RANDOM = `(() => {
  let [x, y, z, w] = [1, 2, 3, 4];
  const next = () => {
    const t = x ^ (x << 11);
    x = y;
    y = z;
    z = w;
    w = w ^ (w >>> 19) ^ t ^ (t >>> 8);
    return w >>> 0;
  };
  Object.defineProperty(Math, 'random', { value: () => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992, writable: true, configurable: true });
  return (a, b, c, d) => {
    x = a;
    y = b;
    z = c;
    w = d;
  };
})()`;

/** Never all zero, where it would stay. */
export function randomSeed(): number[] {
  const bytes = randomBytes(16);
  return [0, 4, 8, 12].map((at) => (bytes.readInt32LE(at) | (at === 0 ? 1 : 0)));
}
