import { invalid } from '@twinyard/conventions';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { IfcModel } from './ifc-model';
import type { IfcWorkerAnswer } from './ifc-worker';

const WORKER = join(__dirname, 'ifc-worker.js');
const DEFAULT_TIMEOUT_MS = 120_000;
/** A thread that needs more is ended, and the service goes on. */
const HEAP_MB = 1_024;

export interface ReadIfcOptions {
  /** The reading is given up after this time; the file is then refused as invalid. */
  readonly timeoutMs?: number;
  /** Ends the reading, for a run that is cancelled; rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * readIfc in a thread of its own, so that the service goes on answering, and the parser's memory is given back when the
 * thread ends. Takes a copy of the bytes. Runs from the compiled code only.
 */
export async function readIfcInWorker(bytes: Uint8Array, options: ReadIfcOptions = {}): Promise<IfcModel> {
  options.signal?.throwIfAborted();
  const copy = Uint8Array.from(bytes);
  const worker = new Worker(WORKER, { workerData: copy, transferList: [copy.buffer], resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
  try {
    return toModel(await firstAnswer(worker, options));
  } finally {
    await worker.terminate();
  }
}

function firstAnswer(worker: Worker, { timeoutMs = DEFAULT_TIMEOUT_MS, signal }: ReadIfcOptions): Promise<IfcWorkerAnswer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(invalid(`The IFC file could not be read within ${timeoutMs / 1_000} s`)), timeoutMs);
    const abort = () => reject(signal?.reason as Error);
    signal?.addEventListener('abort', abort, { once: true });
    worker.once('message', resolve);
    worker.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? invalid('The IFC file is too large to be read') : error));
    worker.once('exit', (code) => reject(new Error(`The IFC thread ended with code ${code} and no answer`)));
    worker.once('exit', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    });
  });
}

function toModel(answer: IfcWorkerAnswer): IfcModel {
  switch (answer.kind) {
    case 'model':
      return answer.model;
    case 'refused':
      throw invalid(answer.message);
    case 'failed':
      throw answer.error;
  }
}
