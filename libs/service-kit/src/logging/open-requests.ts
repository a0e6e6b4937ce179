import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hasLine } from '../lines/line-watch';
import { whenOver } from '../lines/when-over';

/** Of those that are open, the log names no more. */
const MOST_NAMED = 10;

/** Requests that this process has not answered yet. */
@Injectable()
export class OpenRequests {
  private readonly requests = new Set<FastifyRequest>();

  watch(instance: FastifyInstance): void {
    instance.addHook('onRequest', (request, reply, done) => {
      if (!hasLine(request.raw)) return done();
      this.requests.add(request);
      whenOver(request, reply, () => this.requests.delete(request));
      return done();
    });
  }

  /** The latest of them, for a log: routes and no paths. */
  latest(): { readonly requestId: string; readonly method: string; readonly route: string }[] {
    return [...this.requests].slice(-MOST_NAMED).map(({ id, method, routeOptions }) => ({ requestId: id, method, route: routeOptions.url ?? 'none' }));
  }
}
