import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type HeldJob, type JobHandler, JobRunner } from '@twinyard/jobs';
import { LOGGER, type Logger, type TypeOrmTx } from '@twinyard/service-kit';
import { InstantRuns } from './instant-runs';
import { RunExecution } from './run-execution';
import { INSTANT_RUN, RUN, type RunOrder } from './run-jobs';
import { RunJournal } from './run-journal';
import { RunGone, RunUnderWay } from './run-under-way';

export class WorkerOptions {
  constructor(
    readonly leaseMs: number,
    /** Runs at once, those inside of requests aside. */
    readonly concurrency: number,
    /** Of them, in all processes together. */
    readonly perNamespace: number,
  ) {}
}

/** Sees runs through, from where they are to their end. */
@Injectable()
export class RunWorker implements OnModuleInit {
  constructor(
    private readonly runner: JobRunner,
    private readonly instant: InstantRuns,
    private readonly journal: RunJournal,
    private readonly execution: RunExecution,
    private readonly options: WorkerOptions,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const { leaseMs, concurrency, perNamespace } = this.options;
    const handler: JobHandler<RunOrder, TypeOrmTx> = {
      run: (held) => this.work(held),
      died: (tx, { payload: { runId } }) => this.journal.giveUpUnheld(tx, runId),
    };
    this.runner.handle(RUN, handler, { leaseMs, concurrency, perNamespace });
    this.runner.handle(INSTANT_RUN, handler, { leaseMs });
  }

  private async work(held: HeldJob<RunOrder, TypeOrmTx>): Promise<void> {
    const run = new RunUnderWay(held);
    try {
      await this.execution.perform(run);
    } catch (error) {
      if (!(error instanceof RunGone)) throw error;
      this.logger.info({ runId: run.runId }, 'a run was deleted while it was under way');
    } finally {
      this.instant.tell(run.runId);
    }
  }
}
