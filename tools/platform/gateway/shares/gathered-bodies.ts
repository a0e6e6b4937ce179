import type { IncomingMessage } from 'node:http';
import type { PassThrough } from 'node:stream';
import { SMALL_BODY_BYTES } from '@twinyard/service-kit/process';
import { detachedBody } from '../detached-body';

/** What all bodies that are gathered may take together. Beyond it they are passed on as they come: then their callers' shares alone hold. */
const GATHERED_TOGETHER_BYTES = 64 * 1024 * 1024;

/**
 * Bodies on their way to a service. What waits for its caller's bytes holds no connection to a service: a small body is gathered whole
 * before it goes on, a large one, or one that does not say its length, once so much of it is there; the rest of it then streams.
 */
export class GatheredBodies {
  private held = 0;

  constructor(private readonly most = GATHERED_TOGETHER_BYTES) {}

  /** Calls back when the body may go on. Never, when its caller goes away before. */
  take(source: IncomingMessage, ready: (body: PassThrough | Buffer) => void): void {
    if (this.held < this.most && isWhollyGathered(source)) this.gather(source, ready);
    else this.passOn(source, ready);
  }

  /** In one piece, which goes on with its head: streams cost several times what they carry. */
  private gather(source: IncomingMessage, ready: (body: Buffer) => void): void {
    const chunks: Buffer[] = [];
    let held = 0;
    source.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      held += chunk.length;
      this.held += chunk.length;
    });
    source.once('end', () => ready(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    source.once('error', () => undefined);
    source.once('close', () => (this.held -= held));
  }

  private passOn(source: IncomingMessage, ready: (body: PassThrough) => void): void {
    const mayHold = this.held < this.most;
    const firstPiece = mayHold ? firstPieceOf(source) : 1;
    const body = detachedBody(source, mayHold ? SMALL_BODY_BYTES : undefined);
    let [received, held] = [0, 0];
    const goOn = () => {
      source.off('data', count).off('end', goOn);
      ready(body);
    };
    const count = (chunk: Buffer) => {
      received += chunk.length;
      const more = Math.min(chunk.length, SMALL_BODY_BYTES - held);
      held += more;
      this.held += more;
      if (received >= firstPiece || this.held >= this.most) goOn();
    };
    body.once('close', () => (this.held -= held));
    source.on('data', count).once('end', goOn);
  }
}

/** One without a type is passed on as a stream: whoever sends it on as a piece would have to name one. */
const isWhollyGathered = (source: IncomingMessage) => Boolean(source.headers['content-type']) && firstPieceOf(source) === Number.POSITIVE_INFINITY;

/** So much of a body must be there; of a small one nothing less than its end. */
function firstPieceOf({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) > SMALL_BODY_BYTES ? SMALL_BODY_BYTES : Number.POSITIVE_INFINITY;
}
