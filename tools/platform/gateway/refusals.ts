import { ERROR_STATUS, type ErrorCode, type FieldIssue, invalidField, isOAuthEndpoint, methodNotAllowed, refusalAt, ServiceError, type ServiceName } from '@twinyard/conventions';
import { REQUEST_LINE } from '@twinyard/service-kit/process';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { mayBeDoneTwice, nothingWasHandedOver } from './handed-over';
import { FRONT_PATHS } from './front/front.routes';
import { OWN_METHODS } from './routing';

/** What the gateway answers by itself is not in the log of a service, so it is in its own. It answers in the shape that is read at that path. */
export function refuse(reply: FastifyReply, code: ErrorCode, message: string, details?: readonly FieldIssue[]): FastifyReply {
  const { request } = reply;
  const requestId = request.id;
  const status = ERROR_STATUS[code];
  const body = refusalAt(request.url, status, { message, code, ...(details && { details }), requestId });
  request.log.info({ requestId, method: request.method, route: 'none', status, code, ms: Math.round(reply.elapsedTime * 10) / 10 }, REQUEST_LINE);
  if (code === 'unavailable' || code === 'too_many_requests') void reply.header('Retry-After', '1');
  if (isOAuthEndpoint(request.url)) void reply.header('Cache-Control', 'no-store');
  return reply.status(status).header('X-Request-Id', requestId).header('Content-Type', 'application/json; charset=utf-8').send(body);
}

/** A path that services could take for another one, or that is none. */
export const refusePath = (reply: FastifyReply): FastifyReply => answerError(invalidField('path', 'is not a valid path'), reply.request, reply);

export function answerError(error: FastifyError | ServiceError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof ServiceError) return refuse(reply.headers(error.headers), error.code, error.message, error.details);
  if (error.statusCode !== undefined && error.statusCode < 500) return refuse(reply, error.statusCode === 415 ? 'unsupported_media_type' : 'invalid', error.message);
  request.log.error({ requestId: request.id, err: error }, 'request failed');
  return refuse(reply, 'internal', 'Something went wrong');
}

/** `Retry-After` invites to send the same again: not where it may have been done and would be done twice. */
export function refuseUnanswered(reply: FastifyReply, service: ServiceName, error: unknown): FastifyReply {
  if (nothingWasHandedOver(error) || mayBeDoneTwice(reply.request.raw)) return refuse(reply, 'unavailable', `${service} does not answer at the moment`);
  return refuse(reply, 'bad_gateway', `${service} ended before it had answered; what was asked may have been done, look before you repeat it, or send an Idempotency-Key`);
}

/** What the gateway answers by itself. */
const OWN_PATHS: ReadonlySet<string> = new Set(['/health/live', '/health/ready', ...FRONT_PATHS]);

/** A path of no service; of the gateway's own, under another method. */
export function refuseUnserved(reply: FastifyReply, path: string): FastifyReply {
  if (!OWN_PATHS.has(path)) return refuse(reply, 'not_found', `Nothing is served at ${JSON.stringify(path.slice(0, 200))}`);
  return answerError(methodNotAllowed(reply.request.method, OWN_METHODS), reply.request, reply);
}
