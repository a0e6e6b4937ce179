import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { ServiceError } from '@twinyard/conventions';
import { type HeldJob, job, JobRunner, Jobs, TryLater } from '@twinyard/jobs';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { z } from 'zod';
import { SourceAway } from '../rebuild/rebuild-sources';
import { Reconciliation, type Step } from './reconciliation';
import { ReconciliationReport } from './reconciliation-report';
import { ReconciliationRepository } from './reconciliation.repository';

/** A step asks another service for a page or two, with patience. */
const RECONCILE = job('metricsvc.reconcile', { schema: z.object({}), leaseMs: 15_000, longestMs: 900_000, retry: { attempts: 20, firstMs: 1_000, longestMs: 600_000 }, concurrency: 1 });

const UNREACHABLE_MS = 300_000;
/** After so many attempts at one step it is not an outage that is to blame. */
const MOST_ATTEMPTS = 5;

/** Takes the steps of the reconciliation: one job for all processes, which looks by itself whether a round is due. */
@Injectable()
export class ReconciliationWorker implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly runner: JobRunner,
    private readonly jobs: Jobs,
    private readonly reconciliation: Reconciliation,
    private readonly repository: ReconciliationRepository,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly report: ReconciliationReport,
  ) {}

  onModuleInit(): void {
    this.runner.handle<object, TypeOrmTx>(RECONCILE, { run: (held) => this.run(held) });
  }

  async onApplicationBootstrap(): Promise<void> {
    const { isOn, startMs } = this.reconciliation;
    const dueAt = new Date(Date.now() + startMs);
    if (isOn) await this.unitOfWork.run((tx) => this.jobs.ensure(tx, RECONCILE, {}, { namespace: '', key: 'all', dueAt }));
  }

  private async run(held: HeldJob<object, TypeOrmTx>): Promise<void> {
    if (!this.reconciliation.isOn) return;
    const { state, delayMs } = await this.step(held);
    await this.unitOfWork.run(async (tx) => {
      await this.repository.keep(tx, state);
      await held.continueWith(tx, {}, delayMs);
    });
  }

  private async step({ signal, attempt }: HeldJob<object, TypeOrmTx>): Promise<Step> {
    const before = await this.unitOfWork.run((tx) => this.repository.state(tx));
    try {
      return await this.reconciliation.step(before, { signal });
    } catch (cause) {
      this.report.failed(cause);
      if (isOutage(cause)) throw new TryLater(UNREACHABLE_MS, false, { cause });
      if (attempt < MOST_ATTEMPTS || signal.aborted) throw cause;
      return this.reconciliation.passOver(before);
    }
  }
}

const isOutage = (error: unknown): boolean => error instanceof SourceAway || (error instanceof ServiceError && error.status >= 500);
