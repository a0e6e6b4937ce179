import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Dicer } from '@fastify/busboy';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { invalid } from '@twinyard/conventions';
import type { FastifyInstance } from 'fastify';
import { describePart, type PartDescription, type PartHeaders } from './part-headers';

export interface Part extends PartDescription {
  /** Ends with an error when the part does not arrive whole. */
  readonly body: Readable;
}

const MAX_PARTS = 1_000;
const MAX_HEADERS = 50;
const malformed = (cause?: unknown) => Object.assign(invalid('body: is no whole multipart message'), { cause });
const ignore = (): void => undefined;

/** The message is left on the line for `readParts`: nothing of it is read before the caller's rights are known. */
export function takeMultipartUnparsed(app: NestFastifyApplication): void {
  const instance = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  instance.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null));
}

export const isMultipart = (contentType: string | undefined) => /^multipart\/form-data\b/i.test(contentType ?? '');

/**
 * The parts of a multipart message (RFC 7578) in order, each a stream that waits for its reader. @fastify/multipart keeps a part's
 * headers to itself, and `content-encoding` counts there, so its parser is used directly. What the reader leaves of the message is
 * read to its end and dropped, so that the answer reaches the client.
 */
export async function* readParts(request: IncomingMessage): AsyncGenerator<Part> {
  const parts = openParts(request);
  let count = 0;
  try {
    for await (const part of parts.stream) {
      count += 1;
      if (count > MAX_PARTS) throw invalid(`body: has more than ${MAX_PARTS} parts`);
      yield part as Part;
      (part as Part).body.resume();
    }
  } finally {
    parts.close();
  }
}

function openParts(request: IncomingMessage): { readonly stream: Readable; readonly close: () => void } {
  const parser = new Dicer({ boundary: boundaryOf(request), maxHeaderPairs: MAX_HEADERS });
  const stream = new Readable({ objectMode: true, read: ignore });
  const open = new Set<Readable>();
  const fail = (cause?: unknown) => {
    const error = malformed(cause);
    for (const body of open) body.destroy(error);
    stream.destroy(error);
  };
  const onClose = () => {
    if (!request.complete) fail(new Error('the client went away'));
  };
  parser.on('part', (body) => {
    open.add(body);
    // Nobody may be listening yet when the message breaks off.
    body.on('error', fail);
    body.once('close', () => open.delete(body));
    body.once('header', (headers) => stream.push({ ...describePart(headers as PartHeaders), body } satisfies Part));
  });
  parser.on('finish', () => stream.push(null));
  parser.on('error', fail);
  stream.on('error', ignore);
  request.once('close', onClose).once('error', fail);
  request.pipe(parser);
  return { stream, close: () => stopReading(request, parser) };
}

/** Listeners of `request` stay: an error of a line that is being emptied is nobody's any more, and must not end the process. */
function stopReading(request: IncomingMessage, parser: Dicer): void {
  request.unpipe(parser);
  request.resume();
}

function boundaryOf(request: IncomingMessage): string {
  const match = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(request.headers['content-type'] ?? '');
  const boundary = match?.[1] ?? match?.[2];
  // "no longer than 70 characters" (RFC 2046, 5.1.1)
  if (boundary === undefined || boundary.length > 70) throw invalid('content-type: has no boundary');
  return boundary;
}
