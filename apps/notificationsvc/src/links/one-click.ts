import { once } from 'node:events';
import { Busboy } from '@fastify/busboy';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ServiceError } from '@twinyard/conventions';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** The field and value that a mail program posts to get its reader out of further mails (RFC 8058 section 3.1). */
export const ONE_CLICK = { name: 'List-Unsubscribe', value: 'One-Click' } as const;

/** `@RouteConfig(TAKES_ONE_CLICK)`: a multipart form, of which those fields are read that RFC 8058 knows. */
export const TAKES_ONE_CLICK = { takesOneClick: true } as const;

/** Far more than the one field takes. */
const MAX_BYTES = 64 * 1024;

export const isOneClick = (form: unknown): boolean => (form as Readonly<Record<string, unknown>> | undefined)?.[ONE_CLICK.name] === ONE_CLICK.value;

/** "The POST request ... MUST be sent as multipart/form-data ... or application/x-www-form-urlencoded": forms are read everywhere, parts for these routes alone. */
export function takeOneClick(app: NestFastifyApplication): Promise<void> {
  const instance = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  instance.addContentTypeParser('multipart/form-data', { parseAs: 'buffer', bodyLimit: MAX_BYTES }, async (request: FastifyRequest, body: Buffer) => {
    const { takesOneClick } = request.routeOptions.config as Partial<typeof TAKES_ONE_CLICK>;
    if (takesOneClick !== true) throw new ServiceError('unsupported_media_type', 'Unsupported Media Type: multipart/form-data');
    return readFields(request, body);
  });
  return Promise.resolve();
}

/** What is no whole form says nothing, and is answered as the page's own form is. */
async function readFields({ headers }: FastifyRequest, body: Buffer): Promise<Record<string, string>> {
  const fields: Record<string, string> = {};
  try {
    const parser = new Busboy({ headers: { ...headers, 'content-type': headers['content-type'] ?? '' }, limits: { fields: 10, files: 0, fieldSize: 1_000 } });
    parser.on('field', (name, value) => {
      if (name === ONE_CLICK.name) fields[name] = value;
    });
    const isOver = once(parser, 'finish');
    parser.end(body);
    await isOver;
  } catch {
    return {};
  }
  return fields;
}
