import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ServiceError, Utf8Check } from '@twinyard/conventions';
import { bodyTooLarge } from '@twinyard/service-kit';
import type { FastifyInstance } from 'fastify';

/** A type under which Fastify leaves a body where it is. */
export const UNPARSED = 'application/vnd.twinyard.rows';

/** Routes ask for it with `@RouteConfig(ROWS_BODY)`: whatever the type of the body, it is left on the line for `readBody`. */
export const ROWS_BODY = { takesRows: true } as const;

/** What `curl -F` and forms of pages send: boundaries and headers would be taken for rows. */
const FORM = /^\s*(?:multipart\/|application\/x-www-form-urlencoded)/i;
const forms = new WeakSet<IncomingMessage>();

export function takeRowsUnparsed(app: NestFastifyApplication): void {
  const instance = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  instance.addContentTypeParser(UNPARSED, (_request, _payload, done) => done(null));
  instance.addHook('onRequest', (request, _reply, done) => {
    const { takesRows } = request.routeOptions.config as { takesRows?: boolean };
    if (takesRows) {
      if (FORM.test(request.headers['content-type'] ?? '')) forms.add(request.raw);
      request.headers['content-type'] = UNPARSED;
    }
    done();
  });
}

export interface BodyLimits {
  readonly maxBytes: number;
  readonly chunkBytes: number;
  /** Else what it is is found out row by row. */
  readonly isUtf8: boolean;
}

const digests = new WeakMap<IncomingMessage, string>();

/** Of a body that was read to its end, where its sender has given it a key. */
export const digestOfRows = (request: IncomingMessage): string | undefined => digests.get(request);

/** The body in chunks of one size, read no faster than they are taken. What is no UTF-8 is 400, what is too long 413; a connection that is cut throws. */
export async function* readBody(request: IncomingMessage, limits: BodyLimits): AsyncGenerator<Buffer, void> {
  if (forms.has(request)) throw new ServiceError('unsupported_media_type', 'Send the rows as the body itself, not in a form');
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw new ServiceError('unsupported_media_type', `The content encoding ${encoding} is not known here`);
  if (Number(request.headers['content-length'] ?? 0) > limits.maxBytes) throw bodyTooLarge(limits.maxBytes);
  try {
    yield* chunksOf(request, limits);
  } finally {
    // Who is refused reads the answer and sends its next request behind this one: what is left of the body is read and dropped.
    request.resume();
  }
}

async function* chunksOf(request: IncomingMessage, limits: BodyLimits): AsyncGenerator<Buffer, void> {
  const look = lookAt(request, limits);
  let parts: Buffer[] = [];
  let [held, total] = [0, 0];
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    total += part.length;
    if (total > limits.maxBytes) throw bodyTooLarge(limits.maxBytes);
    look.take(part);
    parts.push(part);
    held += part.length;
    if (held < limits.chunkBytes) continue;
    yield Buffer.concat(parts);
    [parts, held] = [[], 0];
  }
  look.end();
  if (held > 0) yield Buffer.concat(parts);
}

/** What is to be known of the bytes as they pass: whether they are text, and what they come to where the request may come again. */
function lookAt(request: IncomingMessage, { isUtf8 }: BodyLimits): { readonly take: (part: Buffer) => void; readonly end: () => void } {
  const text = isUtf8 ? new Utf8Check() : undefined;
  const hash = request.headers['idempotency-key'] === undefined ? undefined : createHash('sha256');
  const take = (part: Buffer) => {
    text?.take(part);
    hash?.update(part);
  };
  const end = () => {
    text?.end();
    if (hash) digests.set(request, hash.digest('base64url'));
  };
  return { take, end };
}
