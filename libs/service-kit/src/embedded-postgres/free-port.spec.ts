/** @jest-environment node */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { freePort as FreePort } from './free-port';

// Wherever a process begins to look, another may begin there too: here all do.
jest.mock('node:crypto', () => ({ ...jest.requireActual<object>('node:crypto'), randomInt: (first: number) => first }));

/** As another process has it. */
function freePortOfAnother(): typeof FreePort {
  let loaded: { readonly freePort: typeof FreePort } | undefined;
  jest.isolateModules(() => (loaded = jest.requireActual<{ readonly freePort: typeof FreePort }>('./free-port')));
  return loaded?.freePort as typeof FreePort;
}

const freePort = freePortOfAnother();

describe('a free port', () => {
  it('is given once, also to many who ask together, and is none that the system gives to others meanwhile', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
    expect(new Set(ports).size).toBe(50);
    expect(Math.max(...ports)).toBeLessThan(27_000);
  });

  it('is given to one of several processes, though nobody listens on it yet', async () => {
    const ports: number[] = [];
    for (const ask of Array.from({ length: 4 }, freePortOfAnother)) for (let asked = 0; asked < 30; asked += 1) ports.push(await ask());
    expect(new Set(ports).size).toBe(4 * 30);
  });

  it('is one that nobody listens on', async () => {
    const taken = (await freePort()) + 1;
    const other = createServer();
    const listens = Promise.race([once(other, 'listening'), new Promise((resolve) => other.once('error', resolve))]); // it, or somebody else
    other.listen(taken, '127.0.0.1');
    await listens;
    expect(await freePort()).not.toBe(taken);
    other.close();
  });
});
