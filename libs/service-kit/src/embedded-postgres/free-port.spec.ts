import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort } from './free-port';

describe('a free port', () => {
  it('is given once, also to many who ask together, and is none that the system gives to others meanwhile', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
    expect(new Set(ports).size).toBe(50);
    expect(Math.max(...ports)).toBeLessThan(27_000);
  });

  it('is one that nobody listens on', async () => {
    const taken = (await freePort()) + 1;
    const other = createServer().listen(taken, '127.0.0.1');
    await once(other, 'listening');
    expect(await freePort()).not.toBe(taken);
    other.close();
  });
});
