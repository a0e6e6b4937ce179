import { destination, type DestinationStream } from 'pino';

/** Lines are gathered so many bytes, or so long, before they are written: each by itself would cost a request more than what it says. */
const GATHERED_BYTES = 8 * 1024;
const GATHERED_MS = 200;
/** What nobody takes off our hands: more is lost. */
const HELD_BYTES = 8 * 1024 * 1024;

let lines: ReturnType<typeof destination> | undefined;

/** Standard output of the whole process, whatever number of loggers write to it. The end of the process writes what is left. */
export function logLines(): DestinationStream {
  if (lines === undefined) {
    const opened = destination({ fd: 1, sync: false, minLength: GATHERED_BYTES, periodicFlush: GATHERED_MS, maxLength: HELD_BYTES } as Parameters<typeof destination>[0]);
    // Nobody reads any more, as after `| head`: what is said then is lost.
    opened.on('error', () => undefined);
    process.on('exit', () => opened.flushSync());
    lines = opened;
  }
  return lines;
}

/** For what must not be lost: a failure that the process may not outlive. */
export const writeLinesNow = (): void => lines?.flushSync();
