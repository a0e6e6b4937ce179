import { Injectable } from '@nestjs/common';
import { FairShare, type Leave } from '@twinyard/service-kit';
import type { RequestContext } from '../request-context';
import { tenantOf } from './tenant';

interface HeldPlace {
  leave: Leave;
}

/** The places that requests hold, for those that wait for long for something else than a database: meanwhile others of their tenant have them. */
@Injectable()
export class RequestPlaces {
  private readonly held = new WeakMap<RequestContext, HeldPlace>();

  constructor(private readonly places: FairShare) {}

  /** The guard says that a request holds one. Gives back whichever it holds by then. */
  hold(ctx: RequestContext, leave: Leave): Leave {
    const held: HeldPlace = { leave };
    this.held.set(ctx, held);
    return () => held.leave();
  }

  /** For good: where a request asks for little when it has waited, and must be answered then. */
  giveBack(ctx: RequestContext): void {
    this.held.get(ctx)?.leave();
  }

  /** Waits without the place, and behind that for another one. @throws ServiceError 429 or 503 when there is none, as at the beginning of a request */
  async without<T>(ctx: RequestContext, wait: () => Promise<T>): Promise<T> {
    const held = this.held.get(ctx);
    if (held === undefined) return wait();
    held.leave();
    const result = await wait();
    held.leave = await this.places.enter(tenantOf(ctx));
    return result;
  }
}
