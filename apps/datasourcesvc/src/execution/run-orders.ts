import { Injectable } from '@nestjs/common';
import { type EventOrigin, Outbox } from '@twinyard/events';
import { Jobs } from '@twinyard/jobs';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { Run } from '../runs/run.entity';
import { runCreated } from '../runs/runs.events';
import { RunsRepository, type StoredRun } from '../runs/runs.repository';
import { HeldRunsRepository } from './held-runs.repository';
import { INSTANT_RUN, RUN } from './run-jobs';

type Ordered = Pick<Run, 'id' | 'namespaces' | 'instant' | 'requestId'>;

/** Makes runs, with the job that does each in the same transaction. */
@Injectable()
export class RunOrders {
  constructor(
    private readonly jobs: Jobs,
    private readonly runs: RunsRepository,
    private readonly held: HeldRunsRepository,
    private readonly outbox: Outbox,
  ) {}

  async make(tx: TypeOrmTx, made: StoredRun, origin: EventOrigin): Promise<void> {
    const { run, steps } = made;
    await this.runs.insert(tx, made);
    if (run.retryOf) await this.held.appendLog(tx, run.id, 'info', `Goes on where the run ${run.retryOf} has ended: ${steps.filter(isCompleted).length} of ${steps.length} steps are taken over`);
    await this.jobs.enqueue(tx, kindOf(run), { runId: run.id }, whose(run));
    await this.outbox.append(tx, runCreated(run, origin));
  }

  /** Has a run that waits go on now. */
  async wake(tx: TypeOrmTx, run: Ordered): Promise<void> {
    await this.jobs.enqueue(tx, kindOf(run), { runId: run.id }, whose(run));
  }

  /** Unless it is ordered, or under way. */
  async ensure(tx: TypeOrmTx, run: Ordered): Promise<void> {
    await this.jobs.ensure(tx, kindOf(run), { runId: run.id }, whose(run));
  }
}

const isCompleted = ({ state }: StoredRun['steps'][number]) => state === 'COMPLETED';

const kindOf = ({ instant }: Ordered) => (instant ? INSTANT_RUN : RUN);

/** A run of several namespaces takes its turn with the first. */
const whose = ({ id, namespaces: [namespace = ''], requestId }: Ordered) => ({ namespace, key: id, requestId });
