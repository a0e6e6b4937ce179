import { setTimeout as delay } from 'node:timers/promises';

/** How a file is sent whose bytes come when they like. */
export interface Pace {
  /** Held back of it: a file of no more is sent as a whole. */
  readonly heldBytes: number;
  /** For so long nothing may come; then a little of what is held goes. */
  readonly quietMs: number;
  readonly littleBytes: number;
}

/** filesvc cuts off who sends less than 64 KB in 120 seconds, or nothing for 30 (`SMALL_BODY_SECONDS`, `LINE_SILENCE_SECONDS`). What is held lasts for three quarters of an hour. */
export const PACE: Pace = { heldBytes: 2 * 1_048_576, quietMs: 5_000, littleBytes: 4_096 };

/** Bytes in their order. */
export class HeldBytes {
  private readonly chunks: Uint8Array[] = [];
  size = 0;

  put(chunk: Uint8Array): void {
    this.chunks.push(chunk);
    this.size += chunk.byteLength;
  }

  /** The first so many, or as many as there are. */
  take(bytes: number): Buffer {
    const taken: Uint8Array[] = [];
    for (let left = Math.min(bytes, this.size); left > 0;) {
      const chunk = this.chunks.shift() as Uint8Array;
      taken.push(chunk.subarray(0, left));
      if (chunk.byteLength > left) this.chunks.unshift(chunk.subarray(left));
      left -= Math.min(left, chunk.byteLength);
    }
    const all = Buffer.concat(taken);
    this.size -= all.byteLength;
    return all;
  }
}

/** What is held and what comes behind it, never silent for long while anything is held. */
export async function* pacedBytes(held: HeldBytes, source: AsyncIterator<Uint8Array>, { heldBytes, quietMs, littleBytes }: Pace): AsyncGenerator<Uint8Array> {
  const asked = () => {
    const next = source.next();
    // Where it fails while something else goes, it is met behind that.
    next.catch(() => undefined);
    return next;
  };
  let coming = asked();
  for (;;) {
    if (held.size > heldBytes) yield held.take(held.size - heldBytes);
    const next = await within(quietMs, coming);
    if (next === undefined) {
      if (held.size > 0) yield held.take(littleBytes);
      continue;
    }
    if (next.done === true) break;
    held.put(next.value);
    coming = asked();
  }
  if (held.size > 0) yield held.take(held.size);
}

/** `undefined` where it takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  const late = delay(ms, undefined, { signal: over.signal, ref: false }).catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}
