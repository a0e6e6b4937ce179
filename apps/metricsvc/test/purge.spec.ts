import { randomUUID } from 'node:crypto';
import { SqlPurgeStore } from '@twinyard/events';
import type { Schedules } from '@twinyard/jobs';
import { createDataSource, migrate, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { createTestDatabase, eventually, type TestDatabase } from '@twinyard/testing';
import type { DataSource } from 'typeorm';
import { EndedMeasurementsSweep } from '../src/measurements/ended-measurements-sweep';
import { MeasurementEvents } from '../src/measurements/measurement.events';
import { MeasurementsPurge } from '../src/measurements/measurements-purge';
import { MeasurementsRepository } from '../src/measurements/measurements.repository';
import type { MeasuredEvent } from '../src/measurements/subjects';
import { migrations } from '../src/migrations';
import { RebuildMetrics } from '../src/rebuild/rebuild-metrics';
import { eventsOfTheStory } from './events-of-a-story';
import { StorySources } from './story-sources';

const STORY = eventsOfTheStory() as MeasuredEvent[];
const GONE = 'gone_a1B2c3D4';
const SHARED = 'kept_a1B2c3D4';
const DAY_MS = 86_400_000;

/** The same story, of other things in other namespaces. */
function retold(namespaces: readonly string[], mark: string): MeasuredEvent[] {
  const renamed = JSON.parse(JSON.stringify(STORY).replace(/"(_id|_itemId|_fileId|_fileVersionId|_versionId|_userItemId|key)":"([^"]+)"/g, `"$1":"$2 ${mark}"`)) as MeasuredEvent[];
  return renamed.map((event) => ({ ...event, resource: { ...event.resource, _namespaces: [...namespaces] } }) as MeasuredEvent);
}

describe('the measurements of a purged namespace', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let unitOfWork: TypeOrmUnitOfWork;
  const purges = new SqlPurgeStore();
  const handler = new MeasurementEvents(new MeasurementsRepository(), purges);
  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await createDataSource({ url: database.url, entities: [], migrations }).initialize();
    await migrate(dataSource);
    unitOfWork = new TypeOrmUnitOfWork(dataSource);
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await database?.drop();
  });

  const handle = async (events: readonly MeasuredEvent[]) => {
    for (const event of events) await unitOfWork.run((tx) => handler.measure(tx, [event]));
  };
  const pointsOf = (namespace: string) => dataSource.query('SELECT * FROM point WHERE namespace = $1 ORDER BY metric, outer_dimension, inner_dimension, hour', [namespace]) as Promise<unknown[]>;
  /** Rows that name the namespace, or a thing that lay in it alone. */
  const mentions = async () => (await Promise.all(['measurement', 'point', 'restatement'].map((table) => dataSource.query(`SELECT t::text FROM ${table} t WHERE t::text ~ $1`, [`${GONE}| mine`])))).flat() as unknown[];

  it('go as a whole, those of others stay, and what is told later or by a rebuild counts for nothing', async () => {
    const half = Math.floor(STORY.length / 2);
    const [mine, both] = [retold([GONE], 'mine'), retold([GONE, SHARED], 'both')];
    await handle(STORY);
    await handle(mine.slice(0, half));
    await handle(both);
    const others = await dataSource.query('SELECT * FROM point WHERE namespace <> $1 ORDER BY 1, 2, 3, 4, 5', [GONE]) as unknown[];
    expect((await pointsOf(GONE)).length).toBeGreaterThan(0);
    expect((await pointsOf(SHARED)).length).toBeGreaterThan(0);

    await unitOfWork.run((tx) => purges.ask(tx, { namespace: GONE, askedById: 'owner', requestId: 'the request' }));
    const purge = new MeasurementsPurge(new MeasurementsRepository(), unitOfWork);
    expect((await mentions()).length).toBeGreaterThan(0);
    expect((await purge.removeSome(GONE)).removed).toBeGreaterThan(0);
    expect(await purge.removeSome(GONE)).toEqual({ removed: 0 });
    expect(await mentions()).toEqual([]);

    // After the last pass: what had not come before, what comes again, and with a later number.
    await handle([...mine.slice(half), ...mine, ...mine.map((event) => ({ ...event, sequence: event.sequence + 100 }))]);
    expect(await mentions()).toEqual([]);
    await new RebuildMetrics(new StorySources().happen(...STORY, ...mine, ...both), unitOfWork).run({ id: randomUUID(), history: false, report: () => undefined });
    // Of what is gone already nobody says where it lay: its number is known until no earlier event can come.
    expect(await mentions()).toEqual([{ t: expect.stringContaining('f2 mine') as string }]);
    expect(await dataSource.query('SELECT owner FROM restatement WHERE owner = $1', ['f2 mine'])).toHaveLength(1);
    expect(await dataSource.query('SELECT * FROM point WHERE namespace <> $1 ORDER BY 1, 2, 3, 4, 5', [GONE])).toEqual(others);
  });

  it('wait for an event that is being counted and does not know of the purge', async () => {
    const [namespace, event] = ['soon_a1B2c3D4', retold(['soon_a1B2c3D4'], 'soon')[0] as MeasuredEvent];
    const purge = new MeasurementsPurge(new MeasurementsRepository(), unitOfWork);
    const waiting = 'SELECT FROM pg_locks WHERE NOT granted AND locktype = $1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())';
    let emptied: Promise<{ removed: number }> | undefined;
    await unitOfWork.run(async (tx) => {
      await handler.measure(tx, [event]);
      await unitOfWork.run((other) => purges.ask(other, { namespace, askedById: 'owner', requestId: 'another' }));
      emptied = purge.removeSome(namespace);
      await eventually(async () => expect(await dataSource.query(waiting, ['advisory'])).toHaveLength(1));
    });
    expect((await emptied)?.removed).toBeGreaterThan(0);
    expect(await pointsOf(namespace)).toEqual([]);
    expect(await dataSource.query("SELECT FROM measurement WHERE subject LIKE '% soon'")).toEqual([]);
  });
});

