import { type ServiceError, unavailable } from '@twinyard/conventions';
import { FairQueue, type Owned, type Queued } from './fair-queue';
import type { SandboxCall } from './engine/sandbox';
import { SCRIPT_LIMITS, type ScriptCall, type ScriptOutcome } from './script';
import { parsedJson } from './threads/json-of-scripts';
import { ScriptThread } from './threads/script-thread';
import type { EndedRun } from './threads/thread-run';

export interface ScriptRunnerOptions {
  /** Scripts that run at once; each needs a processor. */
  readonly threads?: number;
  /** Of them, those of one owner: what is beyond waits, also where threads are free. */
  readonly threadsPerOwner?: number;
  /** Scripts that wait for a thread; one more is refused. */
  readonly queue?: number;
  /** Of them, those of one owner; one more is refused. */
  readonly queuePerOwner?: number;
  /** What they hold, sources and arguments; beyond it, or half of it for one owner, one more is refused. */
  readonly queueBytes?: number;
}

/** A thread is let go of after so many scripts: memory that an engine once had is not given back otherwise. */
const MAX_RUNS = 200;

interface Slot {
  readonly thread: Promise<ScriptThread>;
  runs: number;
}

interface Waiting extends Queued {
  readonly go: (slot: Slot) => void;
  readonly refuse: (error: ServiceError) => void;
}

const QUEUE_BYTES = 128 * 1024 * 1024;

const REFUSALS = {
  full: 'Too many scripts wait to be run',
  share: 'Too many scripts of this organization wait to be run',
} as const;

/**
 * Runs scripts of users (decision 18): an engine that is as new for each run, in a thread that is ended when the script does not stop.
 * A script gets JSON and gives JSON; it reaches nothing else but what its `bridge` answers.
 */
export class ScriptRunner {
  private readonly idle: Slot[] = [];
  private readonly busy = new Set<Slot>();
  private readonly queue: FairQueue<Waiting>;
  private readonly threads: number;
  private closed = false;

  constructor({ threads = 2, threadsPerOwner = threads, queue = 100, queuePerOwner = Math.ceil(queue / 2), queueBytes = QUEUE_BYTES }: ScriptRunnerOptions = {}) {
    this.threads = threads;
    this.queue = new FairQueue({ total: queue, perOwner: queuePerOwner, bytes: queueBytes, places: threadsPerOwner });
  }

  /** Never rejects for what a script does; `unavailable` when too many scripts wait, or the runner is closed. */
  async run(wanted: ScriptCall): Promise<ScriptOutcome> {
    const { owners = [], bridge, signal, onLine, onBusy } = wanted;
    const call = toSandboxCall(wanted);
    const bytes = bytesOf(call);
    if (bytes > call.limits.inputBytes) return { kind: 'stopped', limit: 'input', message: `The script and what it is given have more than ${call.limits.inputBytes} bytes`, console: [] };
    const slot = await this.takeUnless(signal, { owners, bytes });
    if (slot === undefined) return { kind: 'cancelled', message: 'The script was cancelled before it began', console: [] };
    let survived = false;
    try {
      const thread = await slot.thread;
      const ended = await thread.run(call, { bridge, signal, onLine, onBusy });
      survived = ended.survived;
      return toOutcome(ended);
    } finally {
      this.giveBack(slot, { owners }, survived);
    }
  }

  /** Ends the threads, and whatever runs in them; what waits is refused. */
  async close(): Promise<void> {
    this.closed = true;
    for (const waiting of this.queue.empty()) waiting.refuse(isClosed());
    await Promise.all([...this.idle.splice(0), ...this.busy].map(async ({ thread }) => (await thread).end()));
  }

  /** `undefined` when it is cancelled before there is one. */
  private async takeUnless(signal: AbortSignal | undefined, queued: Queued): Promise<Slot | undefined> {
    const taken = this.take(queued);
    if (signal === undefined) return taken;
    const over = new AbortController();
    const cancelled = new Promise<undefined>((resolve) => {
      signal.addEventListener('abort', () => resolve(undefined), { once: true, signal: over.signal });
      if (signal.aborted) resolve(undefined);
    });
    const slot = await Promise.race([taken, cancelled]).finally(() => over.abort());
    // Its turn comes all the same, and is given on at once.
    if (slot === undefined) taken.then((late) => this.giveBack(late, queued, true), () => undefined);
    return slot;
  }

  private take(queued: Queued): Promise<Slot> {
    if (this.closed) return Promise.reject(isClosed());
    return new Promise((go, refuse) => {
      const free = this.queue.mayBegin(queued) ? this.free() : undefined;
      if (free !== undefined) return this.begin(free, { ...queued, go, refuse });
      const refusal = this.queue.add({ ...queued, go, refuse });
      if (refusal !== undefined) refuse(unavailable(REFUSALS[refusal]));
    });
  }

  private free(): Slot | undefined {
    return this.idle.pop() ?? (this.busy.size < this.threads ? newSlot() : undefined);
  }

  private begin(slot: Slot, waiting: Waiting): void {
    this.busy.add(slot);
    this.queue.begins(waiting);
    waiting.go(slot);
  }

  private giveBack(slot: Slot, owned: Owned, survived: boolean): void {
    slot.runs += 1;
    this.queue.ends(owned);
    if (survived && slot.runs < MAX_RUNS && !this.closed) return this.next(slot, true);
    // Its place is free once its memory is: there are never more engines than places.
    const ended = () => this.next(slot, false);
    slot.thread.then((thread) => thread.end()).then(ended, ended);
  }

  private next(slot: Slot, isGood: boolean): void {
    this.busy.delete(slot);
    if (isGood) this.idle.push(slot);
    const waiting = this.queue.next();
    const free = waiting && this.free();
    if (waiting && free) this.begin(free, waiting);
  }
}

function toSandboxCall({ source, name, modules, entry, arguments: args = [], limits, bridge, parseOnly }: ScriptCall): SandboxCall {
  return {
    source, argumentsJson: JSON.stringify(args), limits: { ...SCRIPT_LIMITS, ...limits },
    ...(name !== undefined && { name }), ...(modules && { modules }), ...(entry !== undefined && { entry }), ...(parseOnly !== undefined && { parseOnly }),
    ...(bridge && { prelude: { prelude: bridge.prelude, ...(bridge.modules && { modules: bridge.modules }) } }),
  };
}

const bytesOf = ({ source, argumentsJson, modules = {} }: SandboxCall) =>
  [source, argumentsJson, ...Object.values(modules)].reduce((sum, text) => sum + Buffer.byteLength(text), 0);

const isClosed = () => unavailable('Scripts are not run any more');

const newSlot = (): Slot => ({ thread: ScriptThread.start(), runs: 0 });

function toOutcome({ end: { output, ...end }, console }: EndedRun): ScriptOutcome {
  return end.kind === 'returned' && output !== undefined ? { ...end, result: parsedJson(output), console } : { ...end, console };
}
