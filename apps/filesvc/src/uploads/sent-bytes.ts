import type { IncomingMessage } from 'node:http';
import type { ServiceError } from '@twinyard/conventions';
import type { PaceTerms } from '@twinyard/service-kit';
import type { Room } from '../quota/room';
import { LineSilence } from './line-silence';
import { SenderPace } from './sender-pace';

export interface BodyTerms {
  /** Ends the body when it is aborted. */
  readonly signal?: AbortSignal;
  /** For more than was asked for, whatever was announced. */
  readonly room?: Room;
  /** Begins and ends with the sender's. */
  readonly silence?: LineSilence;
}

/** The body of a request while its sender speaks; ends with an error when it falls silent or only drips, brings too much, or when `signal` says so. */
export async function* sentBytes(raw: IncomingMessage, line: PaceTerms, { signal, room, silence = new LineSilence() }: BodyTerms = {}): AsyncGenerator<Buffer> {
  let length = 0;
  const end = () => raw.destroy(signal?.reason instanceof Error ? signal.reason : undefined);
  signal?.addEventListener('abort', end, { once: true });
  raw.setTimeout(line.silenceMs, () => raw.destroy(new Error('the client fell silent')));
  const pace = new SenderPace(raw, line);
  let fault: ServiceError | undefined;
  silence.begin();
  try {
    for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      silence.end();
      length += chunk.length;
      fault = tooMuch(raw, line, room, length);
      if (fault !== undefined) throw fault;
      fault = pace.heard(chunk.length);
      yield chunk;
      if (fault !== undefined) throw fault;
      pace.wait();
      silence.begin();
    }
  } finally {
    silence.end();
    // Whoever is not listened to any more is to hear why: a disk is full, an upload is taken over.
    if (fault === undefined && !raw.readableEnded) dropRest(raw, line);
    signal?.removeEventListener('abort', end);
    raw.setTimeout(0);
  }
}

/** What else comes is dropped, for a while: then its line is cut. */
function dropRest(raw: IncomingMessage, line: PaceTerms): void {
  raw.resume();
  cutLater(raw, line);
}

const cutLater = (raw: IncomingMessage, { silenceMs }: PaceTerms) => setTimeout(() => raw.destroy(), silenceMs).unref();

/** The refusal of more bytes than there is room for, if so. What else comes is dropped, for a while. */
function tooMuch(raw: IncomingMessage, line: PaceTerms, room: Room | undefined, length: number): ServiceError | undefined {
  if (room === undefined || length <= room.bytes) return undefined;
  cutLater(raw, line);
  return room.refuse(length);
}
