import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { compiledEngine } from '../engine/compiled-engine';
import type { SandboxCall } from '../engine/sandbox';
import type { FromThread } from './messages';
import { type EndedRun, type RunCompany, stopped, ThreadRun } from './thread-run';

/** A thread runs compiled files alone; where the sources run (in Jest) they are in dist. */
const WORKER = __filename.endsWith('.ts') ? resolve(__dirname, '../../../../dist/libs/scripts/src/threads/script-worker.js') : join(__dirname, 'script-worker.js');
/** Beside the engine's own memory; a script has its own limit. */
const HEAP_MB = 64;

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

  run(call: SandboxCall, company: RunCompany = {}): Promise<EndedRun> {
    return new Promise((resolve) => {
      const { worker } = this;
      const before = worker.performance.eventLoopUtilization();
      const run = new ThreadRun(worker, call, company, (ended) => {
        worker.removeAllListeners('message').removeAllListeners('error').removeAllListeners('exit');
        // An error that comes while it is ended is nobody's.
        worker.on('error', () => undefined);
        company.onBusy?.(worker.performance.eventLoopUtilization(before).active);
        resolve(ended);
      });
      worker.on('message', (message: FromThread) => run.hear(message));
      worker.once('error', () => run.end(stopped('memory', 'The script needs too much memory'), false));
      worker.once('exit', () => run.end(stopped('memory', 'The script has ended its thread'), false));
      run.begin();
    });
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }
}
