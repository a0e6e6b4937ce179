import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Step } from '../job-process';

const WORKER = resolve(__dirname, '..', '..', '..', '..', 'dist', 'libs', 'jobs', 'test', 'job-process.js');

/** A worker takes the job that waits, and is killed at the step. */
export async function killedAt(step: Step, address: readonly string[]): Promise<void> {
  const worker = fork(WORKER, [step, ...address], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  try {
    const [said] = (await Promise.race([once(worker, 'message'), once(worker, 'exit')])) as [unknown];
    if (said !== step) throw new Error(`the worker came to ${String(said)} and not to ${step}`);
  } finally {
    worker.kill('SIGKILL');
    await (worker.exitCode ?? worker.signalCode ?? once(worker, 'exit'));
  }
}
