import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { ServiceName } from '@twinyard/conventions';
import { LOGGER, type Logger, MetricsRegistry, type Tx, UnitOfWork } from '@twinyard/service-kit';
import { resourceDeleted } from '../contract/event';
import { Loop } from '../loop';
import { Outbox } from '../outbox/outbox';
import { NamespacePurge, type PurgeStep } from './namespace-purge';
import { type PurgeJob, type PurgeLease, PurgeStore } from './purge-store';

export interface PurgeOptions {
  readonly service: ServiceName;
  /** Longer than any write that began before the namespace was closed. */
  readonly settleMs: number;
  /** After this time another replica goes on with what this one has begun. */
  readonly leaseMs?: number;
}

export const PURGE_OPTIONS = Symbol('purge options');

/** Records in one step: far less than a second's work. */
const BATCH = 500;
const LEASE_MS = 10_000;
/** Who asks wakes the worker; this is for what a replica that died has left, and for a second look. */
const IDLE_MS = 30_000;
const RETRY_MS = 5_000;

/** The worker was told to stop, or another has the job. */
class PutDown extends Error {}

/** Works off purges one at a time, step by step. Replicas share them by leases; one that dies is followed by another. */
@Injectable()
export class PurgeWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly lease: PurgeLease;
  private readonly loop: Loop;
  private stopping = false;

  constructor(
    @Inject(PURGE_OPTIONS) private readonly options: PurgeOptions,
    private readonly unitOfWork: UnitOfWork<Tx>,
    private readonly store: PurgeStore,
    private readonly outbox: Outbox,
    private readonly discovery: DiscoveryService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.lease = { owner: randomUUID(), leaseMs: options.leaseMs ?? LEASE_MS };
    this.loop = new Loop({
      step: () => this.step(),
      idleMs: IDLE_MS,
      eager: true,
      onError: (error, retryMs) => logger.warn({ err: error, retryMs }, 'purges cannot be looked for, trying again'),
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await this.loop.stop();
  }

  /** A purge was asked for and is about to be committed. */
  wake(): void {
    this.loop.wake();
  }

  /** Does what can be done of one purge; resolves with how many were due. */
  private async step(): Promise<number> {
    const job = await this.unitOfWork.run((tx) => this.store.claim(tx, this.lease));
    if (job === undefined) return 0;
    await this.work(job);
    return 1;
  }

  private async work(job: PurgeJob): Promise<void> {
    const progress = new Progress(job, (held) => this.hold(held));
    try {
      const waitMs = await this.empty(progress);
      if (waitMs !== undefined) await this.release(progress.job, waitMs);
      else if (job.pass === 'FIRST') await this.release({ ...progress.job, pass: 'LAST' }, this.options.settleMs);
      else await this.finish(progress.job);
    } catch (error) {
      if (!(error instanceof PutDown)) this.logger.warn({ err: error, namespace: job.namespace }, 'a purge was interrupted, it goes on later');
      await this.release(progress.job, error instanceof PutDown ? 0 : RETRY_MS).catch(() => undefined);
    }
  }

  /** Round by round, until one has found nothing. Resolves with a time when something is only on its way out. */
  private async empty(progress: Progress): Promise<number | undefined> {
    for (;;) {
      const before = progress.job.removed;
      let waitMs: number | undefined;
      for (const room of this.rooms()) waitMs = shorter(waitMs, await this.emptyRoom(room, progress));
      if (progress.job.removed === before) return waitMs;
    }
  }

  private async emptyRoom(room: NamespacePurge, progress: Progress): Promise<number | undefined> {
    for (;;) {
      if (this.stopping) throw new PutDown();
      const { removed, waitMs }: PurgeStep = await room.removeSome(progress.job.namespace, BATCH);
      if (removed === 0) return waitMs;
      await progress.add(removed);
    }
  }

  private async hold(job: PurgeJob): Promise<void> {
    if (!(await this.unitOfWork.run((tx) => this.store.hold(tx, this.lease, job)))) throw new PutDown();
  }

  private release(job: PurgeJob, delayMs: number): Promise<void> {
    return this.unitOfWork.run((tx) => this.store.release(tx, this.lease.owner, job, delayMs));
  }

  /** One event for all that is gone, in the transaction that ends the job. */
  private async finish(job: PurgeJob): Promise<void> {
    const { namespace, removed, askedById, requestId } = job;
    const { service } = this.options;
    const fields = { _id: namespace, _irn: `${service}:namespace:${namespace}`, _namespaces: [namespace], _removed: removed };
    const event = resourceDeleted(`${service}.Namespace`, fields, { userId: askedById, requestId });
    await this.unitOfWork.run(async (tx) => {
      if (await this.store.finish(tx, this.lease.owner, job)) await this.outbox.append(tx, event);
    });
    this.logger.info({ namespace, removed }, 'namespace purged');
  }

  private rooms(): NamespacePurge[] {
    const instances = this.discovery.getProviders().filter((wrapper) => wrapper.isDependencyTreeStatic()).map((wrapper) => wrapper.instance as unknown);
    return [...new Set(instances)].filter((instance) => instance instanceof NamespacePurge);
  }
}

/** How far a purge is, and that its lease is renewed in time. */
class Progress {
  private heldAt = performance.now();

  constructor(public job: PurgeJob, private readonly hold: (job: PurgeJob) => Promise<void>) {}

  async add(removed: number): Promise<void> {
    this.job = { ...this.job, removed: this.job.removed + removed };
    if (performance.now() - this.heldAt < HOLD_MS) return;
    await this.hold(this.job);
    this.heldAt = performance.now();
  }
}

/** How often the lease is renewed and the progress noted. */
const HOLD_MS = 2_000;

const shorter = (one: number | undefined, other: number | undefined) => (one === undefined || other === undefined ? (one ?? other) : Math.min(one, other));

/** What operators watch: a purge that does not end. */
@Injectable()
export class PurgeMetrics {
  constructor(registry: MetricsRegistry, unitOfWork: UnitOfWork<Tx>, store: PurgeStore) {
    registry.gauge('namespace_purges_unfinished', 'Purged namespaces that this service has not emptied yet', [], async (gauge) => {
      gauge.set(await unitOfWork.run((tx) => store.unfinished(tx)).catch(() => Number.NaN));
    });
  }
}
