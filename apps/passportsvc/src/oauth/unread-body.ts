import type { Readable } from 'node:stream';
import { refuseBrokenText } from '@twinyard/conventions';
import { bodyTooLarge, FORM, FORM_BODY_LIMIT, parseForm } from '@twinyard/service-kit';
import type { FastifyInstance } from 'fastify';

/** `@RouteConfig(UNREAD_BODY)`: oidc-provider reads the form of this route by itself. */
export const UNREAD_BODY = { readsOwnForm: true } as const;

/** Takes the place of the form parser of all services: it leaves forms alone where the route says so. */
export function leaveFormsUnread(instance: FastifyInstance): void {
  instance.removeContentTypeParser(FORM);
  instance.addContentTypeParser(FORM, (request, payload, done) => {
    const config = request.routeOptions.config as Partial<typeof UNREAD_BODY>;
    if (config.readsOwnForm === true) return done(null, undefined);
    return void readForm(payload).then((form) => done(null, form), done);
  });
}

async function readForm(payload: Readable): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of payload as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Read to its end all the same: the next request on this connection comes behind it.
    if (size <= FORM_BODY_LIMIT) chunks.push(chunk);
  }
  if (size > FORM_BODY_LIMIT) throw bodyTooLarge(FORM_BODY_LIMIT);
  const form = parseForm(Buffer.concat(chunks));
  refuseBrokenText(form);
  return form;
}
