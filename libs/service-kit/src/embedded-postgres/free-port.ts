import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below those that systems give to whoever asks for any port: one of them may be gone again, to a connection or to a listener of another
 * process, before the caller listens on it. A machine that is busy makes that time seconds.
 */
const [FIRST, END] = [20_000, 27_000];
let next = randomInt(FIRST, END);

/** A TCP port of 127.0.0.1 that nobody listens on now; each call gives another one. */
export async function freePort(): Promise<number> {
  for (let tried = FIRST; tried < END; tried += 1) {
    const port = next;
    next = port + 1 < END ? port + 1 : FIRST;
    if (await isFree(port)) return port;
  }
  throw new Error(`No port from ${FIRST} to ${END - 1} is free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
