import type { FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { invalid, unavailable } from '@twinyard/conventions';
import { translateScratchError } from '@twinyard/service-kit';
import { answerOfChild, type ChildFaults, startChild } from '@twinyard/service-kit/child';
import { type IfcAnswer, type IfcOrder, MODEL_PARTS, type ModelHead, type ModelPart } from './model-parts';

/** A process runs compiled files alone; where the sources run (in Jest) they are in dist. */
const CHILD = __filename.endsWith('.ts') ? resolve(__dirname, '../../../../../dist/apps/datasourcesvc/src/ifc/on-disk/ifc-child.js') : join(__dirname, 'ifc-child.js');

export interface IfcLimits {
  /** Of the whole process; watched on Linux. The heap of JavaScript has half of it. */
  readonly memoryMb: number;
  readonly seconds: number;
}

/** A file to read, and the empty files that its model goes to. */
export interface IfcWork extends IfcOrder {
  readonly source: FileHandle;
  readonly parts: Readonly<Record<ModelPart, FileHandle>>;
}

export interface IfcWatch {
  /** Ends the reading; it rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** How far it is. What this rejects with ends the reading. */
  progress(done: number, total: number): Promise<void>;
  /** Told at the end for how long the process has kept processors busy, in ms; on Linux. */
  worked(ms: number): void;
}

/**
 * Reads a model in a process of its own. What a file does to it costs this process.
 * Errors: `invalid` for what is the file's fault, `unavailable` where the process was killed, `insufficient_storage`.
 */
export async function readInProcess({ source, parts, bytes, mostBytes }: IfcWork, { memoryMb, seconds }: IfcLimits, { signal, progress, worked }: IfcWatch): Promise<ModelHead> {
  signal.throwIfAborted();
  const order: IfcOrder = { bytes, mostBytes };
  const child = startChild(CHILD, {
    args: [JSON.stringify(order)], heapMb: Math.floor(memoryMb / 2), stdio: ['ignore', 'ignore', 'ignore', 'ipc', source.fd, ...MODEL_PARTS.map((part) => parts[part].fd)],
  });
  const faults: ChildFaults = {
    tooMuchMemory: () => invalid(`The IFC file is too large to be read: it takes more than ${memoryMb} MB of memory`),
    tooLate: () => invalid(`The IFC file could not be read within ${seconds} s`),
    notStarted: (cause) => unavailable('The process that reads the IFC file could not be started', cause),
    ended: (how) => unavailable(`The process that reads the IFC file has ended (${how})`),
  };
  const answer = await answerOfChild<Answer>(child, { memoryMb, worked, timeoutMs: seconds * 1_000, signal, faults }, ({ resolve, reject }) => {
    // One after the other, and before whatever is reported of the model.
    let told = Promise.resolve();
    child.on('message', (said: IfcAnswer) => {
      if (said.kind !== 'progress') return resolve(told.then(() => said));
      told = told.then(() => progress(said.done, said.total));
      told.catch(reject);
    });
    return undefined;
  });
  return headOf(answer);
}

type Answer = Exclude<IfcAnswer, { kind: 'progress' }>;

function headOf(answer: Answer): ModelHead {
  switch (answer.kind) {
    case 'model':
      return answer.head;
    case 'refused':
      throw invalid(answer.message);
    case 'failed':
      throw translateScratchError(Object.assign(new Error(answer.error.message), { code: answer.error.code }));
  }
}
