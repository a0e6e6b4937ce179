import { randomUUID } from 'node:crypto';
import { type EventBus, SqlPurgeStore } from '@twinyard/events';
import { type HeldJob, type JobHandler, JobRunner, Jobs, JobsMetrics, PostgresNotices, SqlJobStore, type TryLater } from '@twinyard/jobs';
import { createDataSource, createLogger, MetricsRegistry, migrate, QuietConnection, type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { createTestDatabase, eventually, type TestDatabase } from '@twinyard/testing';
import type { DataSource } from 'typeorm';
import { MeasurementEvents } from '../src/measurements/measurement.events';
import { MeasurementsRepository } from '../src/measurements/measurements.repository';
import type { MeasuredEvent } from '../src/measurements/subjects';
import { migrations } from '../src/migrations';
import { SourceAway } from '../src/rebuild/rebuild-sources';
import { Backlog } from '../src/reconciliation/backlog';
import { Corrections } from '../src/reconciliation/corrections';
import { Reconciliation, ReconciliationOptions, ReconciliationParts } from '../src/reconciliation/reconciliation';
import { ReconciliationReport } from '../src/reconciliation/reconciliation-report';
import { FIRST_PLACE, type ReconciliationState } from '../src/reconciliation/reconciliation-state';
import { ReconciliationWorker } from '../src/reconciliation/reconciliation-worker';
import { ReconciliationRepository } from '../src/reconciliation/reconciliation.repository';
import { eventsOfTheStory, hourStamp, NS } from './events-of-a-story';
import { StorySources } from './story-sources';

const STORY = eventsOfTheStory() as MeasuredEvent[];
const LAST = STORY.at(-1) as MeasuredEvent;
const withoutLast = STORY.slice(0, -1);
const HOUR_MS = 3_600_000;
/** A day after its beginning. */
const AFTERWARDS = new Date(hourStamp(24));

describe('the reconciliation', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let unitOfWork: TypeOrmUnitOfWork;
  const handler = new MeasurementEvents(new MeasurementsRepository(), new SqlPurgeStore());
  const repository = new ReconciliationRepository();
  const said: unknown[] = [];
  /** Events of items that are not counted yet. */
  let waiting = 0;
  const logger = Object.assign(createLogger('metricsvc', 'silent'), {
    warn: (fields: object, text: string) => void said.push([text, fields]),
    info: (fields: object, text: string) => void said.push([text, fields]),
    error: (fields: object, text: string) => void said.push([text, fields]),
  });

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await createDataSource({ url: database.url, entities: [], migrations }).initialize();
    await migrate(dataSource);
    unitOfWork = new TypeOrmUnitOfWork(dataSource);
  });
  beforeEach(async () => {
    said.length = 0;
    waiting = 0;
    await dataSource.query('TRUNCATE point, measurement, restatement, reconciliation, namespace_purge');
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await database?.drop();
  });

  const bus = { statistics: () => Promise.resolve({ lag: [{ group: 'metricsvc', topic: 'itemsvc.item', events: waiting }, { group: 'aisvc', topic: 'itemsvc.item', events: 9 }], deadLetters: [] }) };
  const make = (sources: StorySources, hours = 24) => new Reconciliation(
    sources,
    new ReconciliationParts(repository, new Corrections(repository, new MeasurementsRepository(), new SqlPurgeStore(), unitOfWork), new Backlog(bus as unknown as EventBus), unitOfWork),
    new ReconciliationOptions(hours, 0), new ReconciliationReport(new MetricsRegistry(), logger),
  );
  /** Steps until the round is over; `between` before each of them. The number of steps. */
  const goRound = async (sources: StorySources, between: (state: ReconciliationState) => Promise<void> = () => Promise.resolve(), now = AFTERWARDS) => {
    const reconciliation = make(sources);
    let state: ReconciliationState = {};
    let steps = 0;
    do {
      await between(state);
      ({ state } = await reconciliation.step(state, { now }));
      steps += 1;
    } while (state.round);
    return steps;
  };
  const handle = async (...events: readonly MeasuredEvent[]) => {
    for (const event of events) await unitOfWork.run((tx) => handler.measure(tx, [event]));
  };
  const points = () => dataSource.query('SELECT metric, namespace, outer_dimension, inner_dimension, hour, value FROM point ORDER BY 1, 2, 3, 4, 5');
  const currentValues = () => dataSource.query(
    `SELECT * FROM (SELECT DISTINCT ON (metric, namespace, outer_dimension, inner_dimension) metric, namespace, outer_dimension, inner_dimension, value FROM point
     ORDER BY metric, namespace, outer_dimension, inner_dimension, hour DESC) last WHERE value <> 0 ORDER BY 1, 2, 3, 4`);
  const counted = async (events: readonly MeasuredEvent[]) => {
    await handle(...events);
    const values = await currentValues();
    await dataSource.query('TRUNCATE point, measurement, restatement');
    return values;
  };

  it('finds by itself that the last event of an item was lost, says so, and changes no earlier point', async () => {
    const values = await counted(STORY);
    await handle(...withoutLast);
    const before = await points();
    expect(await currentValues()).not.toEqual(values);
    await goRound(new StorySources().happen(...STORY));
    expect(await currentValues()).toEqual(values);
    expect(await points()).toEqual(expect.arrayContaining(before));
    expect(said).toEqual([
      ['events of these were lost; their metrics were put right', {
        topic: 'itemsvc.item', count: 1, corrections: [{ owner: LAST.key, changes: expect.arrayContaining([{ metric: 'dtplatform.itemsvc.NamedUserCollectionVersionSize', namespace: NS, outer: '', inner: '', delta: -900, hour: hourStamp(24) }]) }],
      }],
      ['the metrics were compared with the other services', { checked: expect.any(Number), corrected: 1 }],
    ]);
    await handle(LAST);
    expect(await currentValues()).toEqual(values);
  });

  it.each([1, 3, 200])('finds whichever event was lost, with %d on a page', async (pageSize) => {
    const values = await counted(STORY);
    for (const lost of STORY) {
      await dataSource.query('TRUNCATE point, measurement, restatement');
      await handle(...STORY.filter((event) => event !== lost));
      await goRound(new StorySources(pageSize).happen(...STORY));
      expect([lost.uuid, await currentValues()]).toEqual([lost.uuid, values]);
    }
  });

  it('leaves alone what is right, and what was only under way', async () => {
    await handle(...withoutLast);
    const sources = new StorySources().happen(...STORY);
    await goRound(sources, async ({ round }) => {
      if (round?.suspects) await handle(LAST);
    });
    const after = await points();
    await goRound(sources);
    expect(await points()).toEqual(after);
    expect(await dataSource.query('SELECT 1 FROM restatement')).toEqual([]);
    expect(said.map((line) => (line as string[])[0])).toEqual(Array.from({ length: 2 }, () => 'the metrics were compared with the other services'));
  });

  it('takes no events for lost that wait to be counted', async () => {
    await handle(...withoutLast);
    const before = await points();
    waiting = 1;
    await goRound(new StorySources().happen(...STORY));
    expect([await points(), await dataSource.query('SELECT 1 FROM restatement')]).toEqual([before, []]);
    waiting = 0;
    await handle(LAST);
    const after = await points();
    await goRound(new StorySources().happen(...STORY));
    expect(await points()).toEqual(after);
  });

  it('leaves alone what was changed within the last hour, and counts a change in its hour then', async () => {
    const changed = STORY.findLast(({ event }) => event === 'resource.ResourceUpdated') as MeasuredEvent;
    const story = STORY.slice(0, STORY.indexOf(changed) + 1);
    await handle(...story);
    const right = await points();
    await dataSource.query('TRUNCATE point, measurement, restatement');
    await handle(...story.slice(0, -1));
    const before = await points();
    const laterBy = (ms: number) => new Date(Date.parse(changed.timestamp) + ms);
    await goRound(new StorySources().happen(...story), undefined, laterBy(HOUR_MS / 2));
    expect(await points()).toEqual(before);
    await goRound(new StorySources().happen(...story), undefined, laterBy(2 * HOUR_MS));
    expect(await points()).toEqual(right);
  });

  it('looks every hour whether a round is due, since the setting may be another by then', async () => {
    const endedAt = AFTERWARDS.toISOString();
    expect(await make(new StorySources()).step({ endedAt }, { now: AFTERWARDS })).toEqual({ state: { endedAt }, delayMs: HOUR_MS });
    expect((await make(new StorySources()).step({ endedAt }, { now: new Date(AFTERWARDS.getTime() + 23.5 * HOUR_MS) })).delayMs).toBe(HOUR_MS / 2);
  });

  it('waits for a service that is away without end, and passes over what it cannot compare after some attempts, and says so', async () => {
    const sources = new StorySources().happen(...STORY);
    let handler: JobHandler<object, TypeOrmTx> | undefined;
    const runner = { handle: (_: unknown, given: JobHandler<object, TypeOrmTx>) => void (handler = given) };
    new ReconciliationWorker(runner as unknown as JobRunner, {} as Jobs, make(sources), repository, unitOfWork, new ReconciliationReport(new MetricsRegistry(), logger)).onModuleInit();
    const delays: number[] = [];
    const attempt = (number: number, signal = new AbortController().signal) => (handler as JobHandler<object, TypeOrmTx>).run(
      { attempt: number, signal, continueWith: (_tx: unknown, _payload: object, delayMs: number) => Promise.resolve(void delays.push(delayMs)) } as unknown as HeldJob<object, TypeOrmTx>);
    const state = () => unitOfWork.run((tx) => repository.state(tx));

    const next = jest.spyOn(sources, 'next').mockRejectedValue(new SourceAway('PASSPORT_URL cannot be reached'));
    for (const number of [1, 5, 20]) await expect(attempt(number)).rejects.toMatchObject({ name: 'TryLater', counts: false } satisfies Partial<TryLater>);
    next.mockRejectedValue(new Error('PASSPORT_URL answered 400'));
    for (const number of [1, 4]) await expect(attempt(number)).rejects.toThrow('answered 400');
    await expect(attempt(5, AbortSignal.abort())).rejects.toThrow('answered 400');
    expect([await state(), delays]).toEqual([{}, []]);
    await attempt(5);
    const { topic } = FIRST_PLACE;
    expect((await state()).round?.place).toEqual({ topic, side: 'here' });
    expect([delays, said.at(-1)]).toEqual([[1_000], ['these could not be compared with their service, and are left out of this round', { place: { topic, side: 'there' } }]]);
    next.mockRestore();
    for (let steps = 0; (await state()).round && steps < 99; steps += 1) await attempt(1);
    expect((await state()).endedAt).toBeDefined();
  });

  it('does not count twice what happens while it looks', async () => {
    const values = await counted(STORY);
    const waiting = [...STORY];
    const sources = new StorySources(1);
    const happen = async (event: MeasuredEvent | undefined, isLost: boolean) => {
      if (event === undefined) return;
      sources.happen(event);
      if (!isLost) await handle(event);
    };
    sources.afterReading = (keys) => happen(waiting.splice(waiting.findIndex(({ key }) => keys.includes(key)) >>> 0, 1)[0], false);
    await goRound(sources, () => happen(waiting.shift(), waiting.length % 3 === 0));
    sources.afterReading = () => Promise.resolve();
    for (const event of waiting) await happen(event, false);
    await goRound(sources);
    expect(await currentValues()).toEqual(values);
  });

  it('takes out what a service has no more, and follows one that was restored to an earlier state', async () => {
    const restored = STORY.slice(0, 9);
    const values = await counted(restored);
    await handle(...STORY);
    await dataSource.query(`INSERT INTO measurement (subject, owner, sequence, contributions) SELECT 'item:ghost', 'ghost', 7, contributions FROM measurement WHERE subject = 'item:i1'`);
    await dataSource.query(`UPDATE point SET value = value + 1 WHERE metric = 'dtplatform.itemsvc.NamedUserCollectionCount'`);
    await goRound(new StorySources().happen(...restored));
    expect(await currentValues()).toEqual(values);
    const { f1 = 0 } = Object.fromEntries(restored.map(({ key, sequence }) => [key, sequence]));
    await handle({ ...(STORY[0] as MeasuredEvent), event: 'resource.ResourceDeleted', uuid: randomUUID(), sequence: f1 + 1, timestamp: new Date().toISOString() });
    const left = (await currentValues()) as { outer_dimension: string }[];
    expect(left.length).toBeGreaterThan(0);
    expect(left.filter(({ outer_dimension }) => outer_dimension === 'f1')).toEqual([]);
  });

  it('counts nothing for a namespace that was purged', async () => {
    await unitOfWork.run((tx) => new SqlPurgeStore().ask(tx, { namespace: NS, askedById: randomUUID(), requestId: randomUUID() }));
    await goRound(new StorySources().happen(...STORY));
    expect(await currentValues()).toEqual([]);
  });

  it('is one job for all processes, goes on where one was stopped, and waits until the next round is due', async () => {
    const values = await counted(STORY);
    await handle(...withoutLast);
    const store = new SqlJobStore(unitOfWork);
    const state = () => unitOfWork.run((tx) => repository.state(tx));
    const run = async (sources: StorySources, until: () => Promise<void>) => {
      const notices = new PostgresNotices(new QuietConnection(database.url, logger));
      const runner = new JobRunner(store, notices, unitOfWork, new JobsMetrics(new MetricsRegistry(), store), { perNamespace: 16, keepDeadDays: 1 }, logger);
      const worker = new ReconciliationWorker(runner, new Jobs(store, notices), make(sources), repository, unitOfWork, new ReconciliationReport(new MetricsRegistry(), logger));
      worker.onModuleInit();
      runner.onApplicationBootstrap();
      await worker.onApplicationBootstrap();
      await until().finally(() => runner.beforeApplicationShutdown());
    };
    const sources = new StorySources().happen(...STORY);
    await run(sources, () => eventually(async () => expect((await state()).round?.place.topic).toBe('passportsvc.usergroup')));
    const first = (await state()).round?.id;
    await run(sources, () => eventually(async () => expect((await state()).endedAt).toBeDefined()));
    expect(first).toBeDefined();
    expect(await currentValues()).toEqual(values);
    expect(await dataSource.query('SELECT rebuild FROM restatement')).toEqual([{ rebuild: first }]);
    const [job] = await dataSource.query(`SELECT extract(epoch FROM due_at - now()) / 3600 AS hours FROM job WHERE kind = 'metricsvc.reconcile'`);
    expect(Number(job.hours)).toBeGreaterThan(0);
    expect(Number(job.hours)).toBeLessThanOrEqual(1);
  });
});
