import { Injectable } from '@nestjs/common';
import { forbidden } from '@twinyard/conventions';
import { type DurableProgress, DurableRequests, type FinishRequest, type HoldRequest, type ReportProgress } from '@twinyard/jobs';
import { tenantOf } from '../fair-share/tenant';
import { GrantSource } from '../grant-source';
import { keepAnswer, type OwnAnswer } from '../repeats/kept-with';
import type { RequestContext } from '../request-context';
import { keptCallerOf } from '../run-bounds';
import { resumeCaller, type StoredCaller, toStoredCaller } from '../stored-caller';
import { OutcomeReply } from './outcome-reply';

/** The answer of a write that may be done later: at once with a status, or the id of the request that does it. */
export type Outcome = OwnAnswer | { readonly acceptedAs: string };

/** `hold`: in what it writes in transactions before the one that `finish` ends. */
export type Performer<P> = (ctx: RequestContext, payload: P, finish: FinishRequest, report: ReportProgress, hold: HoldRequest) => Promise<void>;

export interface AcceptOptions {
  /** Of the request, where the caller has to know it before. */
  readonly id?: string;
  /** What is known before the work has begun. */
  readonly progress?: DurableProgress;
  /** What the request says, and what it is answered, is kept sealed. */
  readonly confidential?: boolean;
  /** The payload is JSON as it came, and nobody changes it any more (`NewDurableRequest.handedOver`). */
  readonly handedOver?: boolean;
}

/** Work that is answered with 202: done in the caller's name, with the rights that it has when it is done. */
@Injectable()
export class LaterWork {
  constructor(
    private readonly requests: DurableRequests,
    private readonly grants: GrantSource,
    private readonly replies: OutcomeReply,
  ) {}

  register<P>(kind: string, perform: Performer<P>): void {
    this.requests.handle(kind, async ({ context, payload }, finish, report, hold) => {
      const ctx = await resumeCaller(this.grants, context as StoredCaller);
      // Accepted from somebody who held something there, and who holds nothing now: 403, not the 404 of a stranger.
      if (ctx.access.namespaces.length === 0) throw forbidden('Whoever asked for this holds nothing there any more');
      await perform(ctx, payload as P, finish, report, hold);
    });
  }

  async accept(ctx: RequestContext, kind: string, payload: unknown, { id, progress, confidential = false, handedOver = false }: AcceptOptions = {}): Promise<Outcome> {
    const by = { tenant: tenantOf(ctx), requestId: ctx.requestId, caller: keptCallerOf(ctx.principal), context: toStoredCaller(ctx) };
    const request = { ...by, kind, payload, confidential, handedOver, ...(progress && { progress }) };
    return { acceptedAs: await this.requests.enqueue(request, id, (tx, acceptedAs) => keepAnswer(ctx, tx, () => this.replies.answerOf({ acceptedAs }))) };
  }
}
