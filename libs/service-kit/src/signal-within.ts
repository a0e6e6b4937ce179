/**
 * Is aborted after `ms` with a TimeoutError, or with `ending`. Its timer holds what it aborts: the signal of an `AbortSignal.timeout` that only an
 * `AbortSignal.any` knows is collected as garbage in Node 20, and nothing is aborted then.
 */
export function signalWithin(ms: number, ending?: AbortSignal): AbortSignal {
  const late = new AbortController();
  setTimeout(() => late.abort(new DOMException(`It took longer than ${ms} ms`, 'TimeoutError')), ms).unref();
  return ending === undefined ? late.signal : AbortSignal.any([ending, late.signal]);
}
