import { Global, Injectable, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Schedules } from '@twinyard/jobs';
import { createLogger, LOGGER, MetricsRegistry, ReadinessChecks, type SqlTx, UnitOfWork } from '@twinyard/service-kit';
import type { EventBusOptions } from '../src/bus/open-event-bus';
import type { ResourceEvent } from '../src/contract/event';
import { EventsModule } from '../src/events.module';
import { OnEvent } from '../src/handlers/on-event';
import { Outbox } from '../src/outbox/outbox';
import { fileEvent } from './sample-events';
import type { ServiceDatabase } from './service-database';

/** Writes down what it is given, once for each event that the inbox lets through. */
@Injectable()
export class SeenFiles {
  @OnEvent('filesvc.File')
  async note(tx: SqlTx, event: ResourceEvent<'filesvc.File'>): Promise<void> {
    await tx.query('INSERT INTO seen (name) VALUES ($1)', [event.resource._name]);
  }
}

/** A replica of a service whose outbox, inbox and handler are real. */
export async function startEventService(database: ServiceDatabase, bus: EventBusOptions): Promise<TestingModule> {
  @Global()
  @Module({
    providers: [ReadinessChecks, MetricsRegistry, { provide: LOGGER, useValue: createLogger('filesvc', process.env['DRILL_LOG_LEVEL'] ?? 'silent') }, { provide: UnitOfWork, useValue: database.unitOfWork }, { provide: Schedules, useValue: { every: () => undefined } }],
    exports: [ReadinessChecks, MetricsRegistry, LOGGER, UnitOfWork, Schedules],
  })
  class Kit {}
  const service = await Test.createTestingModule({ imports: [Kit, EventsModule.forRoot({ service: 'filesvc', bus })], providers: [SeenFiles] }).compile();
  return service.init();
}

/** A change of the file `key`, committed with its event. */
export const change = (database: ServiceDatabase, service: TestingModule, key: string, name: string) =>
  database.unitOfWork.run((tx) => service.get(Outbox).append(tx, fileEvent(key, name)));

/** What the handler has written, in its order. */
export async function seenOf(database: ServiceDatabase): Promise<string[]> {
  return (await database.dataSource.query<{ name: string }[]>('SELECT name FROM seen ORDER BY place')).map(({ name }) => name);
}
