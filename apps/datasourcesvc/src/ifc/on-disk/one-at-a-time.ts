/** Work that is done one after the other, in the order in which it came. */
export class OneAtATime {
  private last: Promise<unknown> = Promise.resolve();

  /** Rejects with the reason of the signal, where that comes before its turn. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.last;
    let leave: () => void = () => {};
    const over = new Promise<void>((resolve) => { leave = resolve; });
    this.last = before.then(() => over);
    try {
      await endedBy(signal, before);
      return await work();
    } finally {
      leave();
    }
  }
}

function endedBy(signal: AbortSignal, waited: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    void waited.then(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
  });
}
