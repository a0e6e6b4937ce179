import type { ChildProcess } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { endChild, isOutOfHeap, startChild, watchProcess } from '@twinyard/service-kit/child';
import { NoPicture } from '../picture';
import { type Drawing, type DrawingAnswer, type Drawn, READY } from './drawing';

/** A process runs compiled files alone; where the sources run (in Jest) they are in dist. */
const WORKER = __filename.endsWith('.ts') ? resolve(__dirname, '../../../../dist/libs/previews/src/process/draw-worker.js') : join(__dirname, 'draw-worker.js');
const START_MS = 60_000;
/** A picture of so few points is never larger than its points. */
const MAX_PICTURE_BYTES = 2 * 1024 ** 2;
/** Memory that a library once had is not given back otherwise. */
const MAX_DRAWINGS = 100;

export interface DrawingLimits {
  readonly timeoutMs: number;
  /** Of the whole process; watched on Linux. The heap of JavaScript has half of it. */
  readonly memoryMb: number;
  /** A process that has had nothing to do for so long ends. */
  readonly idleMs: number;
}

/** The process died of something else than the file's limits: it was killed, or its machine had no memory left. */
export class DrawingInterrupted extends Error {
  constructor(how: string) {
    super(`the process that draws has ended (${how})`);
    this.name = 'DrawingInterrupted';
  }
}

/**
 * Draws files in a process of its own, one at a time. It starts with the first, ends when there are none, and knows nothing of the
 * service: no settings, no connections. What a file does to it costs this process.
 */
export class DrawingProcess {
  private child: ChildProcess | undefined;
  private drawings = 0;
  private isReady = false;
  private isClosed = false;
  private idle: NodeJS.Timeout | undefined;

  constructor(private readonly limits: DrawingLimits) {}

  /** @throws NoPicture for what is the file's fault, DrawingInterrupted for what may go well another time */
  async draw(drawing: Drawing): Promise<Drawn> {
    clearTimeout(this.idle);
    if (this.isClosed) throw new DrawingInterrupted('closed');
    try {
      const answer = await this.ask(this.running(), drawing);
      if ('refusal' in answer) throw new NoPicture(answer.refusal);
      const { size } = await stat(drawing.output);
      if (size > MAX_PICTURE_BYTES) throw new NoPicture('is too large');
      return { contentType: answer.contentType, size };
    } finally {
      this.rest();
    }
  }

  /** The id of the process, while there is one. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Ends it for good: what is being drawn is interrupted, and nothing is drawn any more. */
  close(): void {
    this.isClosed = true;
    this.end();
  }

  /** What is being drawn is interrupted; the next drawing has a new process. */
  end(): void {
    clearTimeout(this.idle);
    const { child } = this;
    this.child = undefined;
    if (child) endChild(child);
  }

  private running(): ChildProcess {
    if (this.child?.connected === true && this.drawings < MAX_DRAWINGS) {
      this.drawings += 1;
      return this.child;
    }
    this.end();
    const child = startChild(WORKER, { heapMb: Math.floor(this.limits.memoryMb / 2), stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    this.drawings = 1;
    this.isReady = false;
    this.child = child;
    return child;
  }

  private ask(child: ChildProcess, drawing: Drawing): Promise<DrawingAnswer> {
    const { timeoutMs, memoryMb } = this.limits;
    return new Promise((resolve, reject) => {
      let isSettled = false;
      const stop = (error: Error) => {
        // What comes late, as a measurement, is not of the file that this process draws now.
        if (isSettled) return;
        settle(() => reject(error));
        if (this.child === child) this.end();
      };
      const limit = () => setTimeout(() => stop(new NoPicture('takes too long')), timeoutMs);
      let timer = this.isReady ? limit() : setTimeout(() => stop(new DrawingInterrupted('it did not start')), START_MS);
      const endWatch = watchProcess(child.pid, memoryMb, () => stop(new NoPicture('needs too much memory')));
      const settle = (done: () => void) => {
        isSettled = true;
        clearTimeout(timer);
        endWatch();
        child.removeAllListeners();
        child.on('error', () => undefined);
        done();
      };
      child.on('message', (answer: DrawingAnswer | typeof READY) => {
        if (answer !== READY) return settle(() => resolve(answer));
        this.isReady = true;
        clearTimeout(timer);
        timer = limit();
      });
      // Its channel may look open for a moment after its end: it is not asked again.
      child.once('exit', (code, signal) => stop(endOf(code, signal)));
      child.once('error', (error) => stop(new DrawingInterrupted(error.message)));
      child.send(drawing, (error) => error && stop(new DrawingInterrupted(error.message)));
    });
  }

  private rest(): void {
    if (this.isClosed) return;
    this.idle = setTimeout(() => this.end(), this.limits.idleMs).unref();
  }
}

const endOf = (code: number | null, signal: NodeJS.Signals | null) => (isOutOfHeap(signal) ? new NoPicture('needs too much memory') : new DrawingInterrupted(signal ?? `code ${code}`));
