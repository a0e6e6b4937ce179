import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type HeldJob, JobRunner } from '@twinyard/jobs';
import { MetricsRegistry, type Tx, UnitOfWork } from '@twinyard/service-kit';
import { resourceDeleted } from '../contract/event';
import { Outbox } from '../outbox/outbox';
import { NamespaceContents } from './namespace-contents';
import { type Purge, PURGE_OPTIONS, purgeJob, type PurgeOptions } from './purge-job';
import { PurgeStore } from './purge-store';

/** One attempt; then the next purge has its turn. */
const STRETCH_MS = 10_000;

/** Works off purges, a stretch of one after a stretch of the other; replicas share them. */
@Injectable()
export class PurgeWorker implements OnModuleInit {
  constructor(
    @Inject(PURGE_OPTIONS) private readonly options: PurgeOptions,
    private readonly unitOfWork: UnitOfWork<Tx>,
    private readonly store: PurgeStore,
    private readonly contents: NamespaceContents,
    private readonly runner: JobRunner,
    private readonly outbox: Outbox,
  ) {}

  onModuleInit(): void {
    this.runner.handle(purgeJob(this.options.service), { run: (held) => this.run(held) });
  }

  private async run(held: HeldJob<Purge>): Promise<void> {
    const { payload, signal } = held;
    const end = performance.now() + STRETCH_MS;
    const { removed, isEmpty, waitMs } = await this.contents.empty(payload.namespace, () => signal.aborted || performance.now() > end);
    const after = { ...payload, removed: payload.removed + removed };
    await this.unitOfWork.run((tx) => {
      if (!isEmpty) return held.continueWith(tx, after, waitMs);
      return payload.pass === 'FIRST' ? held.continueWith(tx, { ...after, pass: 'LAST' }, this.options.settleMs) : this.finish(tx, held, after);
    });
  }

  /** One event for all that is gone, in the transaction that ends the job. */
  private async finish(tx: Tx, held: HeldJob<Purge>, done: Purge): Promise<void> {
    const { namespace, removed, askedById, requestId } = done;
    await held.finish(tx);
    if (!(await this.store.finish(tx, done, removed))) return;
    const { service } = this.options;
    const fields = { _id: namespace, _irn: `${service}:namespace:${namespace}`, _namespaces: [namespace], _removed: removed };
    await this.outbox.append(tx, resourceDeleted(`${service}.Namespace`, fields, { userId: askedById, requestId }));
  }
}

/** What operators watch: a purge that does not end. */
@Injectable()
export class PurgeMetrics {
  constructor(registry: MetricsRegistry, unitOfWork: UnitOfWork<Tx>, store: PurgeStore) {
    registry.gauge('namespace_purges_unfinished', 'Purged namespaces that this service has not emptied yet', [], async (gauge) => {
      gauge.set(await unitOfWork.run((tx) => store.unfinished(tx)).catch(() => Number.NaN));
    });
  }
}
