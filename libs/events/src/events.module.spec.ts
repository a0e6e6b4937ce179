import { Global, Injectable, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Schedules } from '@twinyard/jobs';
import { createLogger, LOGGER, MetricsRegistry, ReadinessChecks, type SqlTx, UnitOfWork } from '@twinyard/service-kit';
import { createTestDatabase, eventually, type TestDatabase } from '@twinyard/testing';
import { drain } from '../test/describe-event-bus';
import { fileEvent } from '../test/sample-events';
import { openServiceDatabase, type ServiceDatabase } from '../test/service-database';
import { EventBus } from './bus/event-bus';
import { runReplayCommand } from './dead-letters/replay-command';
import type { ResourceEvent } from './contract/event';
import { EventsModule } from './events.module';
import type { EventsOptions } from './events-options';
import { OnEvent, OnEveryEvent } from './handlers/on-event';
import { Outbox } from './outbox/outbox';
import { Relay } from './outbox/relay';
import { GroupConsumer } from './runtime/group-consumer';

const poisoned = new Set<string>();

@Injectable()
class FileEvents {
  @OnEvent('filesvc.File', 'filesvc.FileVersion')
  async count(tx: SqlTx, event: ResourceEvent<'filesvc.File' | 'filesvc.FileVersion'>): Promise<void> {
    if (poisoned.has(String(event.resource._name))) throw new Error('cannot be counted');
    await tx.query('INSERT INTO seen (name) VALUES ($1)', [`count ${event.resource._name}`]);
  }

  @OnEveryEvent()
  async evaluate(tx: SqlTx, event: ResourceEvent): Promise<void> {
    await tx.query('INSERT INTO seen (name) VALUES ($1)', [`evaluate ${event.resource._name}`]);
  }

  // @ts-expect-error a handler of file events cannot be given those of teams
  @OnEvent('aisvc.Team')
  notMine(tx: SqlTx, event: ResourceEvent<'filesvc.File'>): Promise<void> {
    return this.count(tx, event);
  }
}

const every = jest.fn<void, Parameters<Schedules['every']>>();

/** What service-kit and jobs give a service. */
function kitOf(database: ServiceDatabase) {
  @Global()
  @Module({
    providers: [ReadinessChecks, MetricsRegistry, { provide: LOGGER, useValue: createLogger('filesvc', 'silent') }, { provide: UnitOfWork, useValue: database.unitOfWork }, { provide: Schedules, useValue: { every } }],
    exports: [ReadinessChecks, MetricsRegistry, LOGGER, UnitOfWork, Schedules],
  })
  class Kit {}
  return Kit;
}

