import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { BEGUN } from './begun';
import { compiledEngine } from './compiled-engine';
import { RunningTime } from './running-time';
import type { SandboxAnswer, SandboxCall } from './sandbox';
import type { ConsoleLine } from './script';

/** A thread runs compiled files alone; where the sources run (in Jest) they are in dist. */
const WORKER = __filename.endsWith('.ts') ? resolve(__dirname, '../../../dist/libs/scripts/src/script-worker.js') : join(__dirname, 'script-worker.js');
/** Beside the engine's own memory; a script has its own limit. */
const HEAP_MB = 64;
/** For the engine to notice by itself that the time is over, before its thread is ended. */
const GRACE_MS = 500;
const START_MS = 30_000;
const LOOK_MS = 50;

type Outcome = SandboxAnswer['outcome'];

const stopped = (limit: 'time' | 'memory', message: string): Outcome => ({ kind: 'stopped', limit, message, console: [] as readonly ConsoleLine[] });

/** One thread that runs scripts one after the other. What does not stop by itself is ended with it. */
export class ScriptThread {
  private constructor(private readonly worker: Worker) {}

  static async start(): Promise<ScriptThread> {
    const worker = new Worker(WORKER, {
      workerData: await compiledEngine(), resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, stackSizeMb: 4 },
      // Nothing of the process is told to the thread, and nothing of it reaches the process's output.
      env: {}, stdin: false, stdout: true, stderr: true,
    });
    worker.unref();
    return new ScriptThread(worker);
  }

  /** `survived` is false when the thread is of no more use: its script was stopped, or has left it with more memory than it needs. */
  run(call: SandboxCall): Promise<{ readonly outcome: Outcome; readonly survived: boolean }> {
    return new Promise((resolve) => {
      const { worker } = this;
      const done = (outcome: Outcome, survived: boolean) => {
        clearInterval(timer);
        worker.removeAllListeners('message').removeAllListeners('error').removeAllListeners('exit');
        // An error that comes while it is ended is nobody's.
        worker.on('error', () => undefined);
        resolve({ outcome, survived });
      };
      const endsWithin = (ms: number) => {
        const time = new RunningTime(ms);
        return setInterval(() => {
          if (time.isOver()) done(stopped('time', 'The script takes too long'), false);
        }, LOOK_MS);
      };
      let timer = endsWithin(START_MS);
      worker.on('message', (answer: SandboxAnswer | typeof BEGUN) => {
        if (answer !== BEGUN) return done(answer.outcome, answer.outcome.kind !== 'stopped' && !answer.hasGrown);
        // How long a thread takes to start is not the script's fault.
        clearInterval(timer);
        timer = endsWithin(call.limits.timeMs + GRACE_MS);
      });
      worker.once('error', () => done(stopped('memory', 'The script needs too much memory'), false));
      worker.once('exit', () => done(stopped('memory', 'The script has ended its thread'), false));
      worker.postMessage(call);
    });
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }
}
