import type { Tx } from '@twinyard/service-kit';
import type { z } from 'zod';
import { type HeldJob, LeaseLost } from '../held-job';
import type { ClaimedJob, JobStore } from '../store/job-store';
import type { Lease } from './lease-keeper';

export interface LeasedParts<P> {
  readonly lease: Lease;
  readonly store: JobStore;
  readonly schema: z.ZodType<P, P>;
}

/** What a handler is given: every write of it names the claim. */
export class LeasedJob<P> implements HeldJob<P> {
  readonly id: string;
  readonly namespace: string;
  readonly attempt: number;
  readonly ageMs: number;
  readonly requestId: string | undefined;
  readonly signal: AbortSignal;

  constructor(
    job: ClaimedJob,
    readonly payload: P,
    private readonly parts: LeasedParts<P>,
  ) {
    this.id = job.id;
    this.namespace = job.namespace;
    this.attempt = job.attempt;
    this.ageMs = job.ageMs;
    this.requestId = job.requestId;
    this.signal = parts.lease.signal;
  }

  async finish(tx: Tx): Promise<void> {
    const { lease, store } = this.parts;
    lease.settle();
    this.mustHold(await store.finish(tx, lease));
  }

  async hold(tx: Tx): Promise<void> {
    const { lease, store } = this.parts;
    this.mustHold(await store.hold(tx, lease, lease.leaseMs));
  }

  async continueWith(tx: Tx, payload: P, delayMs: number): Promise<void> {
    const { lease, store, schema } = this.parts;
    const json = JSON.stringify(schema.parse(payload));
    lease.settle();
    this.mustHold(await store.requeue(tx, lease, { delayMs, attempts: 'fresh', payload: json }));
  }

  private mustHold(isHeld: boolean): void {
    if (!isHeld) throw new LeaseLost(this.id);
  }
}
