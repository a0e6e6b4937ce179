/** The thread of readIfcInWorker: one file, one answer, then it ends and its memory with it. */
import { ServiceError } from '@twinyard/conventions';
import { parentPort, workerData } from 'node:worker_threads';
import type { IfcModel } from './ifc-model';
import { readIfc } from './read-ifc';

export type IfcWorkerAnswer =
  | { readonly kind: 'model'; readonly model: IfcModel }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly error: unknown };

async function answer(bytes: Uint8Array): Promise<IfcWorkerAnswer> {
  try {
    return { kind: 'model', model: await readIfc(bytes) };
  } catch (error) {
    return error instanceof ServiceError ? { kind: 'refused', message: error.message } : { kind: 'failed', error };
  }
}

void answer(workerData as Uint8Array).then((result) => parentPort?.postMessage(result));
