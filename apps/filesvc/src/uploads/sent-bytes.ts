import type { IncomingMessage } from 'node:http';
import type { Room } from '../quota/room';
import { LineSilence } from './line-silence';

export interface BodyTerms {
  /** Ends the body when it is aborted. */
  readonly signal?: AbortSignal;
  /** For more than was asked for, whatever was announced. */
  readonly room?: Room;
  /** Begins and ends with the sender's. */
  readonly silence?: LineSilence;
}

/** So long the rest of a body is dropped that nobody listens to any more; then its line is cut. */
const DROP_MS = 30_000;

/** The body of a request; ends with an error when its line breaks, when it brings more than there is room for, or when `signal` says so. */
export async function* sentBytes(raw: IncomingMessage, { signal, room, silence = new LineSilence() }: BodyTerms = {}): AsyncGenerator<Buffer> {
  let length = 0;
  const end = () => raw.destroy(signal?.reason instanceof Error ? signal.reason : undefined);
  signal?.addEventListener('abort', end, { once: true });
  silence.begin();
  try {
    for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      silence.end();
      length += chunk.length;
      if (room !== undefined && length > room.bytes) throw room.refuse(length);
      yield chunk;
      silence.begin();
    }
  } finally {
    silence.end();
    // Whoever is not listened to any more is to hear why: a disk is full, an upload is taken over.
    if (!raw.readableEnded) dropRest(raw);
    signal?.removeEventListener('abort', end);
  }
}

function dropRest(raw: IncomingMessage): void {
  raw.resume();
  setTimeout(() => raw.destroy(), DROP_MS).unref();
}
