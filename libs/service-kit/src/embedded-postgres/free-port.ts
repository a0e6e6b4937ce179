import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/**
 * Below those that systems give to whoever asks for any port: one of them may be gone again, to a connection or to a listener of another
 * process, before the caller listens on it. A machine that is busy makes that time seconds.
 */
const [FIRST, END] = [20_000, 27_000];
/**
 * Each process takes its ports out of a block of its own, and listens on the first of the block so long: what it has chosen and nobody
 * listens on yet, or just now does not, is not free to any other that chooses here.
 */
const BLOCK = 40;
/** What was chosen for one purpose may be the end of a block and the beginning of the next. */
const HELD = 2;

const held: Server[] = [];
let left: number[] = [];
let turn: Promise<unknown> = Promise.resolve();

/** A TCP port of 127.0.0.1 that nobody listens on now; each call gives another one. */
export function freePort(): Promise<number> {
  const chosen = turn.then(choose);
  turn = chosen.catch(() => undefined);
  return chosen;
}

async function choose(): Promise<number> {
  for (;;) {
    const port = left.shift();
    if (port === undefined) left = await takeBlock();
    else if (await isFree(port)) return port;
  }
}

/** The ports of a block that no other process has, but for the first. */
async function takeBlock(): Promise<number[]> {
  const blocks = (END - FIRST) / BLOCK;
  const start = randomInt(0, blocks);
  for (let tried = 0; tried < blocks; tried += 1) {
    const first = FIRST + ((start + tried) % blocks) * BLOCK;
    const guard = await listenOn(first);
    if (guard === undefined) continue;
    guard.unref();
    held.push(guard);
    if (held.length > HELD) held.shift()?.close();
    return Array.from({ length: BLOCK - 1 }, (_, index) => first + 1 + index);
  }
  throw new Error(`No port from ${FIRST} to ${END - 1} is free`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = await listenOn(port);
  if (probe !== undefined) await new Promise((resolve) => probe.close(resolve));
  return probe !== undefined;
}

function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
