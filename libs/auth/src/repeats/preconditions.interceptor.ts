import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ServiceError } from '@twinyard/conventions';
import { KeptAnswers, namesTag } from '@twinyard/service-kit';
import type { FastifyInstance } from 'fastify';
import { defer, from, lastValueFrom, type Observable } from 'rxjs';
import type { AuthenticatedRequest } from '../decorators';

const METHODS = new Set(['PUT', 'PATCH', 'DELETE']);

/**
 * `If-Match` (contract 0.2, RFC 9110 section 13.1.1): changes a record only as it was when the caller read it. What it is now says a GET
 * of the same address, with the caller's own rights. Those who name a condition take turns, so of two that read the same only one wins;
 * a write without a condition may still come between.
 */
@Injectable()
export class PreconditionsInterceptor implements NestInterceptor {
  constructor(
    private readonly answers: KeptAnswers,
    private readonly host: HttpAdapterHost,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const wanted = request.headers['if-match'];
    if (wanted === undefined || request.ctx === undefined || !METHODS.has(request.method)) return next.handle();
    const [path = ''] = request.url.split('?', 1);
    return defer(() => from(this.answers.inTurn(path, async () => {
      await this.require(request, wanted);
      return lastValueFrom(next.handle(), { defaultValue: undefined });
    })));
  }

  private async require(request: AuthenticatedRequest, wanted: string): Promise<void> {
    const { statusCode, headers } = await this.host.httpAdapter.getInstance<FastifyInstance>().inject({
      method: 'GET', url: request.url, headers: { authorization: request.headers.authorization ?? '', 'x-request-id': request.id, 'x-forwarded-for': request.ip },
    });
    // What cannot be read has no tag; the operation itself says what is wrong with that.
    if (statusCode !== 200 || headers['etag'] === undefined) return;
    if (!namesTag(wanted, headers['etag'])) throw new ServiceError('precondition_failed', 'The record has changed since you read it');
  }
}
