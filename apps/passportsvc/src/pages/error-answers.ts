import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorPage, errorPage } from './error-page';
import { type Frame, frameOf } from './frame';
import { PAGE_HEADERS, pageSecurityPolicy } from './page-security';
import { rangesOf } from './texts/language';
import type { Texts } from './texts';

/** Where browsers go by themselves. `/api/v1/accounts` is not among them. */
const PAGE_PATH = /^\/passportsvc\/(?:sign-in|accounts|api\/accounts|api\/v[12]\/oauth\/(?:authorize|end_session))(?:[/?]|$)/;

/**
 * A page for every error on the way of a page, wherever it was made: by the rate limit, the form parser, the router for a path that is
 * none, a sign-in that finds too many others waiting. The status stays, and so does `Retry-After`. Who asks for no page gets JSON.
 */
export function answerInPages(instance: FastifyInstance): void {
  instance.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode < 400 || typeof payload !== 'string' || !isJson(reply) || !isForPage(request)) return done(null, payload);
    void reply.headers({ ...PAGE_HEADERS, 'Content-Security-Policy': pageSecurityPolicy(), Vary: 'Accept, Accept-Language' }).type('text/html; charset=utf-8');
    return done(null, pageOf(request, reply, JSON.parse(payload) as ErrorBody));
  });
}

interface ErrorBody {
  readonly code?: string;
  readonly requestId?: string;
}

/** Whether browsers go there by themselves, and read a page if there is an error. `url`: with or without a query. */
export const isPagePath = (url: string): boolean => PAGE_PATH.test(url);

const isJson = (reply: FastifyReply) => String(reply.getHeader('content-type')).startsWith('application/json');

/** Browsers name `text/html` when they open a page or send a form (Fetch, "accept"); programs that take anything do not. */
const isForPage = ({ url, headers }: FastifyRequest) => isPagePath(url) && rangesOf(headers.accept ?? '').includes('text/html');

function pageOf(request: FastifyRequest, reply: FastifyReply, { code, requestId }: ErrorBody): string {
  const { here, ...rest } = frameOf(request);
  const frame: Frame = { ...rest, ...(request.method === 'GET' && here !== undefined && { here }) };
  const said = textsOf(reply, frame.texts);
  // The request's name is what its makers find it by in our log.
  return errorPage(frame, { ...said, code: [code, requestId].filter((part) => part !== undefined).join(' '), again: said.mayPass ? pathOf(request) : undefined });
}

interface Said extends Pick<ErrorPage, 'title' | 'reason'> {
  /** The same may be answered another time. */
  readonly mayPass: boolean;
}

function textsOf(reply: FastifyReply, { errors, problems }: Texts): Said {
  const wait = Number(reply.getHeader('retry-after') ?? 1);
  switch (reply.statusCode) {
    case 404:
      return { title: errors.missingTitle, reason: errors.missing, mayPass: false };
    case 413:
      return { title: errors.tooLargeTitle, reason: errors.tooLarge, mayPass: true };
    case 429:
      return { title: errors.busyTitle, reason: problems.tooMany(wait), mayPass: true };
    case 503:
      return { title: errors.busyTitle, reason: errors.busy(wait), mayPass: true };
    default:
      return reply.statusCode >= 500 ? { title: errors.failedTitle, reason: errors.failed, mayPass: true } : { title: errors.refusedTitle, reason: errors.refused, mayPass: false };
  }
}

/** The page that a form was on. That of an authorization request in a form is the application's. */
function pathOf({ method, url }: FastifyRequest): string | undefined {
  if (method === 'GET') return url;
  return /^\/passportsvc\/(?:sign-in\/[^/?]+|accounts\/[^?]+|api\/accounts)/.exec(url)?.[0];
}
