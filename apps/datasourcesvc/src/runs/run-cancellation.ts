import { Injectable } from '@nestjs/common';
import { type EventOrigin, Outbox } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { RunJournal } from '../execution/run-journal';
import { OPEN_STATES } from './run-state';
import { runUpdated } from './runs.events';
import { RunsRepository } from './runs.repository';

/** What becomes of the runs of an orchestrator that is deleted (contract 5): those that nobody has begun end, those under way are asked to. */
@Injectable()
export class RunCancellation {
  constructor(
    private readonly runs: RunsRepository,
    private readonly journal: RunJournal,
    private readonly outbox: Outbox,
  ) {}

  async cancelOf(tx: TypeOrmTx, orchestratorId: string, origin: EventOrigin): Promise<void> {
    for (const { run, isUnbegun } of await this.runs.cancelOf(tx, orchestratorId, OPEN_STATES, new Date())) {
      await this.outbox.append(tx, runUpdated(run, origin));
      if (isUnbegun) await this.journal.cancelUnbegun(tx, run);
    }
  }
}
