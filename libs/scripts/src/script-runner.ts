import { unavailable } from '@twinyard/conventions';
import { SCRIPT_LIMITS, type ScriptCall, type ScriptEnd, type ScriptOutcome } from './script';
import { type SandboxAnswer, ScriptThread } from './script-thread';

export interface ScriptRunnerOptions {
  /** Scripts that run at once; each needs a processor. */
  readonly threads?: number;
  /** Scripts that wait for a thread; one more is refused. */
  readonly queue?: number;
}

/** A thread is let go of after so many scripts: memory that an engine once had is not given back otherwise. */
const MAX_RUNS = 200;

interface Slot {
  thread: Promise<ScriptThread>;
  runs: number;
}

/**
 * Runs scripts of users (decision 18): an engine of its own for each run, in a thread that is ended when the script does not stop.
 * A script gets JSON and gives JSON; there is nothing else that it could reach.
 */
export class ScriptRunner {
  private readonly idle: Slot[] = [];
  private readonly busy = new Set<Slot>();
  private readonly waiting: ((slot: Slot) => void)[] = [];
  private readonly threads: number;
  private readonly queue: number;
  private closed = false;

  constructor({ threads = 2, queue = 100 }: ScriptRunnerOptions = {}) {
    this.threads = threads;
    this.queue = queue;
  }

  /** Never rejects for what a script does; `unavailable` when too many scripts wait, or the runner is closed. */
  async run({ source, entry, arguments: args = [], limits }: ScriptCall): Promise<ScriptOutcome> {
    const call = { source, argumentsJson: JSON.stringify(args), limits: { ...SCRIPT_LIMITS, ...limits }, ...(entry !== undefined && { entry }) };
    const slot = await this.take();
    let survived = false;
    try {
      const thread = await slot.thread;
      const ended = await thread.run(call);
      survived = ended.survived;
      return toOutcome(ended.answer);
    } finally {
      await this.giveBack(slot, survived);
    }
  }

  /** Ends the threads, and whatever runs in them. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.idle.splice(0), ...this.busy].map(async ({ thread }) => (await thread).end()));
  }

  private take(): Promise<Slot> {
    if (this.closed) return Promise.reject(unavailable('Scripts are not run any more'));
    const slot = this.idle.pop() ?? (this.busy.size < this.threads ? newSlot() : undefined);
    if (slot !== undefined) {
      this.busy.add(slot);
      return Promise.resolve(slot);
    }
    if (this.waiting.length >= this.queue) return Promise.reject(unavailable('Too many scripts wait to be run'));
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private async giveBack(slot: Slot, survived: boolean): Promise<void> {
    slot.runs += 1;
    this.busy.delete(slot);
    const isGood = survived && slot.runs < MAX_RUNS && !this.closed;
    if (!isGood) void slot.thread.then((thread) => thread.end(), () => undefined);
    const next = this.waiting.shift();
    if (next === undefined) {
      if (isGood) this.idle.push(slot);
      return;
    }
    const taken = isGood ? slot : newSlot();
    this.busy.add(taken);
    next(taken);
  }
}

const newSlot = (): Slot => ({ thread: ScriptThread.start(), runs: 0 });

function toOutcome({ output, ...outcome }: SandboxAnswer): ScriptOutcome {
  const end: ScriptEnd & Pick<ScriptOutcome, 'console'> = outcome;
  return end.kind === 'returned' && output !== undefined ? { ...end, result: parseResult(output) } : end;
}

/** `__proto__` as a key of JSON is harmless until somebody copies the object: it stays out. */
function parseResult(json: string): unknown {
  if (!json.includes('"__proto__"')) return JSON.parse(json);
  return JSON.parse(json, (key, value: unknown) => (key === '__proto__' ? undefined : value));
}
