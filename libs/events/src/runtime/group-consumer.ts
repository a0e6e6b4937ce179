import { Inject, Injectable } from '@nestjs/common';
import { type Tx, UnitOfWork } from '@twinyard/service-kit';
import { type Consumer, DEFAULT_RETRY, EventBus } from '../bus/event-bus';
import { EVENTS_OPTIONS, type EventsOptions, groupOf } from '../events-options';
import { EventDispatcher } from '../handlers/event-dispatcher';
import { EventHandlers } from '../handlers/event-handlers';
import { InboxStore } from '../inbox/inbox-store';

/** The service as a member of its consumer group. */
@Injectable()
export class GroupConsumer {
  private consumer: Consumer | undefined;
  private connected = false;

  constructor(
    @Inject(EVENTS_OPTIONS) private readonly options: EventsOptions,
    private readonly bus: EventBus,
    private readonly unitOfWork: UnitOfWork<Tx>,
    private readonly inbox: InboxStore,
    private readonly handlers: EventHandlers,
  ) {}

  /** Makes the log ready and joins the group; may be called again after a failure. */
  async connect(): Promise<void> {
    if (this.connected) return;
    await this.bus.start();
    const dispatcher = new EventDispatcher(this.unitOfWork, this.inbox, this.handlers.list());
    const topics = dispatcher.topics();
    if (topics.length > 0) {
      const retry = { ...DEFAULT_RETRY, ...this.options.retry };
      const { left = [] } = this.options;
      this.consumer ??= await this.bus.subscribe({ group: groupOf(this.options), topics, left, retry, handler: (event) => dispatcher.dispatch(event), begin: (events) => dispatcher.begin(events) });
    }
    if (this.options.autostart !== false) this.consumer?.start();
    this.connected = true;
  }

  /** Rejects while the log cannot be reached or the group was not joined. */
  async check(): Promise<void> {
    if (!this.connected) throw new Error('not connected to the event log yet');
    await this.bus.check();
  }

  /** Handles one batch of what is due; for tests. */
  step(): Promise<number> {
    return this.consumer?.step() ?? Promise.resolve(0);
  }

  async stop(): Promise<void> {
    await this.consumer?.stop();
  }
}
