// `ctx`: what a script knows of its run, and what it can tell it.
const { debug, info, warn, error } = console;
const WRITE = { debug, info, warn, error };

export function contextOf(ask, whenAborted, { runId, stepId, namespaces, principalInfo, now }) {
  return Object.freeze({
    runId,
    stepId,
    namespaces: Object.freeze(namespaces),
    principalInfo: Object.freeze(principalInfo),
    now: new Date(now),
    signal: signalOf(whenAborted),
    log(level, message, data) {
      const write = Object.hasOwn(WRITE, level) ? WRITE[level] : info;
      if (data === undefined) write(message);
      else write(message, data);
    },
    progress(done, total) {
      // What becomes of it is nothing to the script.
      ask('progress', { done, total }).catch(() => undefined);
    },
  });
}

/** As far as an AbortSignal is needed here. */
function signalOf(whenAborted) {
  const listeners = new Set();
  let reason;
  whenAborted(() => {
    reason = Object.assign(new Error('The run is cancelled'), { code: 'cancelled' });
    for (const listener of listeners) {
      try {
        listener({ type: 'abort' });
      } catch (fault) {
        error(`A listener of the signal threw ${fault}`);
      }
    }
  });
  return Object.freeze({
    get aborted() {
      return reason !== undefined;
    },
    get reason() {
      return reason;
    },
    throwIfAborted() {
      if (reason !== undefined) throw reason;
    },
    addEventListener(type, listener) {
      if (type === 'abort' && typeof listener === 'function') listeners.add(listener);
    },
    removeEventListener(type, listener) {
      if (type === 'abort') listeners.delete(listener);
    },
  });
}
