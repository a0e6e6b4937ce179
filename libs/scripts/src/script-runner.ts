import { type ServiceError, unavailable } from '@twinyard/conventions';
import { FairQueue, type Owned, type Queued } from './fair-queue';
import type { SandboxAnswer } from './sandbox';
import { SCRIPT_LIMITS, type ScriptCall, type ScriptEnd, type ScriptOutcome } from './script';
import { ScriptThread } from './script-thread';

export interface ScriptRunnerOptions {
  /** Scripts that run at once; each needs a processor. */
  readonly threads?: number;
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
 * Runs scripts of users (decision 18): an engine of its own for each run, in a thread that is ended when the script does not stop.
 * A script gets JSON and gives JSON; there is nothing else that it could reach.
 */
export class ScriptRunner {
  private readonly idle: Slot[] = [];
  private readonly busy = new Set<Slot>();
  private readonly queue: FairQueue<Waiting>;
  private readonly threads: number;
  private closed = false;

  constructor({ threads = 2, queue = 100, queuePerOwner = Math.ceil(queue / 2), queueBytes = QUEUE_BYTES }: ScriptRunnerOptions = {}) {
    this.threads = threads;
    this.queue = new FairQueue({ total: queue, perOwner: queuePerOwner, bytes: queueBytes });
  }

  /** Never rejects for what a script does; `unavailable` when too many scripts wait, or the runner is closed. */
  async run({ source, entry, arguments: args = [], limits, owners = [] }: ScriptCall): Promise<ScriptOutcome> {
    const call = { source, argumentsJson: JSON.stringify(args), limits: { ...SCRIPT_LIMITS, ...limits }, ...(entry !== undefined && { entry }) };
    const bytes = Buffer.byteLength(source) + Buffer.byteLength(call.argumentsJson);
    if (bytes > call.limits.inputBytes) return { kind: 'stopped', limit: 'input', message: `The script and what it is given have more than ${call.limits.inputBytes} bytes`, console: [] };
    const slot = await this.take({ owners, bytes });
    let survived = false;
    try {
      const thread = await slot.thread;
      const ended = await thread.run(call);
      survived = ended.survived;
      return toOutcome(ended.outcome);
    } finally {
      this.giveBack(slot, { owners }, survived);
    }
  }

  /** Ends the threads, and whatever runs in them; what waits is refused. */
  async close(): Promise<void> {
    this.closed = true;
    for (let waiting = this.queue.next(); waiting !== undefined; waiting = this.queue.next()) waiting.refuse(isClosed());
    await Promise.all([...this.idle.splice(0), ...this.busy].map(async ({ thread }) => (await thread).end()));
  }

  private take(queued: Queued): Promise<Slot> {
    if (this.closed) return Promise.reject(isClosed());
    return new Promise((go, refuse) => {
      const free = this.free();
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

const isClosed = () => unavailable('Scripts are not run any more');

const newSlot = (): Slot => ({ thread: ScriptThread.start(), runs: 0 });

function toOutcome({ output, ...outcome }: SandboxAnswer['outcome']): ScriptOutcome {
  const end: ScriptEnd & Pick<ScriptOutcome, 'console'> = outcome;
  return end.kind === 'returned' && output !== undefined ? { ...end, result: parseResult(output) } : end;
}

/** `__proto__` as a key of JSON is harmless until somebody copies the object: it stays out. */
function parseResult(json: string): unknown {
  if (!json.includes('"__proto__"')) return JSON.parse(json);
  return JSON.parse(json, (key, value: unknown) => (key === '__proto__' ? undefined : value));
}
