import { Session } from 'node:inspector';

/**
 * Gives the machine back what the start of a process has left: compiled and read once, garbage since, and some 15 MB of 55 that V8 keeps for a growth that
 * an idle process never sees. It stops the process for 50 to 200 ms, so before it listens. By the collector's own way for tools, which also lets go of
 * half-empty pages; `gc()` does not. No port is opened.
 */
export async function releaseMemory(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    // It answers from within the session, which must not end there.
    await new Promise<void>((resolve) => session.post('HeapProfiler.collectGarbage', () => setImmediate(resolve)));
  } finally {
    session.disconnect();
  }
}
