import { PassingFailure, PlatformError } from '../platform-error';
import type { SentStream } from '../http/platform-http';
import { HeldBytes, PACE, type Pace, pacedBytes } from './held-bytes';
import { oneFileMessage } from './one-file-message';

/** How bytes become a file. */
export interface Sender<T> {
  /** All of them at once: tried again, and done once. */
  whole(content: Uint8Array): Promise<T>;
  /** In one try, while they are made. */
  stream(content: SentStream): Promise<T>;
}

/**
 * Sends a file while it is made. One that is small is sent as a whole when it is done; of a larger one no more than a little is held. What fails on the way, and what the
 * bytes themselves fail of, leaves nothing behind: filesvc makes a version of whole messages alone.
 */
export async function sendGrowing<T>(bytes: AsyncIterable<Uint8Array>, contentType: string, sender: Sender<T>, pace: Pace = PACE): Promise<T> {
  const source = bytes[Symbol.asyncIterator]();
  const held = new HeldBytes();
  try {
    while (held.size <= pace.heldBytes) {
      const { done, value } = await source.next();
      if (done === true) return await sender.whole(held.take(held.size));
      held.put(value);
    }
    const { head, tail, contentType: type } = oneFileMessage(contentType);
    return await sender.stream({ contentType: type, bytes: framed(head, pacedBytes(held, source, pace), tail) });
  } catch (error) {
    throw error instanceof PassingFailure ? new PlatformError(error.message, 503, 'unavailable') : error;
  } finally {
    // Who makes the bytes may stop.
    void source.return?.()?.catch(() => undefined);
  }
}

async function* framed(head: Uint8Array, bytes: AsyncIterable<Uint8Array>, tail: Uint8Array): AsyncGenerator<Uint8Array> {
  yield head;
  yield* bytes;
  yield tail;
}
