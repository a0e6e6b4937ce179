interface Given<T> {
  readonly value: T;
  readonly taken: () => void;
}

/** From one hand into another: who gives something waits until the other has done with it, and comes for the next. */
export class HandOver<T> implements AsyncIterable<T> {
  private readonly given: Given<T>[] = [];
  private hasEnded = false;
  private failure: { readonly error: unknown } | undefined;
  private wake: (() => void) | undefined;

  /** Never settles where nobody comes any more. */
  give(value: T): Promise<void> {
    return new Promise((taken) => {
      this.given.push({ value, taken });
      this.wake?.();
    });
  }

  end(): void {
    this.hasEnded = true;
    this.wake?.();
  }

  /** Whoever comes next has this thrown. */
  fail(error: unknown): void {
    this.failure = { error };
    this.wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      if (this.failure !== undefined) throw this.failure.error;
      const next = this.given.shift();
      if (next !== undefined) {
        yield next.value;
        next.taken();
        continue;
      }
      if (this.hasEnded) return;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}
