import { isConnectionLost, type Tx, type UnitOfWork } from '@twinyard/service-kit';
import { TransientFailure } from '../bus/event-bus';
import { topicOf } from '../contract/catalogue';
import { type CloudEvent, fromCloudEvent } from '../contract/cloud-event';
import type { ResourceEvent } from '../contract/event';
import type { Topic } from '../contract/topics';
import type { InboxStore } from '../inbox/inbox-store';
import type { EventHandler } from './event-handlers';

/** Gives an event to each handler of the service that wants it, each in a transaction of its own, each once. */
export class EventDispatcher {
  constructor(
    private readonly unitOfWork: UnitOfWork<Tx>,
    private readonly inbox: InboxStore,
    private readonly handlers: readonly EventHandler[],
  ) {}

  topics(): Topic[] {
    return [...new Set(this.handlers.flatMap((handler) => handler.types.map(topicOf)))];
  }

  /** One handler that fails does not keep the others from the event; those that have handled it pass over it the next time. */
  async dispatch(cloudEvent: CloudEvent): Promise<void> {
    const event = fromCloudEvent(cloudEvent);
    if (!event) return;
    const failures: Error[] = [];
    for (const handler of this.handlers) {
      if (!handler.types.includes(event.resource.type)) continue;
      await this.run(handler, event).catch((error: unknown) => failures.push(new Error(`${handler.name} failed`, { cause: error })));
    }
    const [first] = failures;
    if (!first) return;
    if (failures.some(({ cause }) => looksLost(cause)) && !(await this.databaseAnswers())) throw new TransientFailure('the database is lost', { cause: first });
    throw failures.length === 1 ? first : new AggregateError(failures, failures.map(({ message }) => message).join('; '));
  }

  private run(handler: EventHandler, event: ResourceEvent): Promise<void> {
    return this.unitOfWork.run(async (tx) => {
      if (await this.inbox.claim(tx, handler.name, event.uuid)) await handler.handle(tx, event);
    });
  }

  /** A handler may also call others that are lost; only the service's own database excuses an event without end. */
  private databaseAnswers(): Promise<boolean> {
    return this.unitOfWork.run(() => Promise.resolve(true)).catch(() => false);
  }
}

function looksLost(error: unknown): boolean {
  return isConnectionLost(error) || (error instanceof Error && isConnectionLost(error.cause));
}
