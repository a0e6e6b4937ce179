import { type DynamicModule, Global, Inject, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { LOGGER, type Logger, ReadinessChecks, type Tx, UnitOfWork } from '@twinyard/service-kit';
import { AggregateReader } from './aggregates/aggregate-reader';
import { EventBus } from './bus/event-bus';
import { openEventBus } from './bus/open-event-bus';
import { EVENTS_OPTIONS, type EventsOptions } from './events-options';
import { EventHandlers } from './handlers/event-handlers';
import { InboxStore } from './inbox/inbox-store';
import { SqlInboxStore } from './inbox/sql-inbox-store';
import { Outbox } from './outbox/outbox';
import { OutboxStore } from './outbox/outbox-store';
import { Relay } from './outbox/relay';
import { SqlOutboxStore } from './outbox/sql-outbox-store';
import { EventsMetrics } from './runtime/events-metrics';
import { EventsPruning } from './runtime/events-pruning';
import { EventsRuntime, RunningParts } from './runtime/events-runtime';
import { GroupConsumer } from './runtime/group-consumer';

/**
 * Events of one service:
 *
 *     imports: [
 *       SqlModule.forRoot({ url: settings.DATABASE_URL, entities, migrations: [EventsTables1700000000000, …] }),
 *       EventsModule.forRoot({ service: 'filesvc', bus: eventBusOptions(settings) }),
 *     ]
 *
 * Gives `Outbox` and `EventBus` to everybody. Needs a global `UnitOfWork` (SqlModule has one) whose database has the events' tables, and a `JobsModule`.
 * Once the application is initialised the relay runs and the providers' `@OnEvent` methods get their events.
 */
@Global()
@Module({})
export class EventsModule {
  constructor(
    @Inject(GroupConsumer) consumer: GroupConsumer,
    @Inject(ReadinessChecks) readiness: ReadinessChecks,
    @Inject(EventsMetrics) metrics: EventsMetrics,
  ) {
    readiness.add('events', () => consumer.check());
    metrics.register();
  }

  static forRoot(options: EventsOptions): DynamicModule {
    return {
      module: EventsModule,
      imports: [DiscoveryModule],
      providers: [
        { provide: EVENTS_OPTIONS, useValue: options },
        { provide: EventBus, inject: [LOGGER], useFactory: (logger: Logger) => openEventBus(options.bus, logger) },
        { provide: OutboxStore, useClass: options.stores?.outbox ?? SqlOutboxStore },
        { provide: InboxStore, useClass: options.stores?.inbox ?? SqlInboxStore },
        { provide: Outbox, inject: [OutboxStore], useFactory: (store: OutboxStore) => new Outbox(store) },
        { provide: Relay, inject: [UnitOfWork, OutboxStore, EventBus, LOGGER], useFactory: makeRelay(options) },
        AggregateReader, EventHandlers, GroupConsumer, EventsPruning, EventsMetrics, RunningParts, EventsRuntime,
      ],
      exports: [AggregateReader, EventBus, Outbox, OutboxStore, InboxStore, Relay, GroupConsumer],
    };
  }
}

const makeRelay = (options: EventsOptions) => (unitOfWork: UnitOfWork<Tx>, store: OutboxStore, bus: EventBus, logger: Logger) =>
  new Relay({ unitOfWork, store, bus, logger }, options.relay);