describe('EventsModule', () => {
  let database: ServiceDatabase;
  let log: TestDatabase;
  const started: TestingModule[] = [];

  beforeAll(async () => {
    [database, log] = await Promise.all([openServiceDatabase(), createTestDatabase()]);
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((service) => service.close()));
    await database.dataSource.query('TRUNCATE seen');
  });
  afterAll(() => Promise.all([database.close(), log.drop()]));

  const start = async (options: Partial<EventsOptions> = {}) => {
    const events = EventsModule.forRoot({ service: 'filesvc', bus: { url: log.url }, retry: { attempts: 2, delayMs: 1, maxDelayMs: 2 }, ...options });
    const service = await Test.createTestingModule({ imports: [kitOf(database), events], providers: [FileEvents] }).compile();
    await service.init();
    started.push(service);
    return service;
  };
  const publish = (service: TestingModule, name: string) => database.unitOfWork.run((tx) => service.get(Outbox).append(tx, fileEvent(name, name)));
  const seen = async () => (await database.dataSource.query<{ name: string }[]>('SELECT name FROM seen ORDER BY name')).map((row) => row.name);

  it('carries an event from a transaction to every handler, by itself', async () => {
    const service = await start();
    await publish(service, 'plan.ifc');
    await eventually(async () => expect(await seen()).toEqual(['count plan.ifc', 'evaluate plan.ifc']));
    expect(await service.get(ReadinessChecks).failing()).toEqual([]);
  });

  it('shares the events between replicas of a service', async () => {
    const replicas = [await start(), await start()];
    const names = Array.from({ length: 20 }, (_, n) => `file ${n}`);
    for (const [n, name] of names.entries()) await publish(replicas[n % 2] as TestingModule, name);
    await eventually(async () => expect(await seen()).toHaveLength(40));
    expect(new Set(await seen()).size).toBe(40);
  });

  it('can be stepped by a test, and tells operators where events are', async () => {
    const service = await start({ autostart: false, group: 'stepped' });
    await drain(service.get(GroupConsumer));
    await database.dataSource.query('TRUNCATE seen');
    const metric = async (name: string) => (await service.get(MetricsRegistry).registry.getSingleMetricAsString(name)).split('\n').slice(2);
    await publish(service, 'plan.ifc');
    expect(await metric('events_outbox_backlog')).toEqual(['events_outbox_backlog 1']);
    expect(await service.get(Relay).step()).toBe(1);
    expect(await metric('events_outbox_backlog')).toEqual(['events_outbox_backlog 0']);
    expect(await metric('events_lag')).toContain('events_lag{topic="filesvc.file"} 1');
    await drain(service.get(GroupConsumer));
    expect(await metric('events_lag')).toContain('events_lag{topic="filesvc.file"} 0');
    expect(await seen()).toHaveLength(2);
  });

  it('forgets what was handled long ago, by schedules: one run for all replicas', async () => {
    const service = await start();
    const prune = jest.spyOn(service.get(EventBus), 'prune');
    await database.dataSource.query(`INSERT INTO event_inbox (handler, event_id, handled_at) VALUES ('old', gen_random_uuid(), now() - interval '15 days'), ('new', gen_random_uuid(), now() - interval '13 days')`);
    const schedules = new Map(every.mock.calls.map(([kind, { everyMs }, work]) => [kind, { everyMs, work }]));
    expect([...schedules].map(([kind, { everyMs }]) => [kind, everyMs])).toEqual([['events.inbox-sweep', 600_000], ['events.log-sweep', 600_000]]);
    for (const { work } of schedules.values()) await work(new AbortController().signal, () => Promise.resolve());
    expect(await database.dataSource.query(`SELECT handler FROM event_inbox WHERE handler IN ('old', 'new')`)).toEqual([{ handler: 'new' }]);
    expect(prune).toHaveBeenCalledTimes(1);
  });

  it('lays aside what a handler cannot take, and handles it after the replay command: by that handler alone', async () => {
    const service = await start();
    poisoned.add('bad.ifc');
    await publish(service, 'bad.ifc');
    const bus = service.get(EventBus);
    await eventually(async () => expect(await bus.deadLetters({ group: 'filesvc' })).toHaveLength(1));
    expect(await seen()).toEqual(['evaluate bad.ifc']);
    poisoned.clear();
    const printed: string[] = [];
    const run = (...args: string[]) => runReplayCommand(args, bus, (line) => printed.push(line));
    expect([await run(), await run('--list', '--group', 'filesvc'), await run('--group', 'filesvc')]).toEqual([2, 0, 0]);
    expect(printed[1]).toContain('cannot be counted');
    expect(printed[2]).toBe('1 events will be handled again by filesvc');
    await eventually(async () => expect(await seen()).toEqual(['count bad.ifc', 'evaluate bad.ifc']));
    await eventually(async () => expect(await bus.deadLetters({})).toEqual([]));
  });

  it('starts without its event log, says so, and catches up when it is there', async () => {
    const late = await createTestDatabase();
    await late.drop();
    const service = await start({ bus: { url: late.url }, group: 'late' });
    expect(await service.get(ReadinessChecks).failing()).toEqual(['events']);
    await publish(service, 'waits.ifc');
    await database.dataSource.query(`CREATE DATABASE ${late.name}`);
    await eventually(async () => expect(await service.get(ReadinessChecks).failing()).toEqual([]));
    await eventually(async () => expect(await seen()).toEqual(['count waits.ifc', 'evaluate waits.ifc']));
    await service.close();
    started.splice(0);
    await late.drop();
  });
});
