import { destination, type DestinationStream } from 'pino';

/** Lines are gathered so many bytes, or so long, before they are written: each by itself would cost a request more than what it says. */
const GATHERED_BYTES = 8 * 1024;
const GATHERED_MS = 200;
/** What nobody takes off our hands: more is lost. */
const HELD_BYTES = 8 * 1024 * 1024;

let lines: GatheredLines | undefined;

/** Standard output of the whole process, whatever number of loggers write to it. The end of the process writes what is left. */
export const logLines = (): DestinationStream => (lines ??= new GatheredLines());

/** For what must not be lost: a failure that the process may not outlive. */
export const writeLinesNow = (): void => lines?.flushSync();

/** Without lines it does nothing: the flush of the library would come five times a second and write nothing, which wakes two threads. */
class GatheredLines implements DestinationStream {
  private readonly output = destination({ fd: 1, sync: false, minLength: GATHERED_BYTES, maxLength: HELD_BYTES } as Parameters<typeof destination>[0]);
  private timer: NodeJS.Timeout | undefined;
  /** Lines have come since a write ended last: they may have come behind what it took. */
  private isBehind = false;

  constructor() {
    // Nobody reads any more, as after `| head`: what is said then is lost.
    this.output.on('error', () => undefined);
    this.output.on('drain', () => {
      if (this.isBehind) this.flushLater();
      this.isBehind = false;
    });
    process.on('exit', () => this.flushSync());
  }

  write(line: string): void {
    this.output.write(line);
    this.isBehind = true;
    this.flushLater();
  }

  flushSync(): void {
    this.output.flushSync();
  }

  private flushLater(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.output.flush();
    }, GATHERED_MS).unref();
  }
}
