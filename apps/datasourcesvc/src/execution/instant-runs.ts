import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { type RequestContext, RequestPlaces } from '@twinyard/auth';
import { unavailable } from '@twinyard/conventions';
import { FairShare } from '@twinyard/service-kit';
import type { Run } from '../runs/run.entity';
import { isFinal } from '../runs/run-state';
import { HeldRunsRepository } from './held-runs.repository';
import { MAX_INSTANT } from './run-jobs';

/** Of a run that another replica may have ended. */
const LOOK_MS = 250;
/** Of the places, what one organization holds at most: nobody knows how long its runs take. */
const TENANT_SHARE = 0.6;

const tooMany = () => unavailable('Too many instant runs are under way');

/** As settings have it. */
export class InstantTerms {
  constructor(readonly seconds: number) {}
}

/** Requests that wait for the end of their run. */
@Injectable()
export class InstantRuns implements BeforeApplicationShutdown {
  /** Each to be told to look. */
  private readonly waiting = new Map<string, () => void>();
  private readonly places = new FairShare({ places: MAX_INSTANT, share: TENANT_SHARE, waiting: { requests: 0, bytes: 0 }, waitMs: 0 });
  private isStopped = false;

  constructor(
    private readonly held: HeldRunsRepository,
    private readonly ofRequests: RequestPlaces,
    private readonly terms: InstantTerms,
  ) {}

  /** Who waits for a run that goes on elsewhere is answered how it is. */
  beforeApplicationShutdown(): void {
    this.isStopped = true;
    for (const tell of this.waiting.values()) tell();
  }

  /**
   * Makes and orders a run, and resolves when it has ended, or is left to another process; with false when its time is up. Meanwhile its request
   * is in nobody's way: whoever cancels the run needs a place, too. @throws ServiceError 503 when too many wait, of its organization or of all
   */
  async until(ctx: RequestContext, { id: runId, namespaces }: Pick<Run, 'id' | 'namespaces'>, make: () => Promise<void>): Promise<boolean> {
    if (this.isStopped) throw tooMany();
    const leave = this.places.enterNow(ctx.access.tenantOf(namespaces) ?? '', tooMany);
    try {
      let end = this.pause(runId);
      await make();
      this.ofRequests.giveBack(ctx);
      const until = performance.now() + this.terms.seconds * 1_000;
      for (;;) {
        await end;
        end = this.pause(runId);
        const state = (await this.held.statesOf([runId])).get(runId);
        if (this.isStopped || state === undefined || isFinal(state)) return true;
        if (performance.now() >= until) return false;
      }
    } finally {
      this.tell(runId);
      this.waiting.delete(runId);
      leave();
    }
  }

  /** An attempt of the run is over. */
  tell(runId: string): void {
    this.waiting.get(runId)?.();
  }

  private pause(runId: string): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LOOK_MS);
      this.waiting.set(runId, () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
