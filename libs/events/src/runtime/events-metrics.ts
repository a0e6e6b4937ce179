import { Inject, Injectable } from '@nestjs/common';
import { MetricsRegistry, type Tx, UnitOfWork } from '@twinyard/service-kit';
import { type BusStatistics, EventBus } from '../bus/event-bus';
import { EVENTS_OPTIONS, type EventsOptions, groupOf } from '../events-options';
import { OutboxStore } from '../outbox/outbox-store';

/** What operators watch (contract 0.6). A number that cannot be asked for is absent. */
@Injectable()
export class EventsMetrics {
  private asked: Promise<BusStatistics | undefined> | undefined;

  constructor(
    @Inject(EVENTS_OPTIONS) private readonly options: EventsOptions,
    private readonly registry: MetricsRegistry,
    private readonly bus: EventBus,
    private readonly unitOfWork: UnitOfWork<Tx>,
    private readonly outbox: OutboxStore,
  ) {}

  register(): void {
    this.registry.gauge('events_outbox_backlog', 'Events that wait in the outbox', [], async (gauge) => {
      gauge.set(await this.unitOfWork.run((tx) => this.outbox.backlog(tx)).catch(() => Number.NaN));
    });
    this.registerByTopic('events_lag', 'Events that the consumer group has not handled yet, by topic', 'lag');
    this.registerByTopic('events_dead_letters', 'Events that the consumer group could not handle, by topic', 'deadLetters');
  }

  private registerByTopic(name: string, help: string, statistic: keyof BusStatistics): void {
    this.registry.gauge(name, help, ['topic'], async (gauge) => {
      gauge.reset();
      const statistics = await this.statistics();
      for (const row of statistics?.[statistic] ?? []) {
        if (row.group === groupOf(this.options)) gauge.set({ topic: row.topic }, row.events);
      }
    });
  }

  /** Two gauges are asked for at once when somebody looks; the bus is asked once. */
  private statistics(): Promise<BusStatistics | undefined> {
    this.asked ??= this.bus.statistics().catch(() => undefined).finally(() => {
      this.asked = undefined;
    });
    return this.asked;
  }
}
