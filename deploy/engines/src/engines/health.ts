import { connect } from 'node:net';

const WITHIN_MS = 2_000;

/** Does anybody listen on the port? Enough for servers that listen last. */
export function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: WITHIN_MS });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}

export async function answersOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(WITHIN_MS) })).ok;
  } catch {
    return false;
  }
}
