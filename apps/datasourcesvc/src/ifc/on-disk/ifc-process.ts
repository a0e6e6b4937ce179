import { type ChildProcess, fork } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { invalid, unavailable } from '@twinyard/conventions';
import { translateScratchError } from '@twinyard/service-kit';
import { watchMemory, yieldToService } from '@twinyard/service-kit/child';
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
}

/**
 * Reads a model in a process of its own, which knows nothing of the service: no settings, no connections. What a file does to it costs this process.
 * Errors: `invalid` for what is the file's fault, `unavailable` where the process was killed, `insufficient_storage`.
 */
export async function readInProcess(work: IfcWork, limits: IfcLimits, watch: IfcWatch): Promise<ModelHead> {
  watch.signal.throwIfAborted();
  const child = begin(work, limits);
  try {
    return headOf(await answerOf(child, limits, watch));
  } finally {
    end(child);
  }
}

function begin({ source, parts, bytes, mostBytes }: IfcWork, { memoryMb }: IfcLimits): ChildProcess {
  const order: IfcOrder = { bytes, mostBytes };
  const child = fork(CHILD, [JSON.stringify(order)], {
    env: {}, execArgv: [`--max-old-space-size=${Math.floor(memoryMb / 2)}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc', source.fd, ...MODEL_PARTS.map((part) => parts[part].fd)],
  });
  yieldToService(child.pid);
  return child;
}

function end(child: ChildProcess): void {
  child.removeAllListeners();
  child.on('error', () => undefined);
  child.kill('SIGKILL');
  // At its low priority it may take a second to die on a busy machine: a service that stops does not wait for that.
  child.unref();
  child.channel?.unref();
}

type Answer = Exclude<IfcAnswer, { kind: 'progress' }>;

async function answerOf(child: ChildProcess, { memoryMb, seconds }: IfcLimits, { signal, progress }: IfcWatch): Promise<Answer> {
  const tooLarge = () => invalid(`The IFC file is too large to be read: it takes more than ${memoryMb} MB of memory`);
  let timer: NodeJS.Timeout | undefined;
  let [abort, endWatch] = [() => {}, () => {}];
  try {
    return await new Promise<Answer>((resolve, reject) => {
      timer = setTimeout(() => reject(invalid(`The IFC file could not be read within ${seconds} s`)), seconds * 1_000);
      endWatch = watchMemory(child.pid, memoryMb, () => reject(tooLarge()));
      abort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', abort, { once: true });
      // One after the other, and before whatever is reported of the model.
      let told = Promise.resolve();
      child.on('message', (answer: IfcAnswer) => {
        if (answer.kind !== 'progress') return resolve(told.then(() => answer));
        told = told.then(() => progress(answer.done, answer.total));
        told.catch(reject);
      });
      child.once('error', (cause) => reject(unavailable('The process that reads the IFC file could not be started', cause)));
      // Behind what it has said. The end of the heap is an abort.
      child.once('close', (code, killed) => reject(isOutOfHeap(killed) ? tooLarge() : unavailable(`The process that reads the IFC file has ended (${killed ?? `code ${code}`})`)));
    });
  } finally {
    signal.removeEventListener('abort', abort);
    clearTimeout(timer);
    endWatch();
  }
}

const isOutOfHeap = (signal: NodeJS.Signals | null) => signal === 'SIGABRT' || signal === 'SIGTRAP';

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
