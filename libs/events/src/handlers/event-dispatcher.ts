import { isConnectionLost, type Tx, type UnitOfWork } from '@twinyard/service-kit';
import { type EventReceiver, TransientFailure } from '../bus/event-bus';
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

  /**
   * What handlers do for many events at once, each in one transaction. Resolves with what gives the rest of each event to the others, and to
   * those that failed: they have done nothing, and find out by which event it was.
   */
  async begin(cloudEvents: readonly CloudEvent[]): Promise<EventReceiver> {
    const done = new Map<EventHandler, ReadonlySet<string>>();
    const events = cloudEvents.length > 1 ? firstOfEach(cloudEvents.flatMap(read)) : [];
    for (const handler of this.handlers) {
      const wanted = events.filter(({ resource }) => handler.types.includes(resource.type));
      if (await this.runAll(handler, wanted)) done.set(handler, new Set(wanted.map(({ uuid }) => uuid)));
    }
    return (event) => this.dispatch(event, (handler, { uuid }) => done.get(handler)?.has(uuid) === true);
  }

  /** One handler that fails does not keep the others from the event; those that have handled it pass over it the next time. */
  async dispatch(cloudEvent: CloudEvent, isDone: (handler: EventHandler, event: ResourceEvent) => boolean = () => false): Promise<void> {
    const event = fromCloudEvent(cloudEvent);
    if (!event) return;
    const failures: Error[] = [];
    for (const handler of this.handlers) {
      if (!handler.types.includes(event.resource.type) || isDone(handler, event)) continue;
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

  /** False for a handler that takes one event at a time, and for one that could not take these. */
  private async runAll({ name, handleAll }: EventHandler, events: readonly ResourceEvent[]): Promise<boolean> {
    if (handleAll === undefined || events.length === 0) return false;
    const work = this.unitOfWork.run(async (tx) => {
      const claimed = await this.inbox.claimAll(tx, name, events.map(({ uuid }) => uuid));
      const fresh = events.filter(({ uuid }) => claimed.has(uuid));
      if (fresh.length > 0) await handleAll(tx, fresh);
    });
    return work.then(() => true, () => false);
  }

  /** A handler may also call others that are lost; only the service's own database excuses an event without end. */
  private databaseAnswers(): Promise<boolean> {
    return this.unitOfWork.run(() => Promise.resolve(true)).catch(() => false);
  }
}

/** One that cannot be read is refused when its turn comes. */
function read(event: CloudEvent): ResourceEvent[] {
  try {
    return [fromCloudEvent(event)].filter((known) => known !== undefined);
  } catch {
    return [];
  }
}

/** One that was published twice comes twice. */
function firstOfEach(events: readonly ResourceEvent[]): ResourceEvent[] {
  const known = new Set<string>();
  return events.filter(({ uuid }) => !known.has(uuid) && known.add(uuid));
}

function looksLost(error: unknown): boolean {
  return isConnectionLost(error) || (error instanceof Error && isConnectionLost(error.cause));
}
