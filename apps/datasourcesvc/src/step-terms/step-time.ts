/** A step has taken longer than one attempt may. */
export class StepLate extends Error {
  constructor() {
    super('The step took longer than its time limit');
    this.name = 'StepLate';
  }
}

/**
 * Work that is told to stop with its run, or when the step has had its time. It is not waited for then: whatever it still tries is refused by the signal
 * or by its old lease. @throws StepLate
 */
export async function withinTime<T>(timeoutMs: number | null, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  if (timeoutMs === null) return orAborted(work(signal), signal);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new StepLate()), timeoutMs);
  const both = AbortSignal.any([signal, late.signal]);
  try {
    return await orAborted(work(both), both);
  } catch (error) {
    // Work may say in its own words that it was told to stop.
    throw late.signal.aborted && !signal.aborted ? late.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
