import { invalid, ServiceError } from '@twinyard/conventions';
import { answerOfChild, type ChildFaults, startChild } from '@twinyard/service-kit/child';
import { join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BYTES_FD, type GeometryFigures, type GeometryMessage } from './geometry-messages';

/** A process runs compiled files alone; where the sources run (in Jest) they are in dist. */
const WORKER = __filename.endsWith('.ts') ? resolve(__dirname, '../../../../dist/apps/datasourcesvc/src/geometry/geometry-worker.js') : join(__dirname, 'geometry-worker.js');
/** Of its memory, what JavaScript may have; the parser's is beside it. */
const HEAP_SHARE = 0.75;
/** Of a result, which is held until it is sent: tools/deployment/resources.ts counts it. */
export const MAX_RESULT_BYTES = 128 * 1_048_576;

export interface Conversion {
  readonly model: AsyncIterable<Uint8Array>;
  /** What the result calls itself: the same for the same model, so that its bytes are the same. */
  readonly id: string;
  readonly memoryMb: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly tell: (percent: number) => void;
  /** Told at the end for how long the process has kept processors busy; on Linux. */
  readonly worked: (ms: number) => void;
  /** Told of the process, once it is there. */
  readonly started?: (pid: number | undefined) => void;
}

export interface Converted {
  readonly bytes: Uint8Array;
  readonly figures: GeometryFigures;
}

/** The process has ended before its answer: it was killed, or its machine had no memory left. */
export class ConversionInterrupted extends ServiceError {
  constructor(how: string) {
    super('unavailable', `The process that converts the model has ended (${how})`);
  }
}

/**
 * convertModel in a process of its own, which ends with the conversion. What a model does to it costs this process.
 * Rejects with `invalid` for what is the model's fault, with ConversionInterrupted for what may go well another time.
 */
export async function convertInProcess({ model, id, memoryMb, timeoutMs, signal, tell, worked, started }: Conversion): Promise<Converted> {
  signal.throwIfAborted();
  const child = startChild(WORKER, { args: [id], heapMb: Math.floor(memoryMb * HEAP_SHARE), stdio: ['pipe', 'ignore', 'ignore', 'ipc', 'pipe'] });
  started?.(child.pid);
  const faults: ChildFaults = {
    tooMuchMemory: () => invalid(`The geometry of the model needs more than the ${memoryMb} MB of memory that a conversion has`),
    tooLate: () => invalid(`The geometry could not be made within ${timeoutMs / 1_000} s`),
    notStarted: ({ message }) => new ConversionInterrupted(message),
    ended: (how) => new ConversionInterrupted(how),
  };
  return answerOfChild<Converted>(child, { memoryMb, worked, timeoutMs, signal, faults }, ({ resolve, reject }) => {
    const result = new Result(reject);
    child.on('message', (message: GeometryMessage) => (message.kind === 'progress' ? tell(message.percent) : result.hear(message)));
    (child.stdio[BYTES_FD] as Readable).on('data', (chunk: Buffer) => result.take(chunk));
    give(model, child.stdin as Writable, reject);
    return (fault) => result.end(resolve, fault);
  });
}

/** What the process answers; the first that is wrong with it counts. */
class Result {
  private readonly chunks: Buffer[] = [];
  private received = 0;
  private said: Exclude<GeometryMessage, { kind: 'progress' }> | undefined;

  constructor(private readonly refuse: (error: Error) => void) {}

  hear(message: Exclude<GeometryMessage, { kind: 'progress' }>): void {
    this.said = message;
    if (message.kind === 'converted' && message.bytes > MAX_RESULT_BYTES) this.refuse(invalid(`The geometry of the model has more than ${MAX_RESULT_BYTES / 1_048_576} MB`));
  }

  take(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.received += chunk.byteLength;
  }

  end(resolve: (converted: Converted) => void, otherwise: Error): void {
    const { said } = this;
    if (said?.kind === 'refused') return this.refuse(invalid(said.message));
    if (said?.kind !== 'converted' || said.bytes !== this.received) return this.refuse(otherwise);
    resolve({ bytes: Buffer.concat(this.chunks), figures: said.figures });
  }
}

/** What is wrong with the source of the bytes counts; that a process which has ended takes none does not: its end says why. */
function give(model: AsyncIterable<Uint8Array>, input: Writable, failed: (error: Error) => void): void {
  const read = async function* () {
    try {
      yield* model;
    } catch (error) {
      failed(error as Error);
    }
  };
  void pipeline(read, input).catch(() => undefined);
}
