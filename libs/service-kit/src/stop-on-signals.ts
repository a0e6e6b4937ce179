import { setTimeout as delay } from 'node:timers/promises';

export interface Stopping {
  /** It is not ready any more, so that whoever routes sends requests elsewhere; it goes on answering. */
  readonly begin: (reason: string) => void;
  /** Requests under way are finished, and what it holds is let go of. */
  readonly close: () => Promise<unknown>;
  /** Between the two, for those who have not heard of it. */
  readonly drainSeconds: number;
}

/** Node may hang in its own exit (nodejs/node#54918). Who has been started by a runner is killed by it then; without it by nobody, so it does not go that way. */
const end = () => (process.connected === false ? process.kill(process.pid, 'SIGKILL') : process.exit(0));

/** SIGTERM drains; who presses Ctrl-C waits for nobody, nor for the end of that, and a process whose runner is gone goes too. */
export function stopOnSignals({ begin, close, drainSeconds }: Stopping): void {
  let isStopping = false;
  const drained = new AbortController();
  const stop = async (reason: string, drainMs = 0) => {
    if (isStopping) return;
    isStopping = true;
    begin(reason);
    await delay(drainMs, undefined, { signal: drained.signal }).catch(() => undefined);
    await close().finally(end);
  };
  process.once('SIGTERM', () => void stop('SIGTERM', drainSeconds * 1_000));
  process.once('SIGINT', () => {
    drained.abort();
    void stop('SIGINT');
  });
  // Without a runner it is undefined.
  if (process.connected === false) void stop('the runner went while this started');
  else process.once('disconnect', () => void stop('the runner is gone'));
}
