import { randomUUID } from 'node:crypto';
import { SqlPurgeStore } from '@twinyard/events';
import { createDataSource, migrate, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { createTestDatabase, type TestDatabase } from '@twinyard/testing';
import type { DataSource } from 'typeorm';
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
  const mentions = async () => (await dataSource.query(`SELECT 1 FROM measurement m WHERE strpos(m::text, $1) > 0 UNION ALL SELECT 1 FROM point p WHERE strpos(p::text, $1) > 0`, [GONE]) as unknown[]).length;

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
    expect((await purge.removeSome(GONE)).removed).toBeGreaterThan(0);
    expect(await purge.removeSome(GONE)).toEqual({ removed: 0 });
    expect(await mentions()).toBe(0);

    await handle(mine.slice(half));
    expect(await mentions()).toBe(0);
    await new RebuildMetrics(new StorySources().happen(...STORY, ...mine, ...both), unitOfWork).run({ id: randomUUID(), history: false, report: () => undefined });
    expect(await mentions()).toBe(0);
    expect(await dataSource.query('SELECT * FROM point WHERE namespace <> $1 ORDER BY 1, 2, 3, 4, 5', [GONE])).toEqual(others);
  });
});
