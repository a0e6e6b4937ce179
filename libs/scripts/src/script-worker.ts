/** The thread of a ScriptThread: one call after the other, until it is ended. It gets the compiled engine when it starts. */
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { BEGUN } from './begun';
import type { CompiledEngine } from './compiled-engine';
import { runInSandbox, type SandboxCall } from './sandbox';

// Whoever waits for an answer of the service goes before scripts. Elsewhere a priority is that of the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

parentPort?.on('message', (call: SandboxCall) => {
  void runInSandbox(workerData as CompiledEngine, call, () => parentPort?.postMessage(BEGUN)).then((outcome) => parentPort?.postMessage(outcome));
});
