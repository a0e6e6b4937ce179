import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger, type Tx, UnitOfWork } from '@twinyard/service-kit';
import { InboxStore } from '../inbox/inbox-store';
import { Loop } from '../loop';

/** For how long an event may come again, in ms: twice as long as events are kept, since a dead letter may be replayed late. */
export const REPLAYABLE_MS = 14 * 86_400_000;
const EVERY_MS = 600_000;

/** Forgets now and then what was handled long ago. */
@Injectable()
export class InboxPruning {
  private readonly loop: Loop;

  constructor(private readonly unitOfWork: UnitOfWork<Tx>, private readonly inbox: InboxStore, @Inject(LOGGER) logger: Logger) {
    this.loop = new Loop({
      step: () => this.step(),
      idleMs: EVERY_MS,
      onError: (error) => logger.warn({ err: error }, 'the inbox could not be pruned'),
    });
  }

  start(): void {
    this.loop.start();
  }

  step(now = new Date()): Promise<number> {
    return this.unitOfWork.run((tx) => this.inbox.prune(tx, new Date(now.getTime() - REPLAYABLE_MS)));
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }
}
