import type { StepContext } from './step-context';

/** Remembers, in the run's own store, what a step has made, so that a takeover goes on instead of making it twice. One for each step: a second would write over what the first has saved. */
export class StepProgress {
  private done: Readonly<Record<string, unknown>>;

  constructor(private readonly step: Pick<StepContext, 'progress' | 'saveProgress'>) {
    this.done = (step.progress as Record<string, unknown> | null) ?? {};
  }

  /** The answer of `work`, which is JSON; of an earlier attempt when that got so far. Work that was cut off is done again. */
  async once<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (Object.hasOwn(this.done, key)) return this.done[key] as T;
    const answer = await work();
    await this.set(key, answer);
    return answer;
  }

  /** What an earlier attempt, or this one, has set last. */
  get<T>(key: string): T | undefined {
    return Object.hasOwn(this.done, key) ? (this.done[key] as T) : undefined;
  }

  /** How far work has come that is one of many parts. JSON. */
  async set(key: string, value: unknown): Promise<void> {
    this.done = { ...this.done, [key]: value };
    await this.step.saveProgress(this.done);
  }
}
