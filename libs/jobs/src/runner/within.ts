/** What is not there in time is not waited for any more; it may still come. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${ms} ms`)), ms);
  });
  // A failure behind the time is nobody's any more.
  work.catch(() => undefined);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Ends with the work, or with why it was told to stop when it has not listened for `graceMs`: then it is left to itself. */
export async function untilStopped(work: Promise<void>, signal: AbortSignal, graceMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let tell = (): void => undefined;
  const left = new Promise<never>((_resolve, reject) => {
    tell = () => (timer = setTimeout(() => reject(signal.reason as Error), graceMs));
  });
  work.catch(() => undefined);
  if (signal.aborted) tell();
  else signal.addEventListener('abort', tell, { once: true });
  await Promise.race([work, left]).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', tell);
  });
}
