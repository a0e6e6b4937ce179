import { Injectable } from '@nestjs/common';
import { type EventOrigin, Outbox } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { ComponentCatalogue } from '../components/component-catalogue';
import { RunJournal } from '../execution/run-journal';
import { RunOrders } from '../execution/run-orders';
import { RunQueue } from '../run-queue/run-queue';
import { Run } from './run.entity';
import { moveTo, OPEN_STATES } from './run-state';
import { runUpdated } from './runs.events';
import { RunsRepository } from './runs.repository';

/** Has runs that have not ended cancelled (contract 5): those that nobody holds end, those under way are asked to. */
@Injectable()
export class RunCancellation {
  constructor(
    private readonly runs: RunsRepository,
    private readonly journal: RunJournal,
    private readonly queue: RunQueue,
    private readonly orders: RunOrders,
    private readonly catalogue: ComponentCatalogue,
    private readonly outbox: Outbox,
  ) {}

  /** Of a run that is locked. The run as it answers to the request: what is under way has yet to notice. */
  async cancel(tx: TypeOrmTx, run: Run, origin: EventOrigin): Promise<Run> {
    const cancelled = Object.assign(new Run(), run, { state: moveTo(run.state, 'requestCancel'), updatedAt: new Date() });
    await this.runs.setState(tx, run.id, cancelled.state, cancelled.updatedAt);
    await this.runs.setStepStates(tx, run.id, OPEN_STATES, cancelled.state);
    await this.outbox.append(tx, runUpdated(cancelled, origin));
    if (run.state === 'QUEUED') await this.journal.cancelUnheld(tx, cancelled);
    else await this.cancelWaiting(tx, cancelled);
    return cancelled;
  }

  /** Of a run that was begun: where nobody holds it, since its step is tried again later. */
  private async cancelWaiting(tx: TypeOrmTx, run: Run): Promise<void> {
    const triedLater = await this.runs.componentsTriedLater(tx, run.id);
    // What they have left is for a worker to take back.
    if (triedLater.some((id) => this.catalogue.find(id)?.undo !== undefined)) await this.orders.wake(tx, run);
    else if (triedLater.length > 0) await this.journal.cancelUnheld(tx, run);
  }

  /** A run that is deleted leaves its room to others. */
  async remove(tx: TypeOrmTx, { id, orchestratorId }: Run): Promise<void> {
    await this.runs.remove(tx, id);
    await this.queue.hasRoom(tx, orchestratorId);
  }

  /** Of an orchestrator that is deleted. */
  async cancelOf(tx: TypeOrmTx, orchestratorId: string, origin: EventOrigin): Promise<void> {
    for (const run of await this.runs.lockOpenOf(tx, orchestratorId, OPEN_STATES)) await this.cancel(tx, run, origin);
  }
}
