import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { invalidField, ServiceError } from '@twinyard/conventions';
import { type BegunRequest, type KeptAnswer, KeptAnswers, type RepeatVerdict } from '@twinyard/service-kit';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { from, mergeMap, type Observable, of } from 'rxjs';
import type { AuthenticatedRequest } from '../decorators';

const METHODS = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const KEY = /^[\x20-\x7e]{1,255}$/;
/** What belongs to an answer beside its body. */
const HEADERS = ['content-type', 'location', 'retry-after', 'etag'];
/** What a repetition may well get another answer to. */
const PASSING = new Set([401, 408, 425, 429]);

/**
 * `Idempotency-Key` (contract 0.2): the same caller, route, key and body get the first answer again for a day. What was begun by a
 * process that died is done anew by a repetition, once its claim has run out.
 */
@Injectable()
export class RepeatedRequestsInterceptor implements NestInterceptor, OnModuleInit {
  private readonly begun = new WeakMap<object, BegunRequest>();

  constructor(
    private readonly answers: KeptAnswers,
    private readonly host: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    const instance = this.host.httpAdapter.getInstance<FastifyInstance>();
    instance.addHook('onSend', async (request, reply, payload) => {
      const begun = this.begun.get(request);
      this.begun.delete(request);
      if (begun !== undefined) await end(begun, reply, payload);
      return payload;
    });
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    const key = request.headers['idempotency-key'];
    if (key === undefined || request.ctx === undefined || !METHODS.has(request.method)) return next.handle();
    if (typeof key !== 'string' || !KEY.test(key)) throw invalidField('Idempotency-Key', 'must be 1 to 255 ASCII characters');
    return from(this.begin(request, key)).pipe(mergeMap((verdict) => {
      if (verdict.state === 'answered') return replay(request, http.getResponse<FastifyReply>(), verdict.answer);
      this.begun.set(request, requireNew(verdict));
      return next.handle();
    }));
  }

  private begin(request: AuthenticatedRequest, key: string): Promise<RepeatVerdict> {
    const [path = '', query = ''] = request.url.split('?', 2);
    const principal = request.ctx?.principal;
    const caller = `${principal?.type} ${principal?.id} ${principal?.appId ?? ''}`;
    return this.answers.begin({ caller, route: `${request.method} ${path}`, key, content: JSON.stringify([query, request.body ?? request.headers['content-length'] ?? null]) });
  }
}

function requireNew(verdict: Exclude<RepeatVerdict, { state: 'answered' }>): BegunRequest {
  if (verdict.state === 'new') return verdict.begun;
  if (verdict.state === 'running') throw new ServiceError('conflict', 'The first request with this Idempotency-Key is still being worked on', { retryAfter: 1 });
  throw new ServiceError('unprocessable', 'This Idempotency-Key was used for another request');
}

/** Sent from here; what Nest sends afterwards is too late and dropped. */
function replay(request: AuthenticatedRequest, reply: FastifyReply, { status, headers, body }: KeptAnswer): Observable<undefined> {
  // An upload that nobody reads would fill the connection.
  request.raw.resume();
  void reply.code(status).headers({ ...headers, 'Idempotent-Replayed': 'true' }).send(body === '' ? undefined : body);
  return of(undefined);
}

async function end(begun: BegunRequest, reply: FastifyReply, payload: unknown): Promise<void> {
  const { statusCode: status } = reply;
  const isText = payload === undefined || payload === null || typeof payload === 'string';
  if (status >= 500 || PASSING.has(status) || !isText) return begun.release();
  const headers = Object.fromEntries(HEADERS.flatMap((name) => (reply.hasHeader(name) ? [[name, String(reply.getHeader(name))]] : [])));
  return begun.keep({ status, headers, body: payload ?? '' });
}