describe('what is known of deleted things', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let unitOfWork: TypeOrmUnitOfWork;
  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await createDataSource({ url: database.url, entities: [], migrations }).initialize();
    await migrate(dataSource);
    unitOfWork = new TypeOrmUnitOfWork(dataSource);
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await database?.drop();
  });

  it('is kept for as long as an earlier event may come, and then forgotten, while what is there stays known', async () => {
    const measurements = new MeasurementsRepository();
    const handler = new MeasurementEvents(measurements, new SqlPurgeStore());
    for (const event of STORY) await unitOfWork.run((tx) => handler.measure(tx, [event]));
    await new RebuildMetrics(new StorySources().happen(...STORY), unitOfWork).run({ id: randomUUID(), history: false, report: () => undefined });
    const points = () => dataSource.query('SELECT * FROM point ORDER BY 1, 2, 3, 4, 5');
    const subjects = async (where: string) => (await dataSource.query(`SELECT subject FROM measurement WHERE ${where} ORDER BY 1`) as { subject: string }[]).map(({ subject }) => subject);
    const [there, before] = [await subjects("contributions <> '[]'"), await points()];
    const ended = await subjects("contributions = '[]'");
    expect(ended).toEqual(['file:f2', 'fileversion:f1-1', 'fileversion:f2-1', 'preview:f1-1', 'preview:f2-1', 'version:v1']);
    const sweep = new EndedMeasurementsSweep(measurements, unitOfWork, { every: () => undefined } as unknown as Schedules);
    const { signal } = new AbortController();

    await sweep.sweep(Date.now() + 13.9 * DAY_MS, signal);
    expect(await subjects("contributions = '[]'")).toEqual(ended);
    await sweep.sweep(Date.now() + 14.1 * DAY_MS, signal);
    expect(await subjects('true')).toEqual(there);
    expect(await dataSource.query('SELECT FROM restatement')).toEqual([]);
    expect(await points()).toEqual(before);
  });
});
