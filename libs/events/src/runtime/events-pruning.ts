import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Schedules } from '@twinyard/jobs';
import { type Tx, UnitOfWork } from '@twinyard/service-kit';
import { EventBus } from '../bus/event-bus';
import { InboxStore } from '../inbox/inbox-store';

/** For how long an event may come again, in ms: twice as long as events are kept, since a dead letter may be replayed late. */
export const REPLAYABLE_MS = 14 * 86_400_000;
const EVERY = { everyMs: 600_000 };

/** Forgets now and then what was handled long ago. */
@Injectable()
export class EventsPruning implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork<Tx>,
    private readonly inbox: InboxStore,
    private readonly bus: EventBus,
    private readonly schedules: Schedules,
  ) {}

  onModuleInit(): void {
    this.schedules.every('events.inbox-sweep', EVERY, (signal) => this.pruneInbox(signal));
    this.schedules.every('events.log-sweep', EVERY, () => this.bus.prune());
  }

  private async pruneInbox(signal: AbortSignal): Promise<void> {
    const before = new Date(Date.now() - REPLAYABLE_MS);
    for (let removed = 1; removed > 0 && !signal.aborted; ) removed = await this.unitOfWork.run((tx) => this.inbox.prune(tx, before));
  }
}
