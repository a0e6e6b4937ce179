import type { IncomingMessage } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable, type OnModuleInit, Optional } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { invalidField, jsonInTurns, ServiceError } from '@twinyard/conventions';
import { AnsweredAlready, type BegunRequest, type KeptAnswer, KeptAnswers, type RepeatVerdict } from '@twinyard/service-kit';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AuthenticatedRequest } from '../decorators';
import { keptCallerId } from '../run-bounds';
import { BeforeReplay } from './before-replay';
import { noteBegun, takeBegun } from './kept-with';
import { UnreadBodies } from './unread-bodies';

const METHODS = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const KEY = /^[\x20-\x7e]{1,255}$/;
/** What belongs to an answer beside its body. */
const HEADERS = ['content-type', 'location', 'retry-after', 'etag', 'tus-resumable', 'upload-offset'];
/** What a repetition may well get another answer to. */
const PASSING = new Set([401, 408, 425, 429]);

/**
 * `Idempotency-Key` (contract 0.2): the same caller, route, key and body get the first answer again for a day. What was begun by a
 * process that died is done anew by a repetition, once its claim has run out. A guard behind the one that knows the caller: an
 * interceptor would cost every request more.
 */
@Injectable()
export class RepeatedRequestsGuard implements CanActivate, OnModuleInit {
  constructor(
    private readonly answers: KeptAnswers,
    private readonly host: HttpAdapterHost,
    @Optional() private readonly bodies?: UnreadBodies,
    @Optional() private readonly before?: BeforeReplay,
  ) {}

  onModuleInit(): void {
    const instance = this.host.httpAdapter.getInstance<FastifyInstance>();
    instance.addHook('onSend', (request, reply, payload, done) => {
      const { ctx } = request as AuthenticatedRequest;
      const begun = ctx && takeBegun(ctx);
      if (begun === undefined) return done(null, payload);
      this.end(begun, request.raw, reply, payload).then(() => done(null, payload), done);
    });
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    const key = request.headers['idempotency-key'];
    if (key === undefined || request.ctx === undefined || !METHODS.has(request.method)) return true;
    if (typeof key !== 'string' || !KEY.test(key)) throw invalidField('Idempotency-Key', 'must be 1 to 255 ASCII characters');
    return this.enter(request, http.getResponse<FastifyReply>(), key);
  }

  private async enter(request: AuthenticatedRequest, reply: FastifyReply, key: string): Promise<boolean> {
    const verdict = await this.begin(request, key);
    if (verdict.state === 'answered') throw await this.replay(request, reply, verdict.answer);
    const begun = requireNew(verdict);
    if (request.ctx !== undefined) noteBegun(request.ctx, { ...begun, keepIn: (tx, answer) => begun.keepIn(tx, this.withDigest(request.raw, answer)) });
    return true;
  }

  private async begin(request: AuthenticatedRequest, key: string): Promise<RepeatVerdict> {
    const [path = '', query = ''] = request.url.split('?', 2);
    const principal = request.ctx?.principal;
    const caller = `${principal?.type} ${principal && keptCallerId(principal)} ${principal?.appId ?? ''}`;
    return this.answers.begin({ caller, route: `${request.method} ${path}`, key, content: await jsonInTurns([query, this.contentOf(request)]) });
  }

  private contentOf({ body, headers }: AuthenticatedRequest): unknown {
    const offset = headers['upload-offset'] ?? null;
    // What of it is bytes is compared when it has been read.
    if (this.bodies?.takes(headers['content-type']) === true) return offset;
    return body ?? [headers['content-length'] ?? null, offset];
  }

  private async replay(request: AuthenticatedRequest, reply: FastifyReply, { status, headers, body, contentDigest }: KeptAnswer): Promise<AnsweredAlready> {
    if (contentDigest !== undefined && (await this.bodies?.read(request.raw)) !== contentDigest) throw otherContent();
    await this.before?.wait();
    // An upload that nobody reads would fill the connection.
    request.raw.resume();
    // It was asked for when the answer was made.
    request.mustConsult = false;
    void reply.code(status).headers({ ...headers, 'Idempotent-Replayed': 'true' }).send(body === '' ? undefined : body);
    return new AnsweredAlready();
  }

  private async end(begun: BegunRequest, raw: IncomingMessage, reply: FastifyReply, payload: unknown): Promise<void> {
    const { statusCode: status } = reply;
    const body = Buffer.isBuffer(payload) && isJson(reply) ? payload.toString() : payload;
    if (!isText(body) || isPassing(status, raw)) return begun.release();
    const headers = Object.fromEntries(HEADERS.flatMap((name) => (reply.hasHeader(name) ? [[name, String(reply.getHeader(name))]] : [])));
    return begun.keep(this.withDigest(raw, { status, headers, body: body ?? '' }));
  }

  private withDigest(raw: IncomingMessage, answer: KeptAnswer): KeptAnswer {
    const contentDigest = this.bodies?.digestOf(raw);
    return contentDigest === undefined ? answer : { ...answer, contentDigest };
  }
}

/** Long answers may be UTF-8 already. */
const isJson = (reply: FastifyReply) => /json/.test(String(reply.getHeader('content-type')));

const isText = (payload: unknown): payload is string | null | undefined => payload === undefined || payload === null || typeof payload === 'string';

/** Also what was said to half of a message, whose line broke: it is no answer to the whole of it. */
const isPassing = (status: number, { complete }: IncomingMessage) => status >= 500 || PASSING.has(status) || (status >= 400 && !complete);

const otherContent = () => new ServiceError('unprocessable', 'This Idempotency-Key was used for another request');

function requireNew(verdict: Exclude<RepeatVerdict, { state: 'answered' }>): BegunRequest {
  if (verdict.state === 'new') return verdict.begun;
  if (verdict.state === 'running') throw new ServiceError('conflict', 'The first request with this Idempotency-Key is still being worked on', { retryAfter: 1 });
  throw otherContent();
}
