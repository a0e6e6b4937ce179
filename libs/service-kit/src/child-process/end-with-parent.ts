import { Worker } from 'node:worker_threads';

const EVERY_MS = 1_000;

/** A thread of its own: what a file holds the process with, does not hold this. */
const WATCH = `
  const { workerData: { parent, everyMs } } = require('node:worker_threads');
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, everyMs);
`;

/** Ends this process when the one that started it is gone, however busy it is: nobody else would. */
export function endWithParent(): void {
  new Worker(WATCH, { eval: true, workerData: { parent: process.ppid, everyMs: EVERY_MS }, resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref();
}
