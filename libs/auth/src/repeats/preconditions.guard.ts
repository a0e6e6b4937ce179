import { type CanActivate, type ExecutionContext, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ServiceError, unavailable } from '@twinyard/conventions';
import { type BegunRequest, KeptAnswers, namesTag } from '@twinyard/service-kit';
import type { FastifyInstance } from 'fastify';
import type { AuthenticatedRequest } from '../decorators';

const METHODS = new Set(['PUT', 'PATCH', 'DELETE']);

/**
 * `If-Match` (contract 0.2, RFC 9110 section 13.1.1): changes a record only as it was when the caller read it. What it is now says a GET
 * of the same address, with the caller's own rights; when that fails, nothing is changed. Those who name a condition take turns, so of two that read the same only one wins;
 * a write without a condition may still come between.
 */
@Injectable()
export class PreconditionsGuard implements CanActivate, OnModuleInit {
  private readonly turns = new WeakMap<object, BegunRequest>();

  constructor(
    private readonly answers: KeptAnswers,
    private readonly host: HttpAdapterHost,
  ) {}

  /** The turn ends before the answer is out: whoever has it may come again at once. */
  onModuleInit(): void {
    this.instance.addHook('onSend', (request, _reply, payload, done) => {
      const turn = this.turns.get(request);
      if (turn === undefined) return done(null, payload);
      turn.release().then(() => done(null, payload), done);
    });
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const wanted = request.headers['if-match'];
    if (wanted === undefined || request.ctx === undefined || !METHODS.has(request.method)) return true;
    return this.enter(request, wanted);
  }

  private async enter(request: AuthenticatedRequest, wanted: string): Promise<boolean> {
    const [path = ''] = request.url.split('?', 1);
    this.turns.set(request, await this.answers.turn(path));
    const { statusCode, headers } = await this.instance.inject({
      method: 'GET', url: request.url, headers: { authorization: request.headers.authorization ?? '', 'x-request-id': request.id, 'x-forwarded-for': request.ip },
    });
    if (statusCode === 429 || statusCode >= 500) throw unavailable('What the record is like now cannot be read');
    // What cannot be read has no tag; the operation itself says what is wrong with that.
    if (statusCode === 200 && headers['etag'] !== undefined && !namesTag(wanted, headers['etag'])) {
      throw new ServiceError('precondition_failed', 'The record has changed since you read it');
    }
    return true;
  }

  private get instance(): FastifyInstance {
    return this.host.httpAdapter.getInstance<FastifyInstance>();
  }
}
