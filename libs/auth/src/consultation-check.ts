import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import type { AuthenticatedRequest } from './decorators';

/**
 * Withholds the answer of an `@Allow` route whose service never asked what the caller may do: a forgotten check fails, loudly. A hook, since one
 * interceptor makes Nest build observables and bind an `AsyncResource` for every request. Added when it is made: what keeps answers for
 * repetitions adds its own hooks later, and so never sees one that is withheld.
 */
@Injectable()
export class ConsultationCheck {
  constructor(host: HttpAdapterHost) {
    host.httpAdapter.getInstance<FastifyInstance>().addHook('onSend', (request: AuthenticatedRequest, reply, payload, done) => {
      if (request.mustConsult !== true || request.ctx?.access.consulted === true || reply.statusCode >= 400) return done(null, payload);
      done(new Error(`${request.method} ${request.routeOptions.url} answered without asking for permission`));
    });
  }
}
