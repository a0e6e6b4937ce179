import { Injectable } from '@nestjs/common';
import { Outbox } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { HeldRunsRepository } from '../../execution/held-runs.repository';
import { runCreated } from '../../runs/runs.events';
import { RunsRepository, type StoredRun } from '../../runs/runs.repository';

/** Runs that nobody begins: each stands for its due time, as one that failed, and says why. */
@Injectable()
export class RefusedRuns {
  constructor(
    private readonly runs: RunsRepository,
    private readonly held: HeldRunsRepository,
    private readonly outbox: Outbox,
  ) {}

  async make(tx: TypeOrmTx, { run, steps }: StoredRun, why: string): Promise<void> {
    run.state = 'ERROR';
    for (const step of steps) step.state = 'CANCELLED';
    const [first] = steps;
    if (first !== undefined) Object.assign(first, { state: 'ERROR', statusMessage: why });
    await this.runs.insert(tx, { run, steps });
    await this.held.appendLog(tx, run.id, 'error', why);
    await this.held.appendLog(tx, run.id, 'error', 'Run ended: ERROR');
    await this.outbox.append(tx, runCreated(run, { userId: run.starter.id, requestId: run.requestId }));
  }
}
