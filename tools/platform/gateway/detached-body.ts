import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';

const DRAIN_BYTES = 16 * 1024 * 1024;
const DRAIN_MS = 5_000;

/**
 * A caller's body in a form that may be destroyed without its connection. When a service dies in the middle of a request, the
 * client that carried the body destroys it; were that the connection itself, the caller would see a reset in place of an
 * answer. What is left of the body is read and dropped, within bounds, so that a caller still sending comes to read the answer.
 * `holdsBytes`: what it takes in while nobody reads it.
 */
export function detachedBody(source: IncomingMessage, holdsBytes?: number): PassThrough {
  const body = new PassThrough(holdsBytes === undefined ? {} : { highWaterMark: holdsBytes });
  source.pipe(body);
  source.once('error', (error) => body.destroy(error));
  source.once('close', () => {
    if (!source.readableEnded) body.destroy(new Error('the caller went away'));
  });
  // Its user hears of errors from the request that it belongs to.
  body.on('error', () => undefined);
  body.once('close', () => {
    if (!source.readableEnded && !source.destroyed) drain(source, body);
  });
  return body;
}

function drain(source: IncomingMessage, body: PassThrough): void {
  let dropped = 0;
  source.unpipe(body);
  source.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > DRAIN_BYTES) source.destroy();
  });
  const timer = setTimeout(() => source.destroy(), DRAIN_MS);
  source.once('close', () => clearTimeout(timer));
  source.resume();
}
