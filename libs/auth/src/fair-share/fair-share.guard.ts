import { type CanActivate, type ExecutionContext, Injectable, type OnModuleInit, SetMetadata } from '@nestjs/common';
import { HttpAdapterHost, Reflector } from '@nestjs/core';
import { ServiceError } from '@twinyard/conventions';
import { bodyBytesOf, FairShare, hasLine, type Leave, whenOver } from '@twinyard/service-kit';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AuthenticatedRequest } from '../decorators';
import { RequestPlaces } from './request-places';
import { tenantOf } from './tenant';

const HOLDS_NO_PLACE = 'twinyard:holds-no-place';

type Condition = (request: AuthenticatedRequest) => boolean;

/** On routes that wait for bytes to come or go, always or sometimes: they take places of other kinds, for as long as they work. */
export const HoldsNoPlace = (when: Condition = () => true) => SetMetadata(HOLDS_NO_PLACE, when);

/** Nobody hears it. */
const callerHasGone = () => new ServiceError('request_timeout', 'The caller has gone while it waited for a place');

/**
 * Has each request take one of its tenant's places before it comes to a database, and hold it until its answer is out: until its line is over and
 * its work has ended as well, which goes on when a caller leaves. A guard behind the one that knows the caller; what nobody signs in to takes none.
 */
@Injectable()
export class FairShareGuard implements CanActivate, OnModuleInit {
  /** What is to be told of the end of a request's work. */
  private readonly working = new WeakMap<object, () => void>();

  constructor(
    private readonly places: FairShare,
    private readonly ofRequests: RequestPlaces,
    private readonly reflector: Reflector,
    private readonly host: HttpAdapterHost,
  ) {}

  /** Whatever ends a request's work sends an answer, also where nobody takes it any more. */
  onModuleInit(): void {
    this.host.httpAdapter.getInstance<FastifyInstance>().addHook('onSend', (request, _reply, payload, done) => {
      this.working.get(request)?.();
      done(null, payload);
    });
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    const { ctx } = request;
    // What a request asks its own service it asks in its own place: in a second one it might wait for itself.
    if (ctx === undefined || !hasLine(request.raw) || this.reflector.get<Condition | undefined>(HOLDS_NO_PLACE, context.getHandler())?.(request) === true) return true;
    const reply = http.getResponse<FastifyReply>();
    const leave = this.places.enter(tenantOf(ctx), bodyBytesOf(request.raw));
    if (leave instanceof Promise) return leave.then((late) => this.hold(request, reply, this.ofRequests.hold(ctx, late)));
    return this.hold(request, reply, this.ofRequests.hold(ctx, leave));
  }

  private hold(request: AuthenticatedRequest, reply: FastifyReply, leave: Leave): true {
    const held = { isWorking: true, hasCaller: true };
    const end = () => {
      if (!held.isWorking && !held.hasCaller) leave();
    };
    whenOver(request, reply, () => {
      held.hasCaller = false;
      end();
    });
    if (!held.hasCaller) {
      leave();
      throw callerHasGone();
    }
    this.working.set(request, () => {
      held.isWorking = false;
      end();
    });
    return true;
  }
}
