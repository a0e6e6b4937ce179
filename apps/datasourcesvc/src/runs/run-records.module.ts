import { Module } from '@nestjs/common';
import { HeldRunsRepository } from '../execution/held-runs.repository';
import { RunJournal } from '../execution/run-journal';
import { RunOrders } from '../execution/run-orders';
import { OrchestratorRuns } from '../run-queue/orchestrator-runs';
import { RunQueue } from '../run-queue/run-queue';
import { RunQueueRepository } from '../run-queue/run-queue.repository';
import { RunCancellation } from './run-cancellation';
import { RunsRepository } from './runs.repository';

/** What is written of runs: by who asks for them, by schedules, by who does them, and by who takes an orchestrator away. */
@Module({
  providers: [HeldRunsRepository, OrchestratorRuns, RunCancellation, RunJournal, RunOrders, RunQueue, RunQueueRepository, RunsRepository],
  exports: [HeldRunsRepository, OrchestratorRuns, RunCancellation, RunJournal, RunOrders, RunsRepository],
})
export class RunRecordsModule {}
