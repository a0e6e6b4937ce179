/** The thread of a ScriptThread: one call after the other, until it is ended. It gets the compiled engine when it starts. */
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { CompiledEngine } from '../engine/compiled-engine';
import { runInSandbox, type SandboxCall, SandboxEngines } from '../engine/sandbox';
import type { ThreadLine, Told, ToThread } from './messages';

// Whoever waits for an answer of the service goes before scripts. Elsewhere a priority is that of the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

/** What has come while the script ran, and who waits for the next. */
const told: Told[] = [];
let waiting: ((message: Told) => void) | undefined;
const engines = new SandboxEngines(workerData as CompiledEngine);

const line: ThreadLine = {
  tell: (message) => parentPort?.postMessage(message),
  next: () => new Promise((resolve) => {
    const message = told.shift();
    if (message === undefined) waiting = resolve;
    else resolve(message);
  }),
};

async function run(call: SandboxCall): Promise<void> {
  // What came too late for the script before.
  told.length = 0;
  await runInSandbox(engines, call, line);
}

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'run') return void run(message.call);
  const hear = waiting;
  waiting = undefined;
  if (hear === undefined) told.push(message);
  else hear(message);
});
