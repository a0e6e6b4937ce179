import { Module } from '@nestjs/common';
import { HeldRunsRepository } from '../execution/held-runs.repository';
import { RunJournal } from '../execution/run-journal';
import { RunOrders } from '../execution/run-orders';
import { RunQueue } from '../run-queue/run-queue';
import { RunQueueRepository } from '../run-queue/run-queue.repository';
import { RunCancellation } from './run-cancellation';
import { RunsRepository } from './runs.repository';

/** What is written of runs: by who asks for them, by schedules, by who does them, and by who takes an orchestrator away. */
@Module({
  providers: [HeldRunsRepository, RunCancellation, RunJournal, RunOrders, RunQueue, RunQueueRepository, RunsRepository],
  exports: [HeldRunsRepository, RunCancellation, RunJournal, RunOrders, RunQueue, RunsRepository],
})
export class RunRecordsModule {}
