import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { ERROR_STATUS, type ErrorBody, type ErrorCode, ServiceError, tooLarge } from '@twinyard/conventions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../logging/logger';
import { translateStoreError } from '../../store-errors';
import { FORM, FORM_BODY_LIMIT } from '../forms';
import { type Sent, withSentKinds } from './sent-kinds';

/** Thrown to end the handling of a request whose answer is out. */
export class AnsweredAlready extends Error {}

/** The one place where an error becomes an answer (contract 0.2). What is not a `ServiceError` says nothing of the inside. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    if (thrown instanceof AnsweredAlready) return;
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const error = isOverLimit(thrown) ? bodyTooLarge(limitOf(request)) : withSentKinds(toServiceError(thrown), request as Sent);
    this.report(error, request);
    if (reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    sendError(reply, error, request.id);
  }

  private report(error: ServiceError, request: FastifyRequest): void {
    const fields = { requestId: request.id, method: request.method, route: request.routeOptions.url };
    // A store that is away fails every request for a while: a line each, without the same stack each time.
    if (error.code === 'unavailable') this.logger.warn({ ...fields, reason: reasonOf(error.cause) }, error.message);
    else if (error.status >= 500) this.logger.error({ ...fields, err: error.cause }, error.message);
    else if (error.cause !== undefined) this.logger.debug({ ...fields, err: error.cause }, error.message);
  }
}

/** Fastify, whose error Nest wraps, does not say which limit a body is over. */
const isOverLimit = (thrown: unknown) => thrown instanceof HttpException && thrown.getStatus() === ERROR_STATUS.too_large;

const limitOf = ({ headers, routeOptions }: FastifyRequest) => (headers['content-type']?.startsWith(FORM) ? Math.min(FORM_BODY_LIMIT, routeOptions.bodyLimit) : routeOptions.bodyLimit);

/** Contract 0.1. `limit`: bytes. */
export const bodyTooLarge = (limit: number): ServiceError => tooLarge(`The body has more than ${limit} bytes`);

const reasonOf = (cause: unknown) => (cause instanceof Error ? cause.message : undefined);

export function sendError(reply: FastifyReply, error: ServiceError, requestId: string): void {
  if (error.code === 'unauthenticated') void reply.header('WWW-Authenticate', 'Bearer');
  if (error.retryAfter !== undefined) void reply.header('Retry-After', String(error.retryAfter));
  void reply.status(error.status).headers(error.headers).type('application/json').send(toErrorBody(error, requestId));
}

export function toErrorBody(error: ServiceError, requestId: string): ErrorBody {
  return {
    message: error.message,
    code: error.code,
    ...(error.details && error.details.length > 0 && { details: error.details }),
    requestId,
  };
}

const BY_STATUS: ReadonlyMap<number, ErrorCode> = new Map(
  (Object.keys(ERROR_STATUS) as ErrorCode[]).reverse().map((code) => [ERROR_STATUS[code], code] as const),
);

export function toServiceError(thrown: unknown): ServiceError {
  const error = translateStoreError(thrown);
  if (error instanceof ServiceError) return error;
  const status = statusOf(error);
  const code = BY_STATUS.get(status);
  if (status >= 500 || code === undefined) return new ServiceError('internal', 'Something went wrong on our side', { cause: error });
  return new ServiceError(code, (error as Error).message, { cause: error });
}

/** Nest's and Fastify's own refusals carry their status; anything else is a fault of ours. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : 500;
}
