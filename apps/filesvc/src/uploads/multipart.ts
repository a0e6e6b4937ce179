import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Dicer } from '@fastify/busboy';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { invalidField, ServiceError, tooLarge } from '@twinyard/conventions';
import type { FastifyInstance } from 'fastify';
import { describePart, type PartDescription, type PartHeaders } from './part-headers';

export interface Part extends PartDescription {
  /** Ends with an error when the part does not arrive whole. */
  readonly body: Readable;
}

/** Parts that are files; others are passed over. */
export const PART_NAME = 'file';

const AS_IT_IS = /^(binary|8bit|7bit)$/i;
const MAX_PARTS = 1_000;
const MAX_HEADERS = 50;
/** Of one part: far more than a name of 255 bytes takes, in any of its forms. */
const MAX_HEADER_BYTES = 16 * 1024;
/** Where no part is: before the first, and in headers that do not end. */
const MAX_OUTSIDE_BYTES = 1024 ** 2;
/** Of parts that nobody asked for, together. */
const MAX_IGNORED_BYTES = 16 * 1024 ** 2;

const malformed = (cause?: unknown) => (cause instanceof ServiceError ? cause : Object.assign(invalidField('body', 'is no whole multipart message'), { cause }));
const ignore = (): void => undefined;

/** The parser's own words come first; what they mean is what the body of the part was destroyed with. */
export const meaningOf = (error: unknown, { errored }: Readable): unknown => (errored instanceof ServiceError ? errored : error);

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
  let ignored = 0;
  try {
    for await (const part of parts.stream) {
      count += 1;
      if (count > MAX_PARTS) throw invalidField('body', `has more than ${MAX_PARTS} parts`);
      yield part as Part;
      ignored += await drop((part as Part).body, MAX_IGNORED_BYTES - ignored);
    }
  } finally {
    parts.close();
  }
}

/** Reads to its end what is left of a part; how much that was. */
async function drop(body: Readable, limit: number): Promise<number> {
  let dropped = 0;
  if (body.readableEnded || body.destroyed) return dropped;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      dropped += chunk.length;
      if (dropped > limit) throw tooLarge(`Parts that are no files may have at most ${MAX_IGNORED_BYTES} bytes together`);
    }
  } catch (error) {
    throw meaningOf(error, body);
  }
  return dropped;
}

function openParts(request: IncomingMessage): { readonly stream: Readable; readonly close: () => void } {
  // More than is allowed, so that too much can be told from what the parser has left out.
  const limits = { maxHeaderPairs: MAX_HEADERS + 1, maxHeaderSize: 4 * MAX_HEADER_BYTES };
  const parser = new Dicer({ boundary: boundaryOf(request), ...limits });
  const stream = new Readable({ objectMode: true, read: ignore });
  const open = new Set<Readable>();
  let outside = 0;
  let current: Readable | undefined;
  const fail = (cause?: unknown) => {
    const error = malformed(cause);
    for (const body of open) body.destroy(error);
    stream.destroy(error);
  };
  const onClose = () => (request.complete ? undefined : fail(new Error('the client went away')));
  parser.on('part', (body) => {
    open.add(body);
    // Nobody may be listening yet when the message breaks off.
    body.on('error', fail);
    body.once('close', () => {
      open.delete(body);
      // The next part may have begun before this one is known to be over.
      if (current === body) current = undefined;
    });
    body.once('header', (headers) => {
      [outside, current] = [0, body];
      const description = describePart(headers as PartHeaders);
      const fault = faultOf(headers as PartHeaders, description);
      return fault === undefined ? stream.push({ ...description, body } satisfies Part) : fail(invalidField('body', `a part ${fault}`));
    });
  });
  request.on('data', (chunk: Buffer) => {
    if (current === undefined) outside += chunk.length;
    if (outside > MAX_OUTSIDE_BYTES) fail(invalidField('body', 'has no part where one should begin'));
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

/** What would keep a part from being what its sender means, or from being seen at all: it would be lost without a word among others. */
function faultOf(headers: PartHeaders, { field }: PartDescription): string | undefined {
  if (isOverlong(headers)) return `has more than ${MAX_HEADERS} headers, or more than ${MAX_HEADER_BYTES} bytes of them`;
  // "Each part MUST contain a Content-Disposition header field … MUST also contain an additional parameter of "name"" (RFC 7578, 4.2)
  if (field === undefined) return 'has no Content-Disposition that can be read and names its field';
  // "Senders SHOULD NOT generate any parts with a Content-Transfer-Encoding header field" (4.7): bytes come as they are.
  if (!AS_IT_IS.test(headers['content-transfer-encoding']?.[0]?.trim() ?? 'binary')) return 'has a Content-Transfer-Encoding that is not undone here; send the bytes as they are';
  return undefined;
}

function isOverlong(headers: PartHeaders): boolean {
  const lines = Object.entries(headers).flatMap(([name, values]) => (values ?? []).map((value) => name.length + value.length));
  return lines.length > MAX_HEADERS || lines.reduce((sum, length) => sum + length, 0) > MAX_HEADER_BYTES;
}

function boundaryOf(request: IncomingMessage): string {
  const match = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(request.headers['content-type'] ?? '');
  const boundary = match?.[1] ?? match?.[2];
  // "no longer than 70 characters" (RFC 2046, 5.1.1)
  if (boundary === undefined || boundary.length > 70) throw invalidField('content-type', 'has no boundary');
  return boundary;
}
