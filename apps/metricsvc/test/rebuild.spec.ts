import { randomUUID } from 'node:crypto';
import { SqlPurgeStore } from '@twinyard/events';
import { createDataSource, migrate, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { createTestDatabase, type TestDatabase } from '@twinyard/testing';
import type { DataSource } from 'typeorm';
import { MeasurementEvents } from '../src/measurements/measurement.events';
import { MeasurementsRepository } from '../src/measurements/measurements.repository';
import type { MeasuredEvent } from '../src/measurements/subjects';
import { migrations } from '../src/migrations';
import { RebuildMetrics } from '../src/rebuild/rebuild-metrics';
import { eventsOfTheStory } from './events-of-a-story';
import { StorySources } from './story-sources';

const STORY = eventsOfTheStory() as MeasuredEvent[];

describe('a rebuild', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let unitOfWork: TypeOrmUnitOfWork;
  const handler = new MeasurementEvents(new MeasurementsRepository(), new SqlPurgeStore());

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await createDataSource({ url: database.url, entities: [], migrations }).initialize();
    await migrate(dataSource);
    unitOfWork = new TypeOrmUnitOfWork(dataSource);
  });
  beforeEach(() => dataSource.query('TRUNCATE point, measurement, restatement'));
  afterAll(async () => {
    await dataSource?.destroy();
    await database?.drop();
  });

  const handle = async (...events: readonly MeasuredEvent[]) => {
    for (const event of events) await unitOfWork.run((tx) => handler.measure(tx, [event]));
  };
  const rebuild = (sources: StorySources, history = false) => new RebuildMetrics(sources, unitOfWork).run({ id: randomUUID(), history, report: () => undefined });
  const points = () => dataSource.query('SELECT metric, namespace, outer_dimension, inner_dimension, hour, value FROM point ORDER BY 1, 2, 3, 4, 5');
  const currentValues = () => dataSource.query(
    `SELECT * FROM (SELECT DISTINCT ON (metric, namespace, outer_dimension, inner_dimension) metric, namespace, outer_dimension, inner_dimension, value FROM point
     ORDER BY metric, namespace, outer_dimension, inner_dimension, hour DESC) last WHERE value <> 0 ORDER BY 1, 2, 3, 4`);
  /** What counting the events, and nothing else, gives. */
  const counted = async (events: readonly MeasuredEvent[]) => {
    await dataSource.query('TRUNCATE point, measurement, restatement');
    await handle(...events);
    return { points: await points(), values: await currentValues() };
  };

  it('changes no point of what is right, once or twice', async () => {
    const before = await counted(STORY);
    const sources = new StorySources().happen(...STORY);
    await rebuild(sources);
    expect(await points()).toEqual(before.points);
    await rebuild(sources);
    expect(await points()).toEqual(before.points);
  });

  it('puts right whatever was tampered with', async () => {
    const { values } = await counted(STORY);
    await dataSource.query(`UPDATE point SET value = value + 1000 WHERE metric LIKE '%Size'`);
    await dataSource.query(`DELETE FROM measurement WHERE subject = 'file:f1'`);
    await dataSource.query(`UPDATE measurement SET contributions = jsonb_set(contributions, '{0,value}', '7') WHERE subject = 'version:v2'`);
    await dataSource.query(`INSERT INTO measurement (subject, owner, sequence, contributions)
      SELECT replace(subject, 'i1', 'nobody'), 'nobody', 99, contributions FROM measurement WHERE subject = 'item:i1'`);
    await dataSource.query(`INSERT INTO measurement (subject, owner, sequence, contributions)
      SELECT 'fileversion:ghost', 'f1', 1, contributions FROM measurement WHERE subject = 'fileversion:f1-2'`);
    await dataSource.query(`INSERT INTO point VALUES ('dtplatform.filesvc.FileCount', 'invented', '', '', now(), 5)`);
    await rebuild(new StorySources().happen(...STORY));
    expect(await currentValues()).toEqual(values);
  });

  it('counts on from what it has taken over: the next event changes what it should', async () => {
    const next = STORY.at(-1) as MeasuredEvent;
    const { values } = await counted(STORY);
    await dataSource.query('TRUNCATE point, measurement, restatement');
    await rebuild(new StorySources().happen(...STORY.slice(0, -1)));
    await handle(next);
    expect(await currentValues()).toEqual(values);
  });

  it('passes over events that it has taken over, also those of what is gone', async () => {
    const { values } = await counted(STORY);
    await dataSource.query('TRUNCATE point, measurement, restatement');
    await rebuild(new StorySources().happen(...STORY));
    for (const event of STORY) {
      await handle(event);
      expect([event.uuid, await currentValues()]).toEqual([event.uuid, values]);
    }
  });

  it.each([1, 200])('neither loses nor doubles what happens while it reads, with %d on a page', async (pageSize) => {
    const { values } = await counted(STORY);
    await dataSource.query('TRUNCATE point, measurement, restatement');
    const known = STORY.filter(({ sequence }) => sequence < 3);
    const waiting = STORY.filter(({ sequence }) => sequence >= 3);
    const sources = new StorySources(pageSize).happen(...known);
    await handle(...known);
    sources.afterReading = async (keys) => {
      const [event] = waiting.splice(waiting.findIndex(({ key }) => keys.includes(key)) >>> 0, 1);
      if (event === undefined) return;
      sources.happen(event);
      await handle(event);
    };
    await rebuild(sources);
    expect(waiting.length).toBeLessThan(STORY.length - 8);
    await handle(...waiting);
    expect(await currentValues()).toEqual(values);
  });

  it('may stop half way: what it has done stands, and the next one ends it', async () => {
    const { values } = await counted(STORY);
    await dataSource.query('UPDATE point SET value = value + 1');
    const sources = new StorySources(1).happen(...STORY);
    let answers = 0;
    sources.afterReading = () => ((answers += 1) > 1 ? Promise.reject(new Error('stopped')) : Promise.resolve());
    await expect(rebuild(sources)).rejects.toThrow('stopped');
    sources.afterReading = () => Promise.resolve();
    await rebuild(sources);
    expect(await currentValues()).toEqual(values);
  });

  it('may run twice at once', async () => {
    const { values } = await counted(STORY);
    await dataSource.query('UPDATE point SET value = 0');
    const sources = new StorySources(1).happen(...STORY);
    await Promise.all([rebuild(sources), rebuild(sources)]);
    expect(await currentValues()).toEqual(values);
  });

  it('follows a service that was restored to an earlier state, and counts its further events', async () => {
    const restored = STORY.slice(0, 9);
    await counted(STORY);
    const sources = new StorySources().happen(...restored);
    await rebuild(sources);
    const after = await currentValues();
    expect(after).toEqual((await counted(restored)).values);
    await counted(STORY);
    await rebuild(sources);
    const { f1 = 0 } = Object.fromEntries(restored.filter(({ key }) => key === 'f1').map(({ key, sequence }) => [key, sequence]));
    const file = STORY.find(({ key }) => key === 'f1') as MeasuredEvent;
    await handle({ ...file, event: 'resource.ResourceDeleted', uuid: randomUUID(), sequence: f1 + 1, timestamp: new Date().toISOString() });
    const left = (await currentValues()) as { outer_dimension: string }[];
    expect(left.filter(({ outer_dimension }) => outer_dimension === 'f1')).toEqual([]);
  });

  it('makes the points anew of things that were only ever made', async () => {
    const made = STORY.filter(({ event, resource }) => event === 'resource.ResourceCreated' && resource.type !== 'itemsvc.RelatedItems');
    const { points: before } = await counted(made);
    await dataSource.query('TRUNCATE point, measurement, restatement');
    await rebuild(new StorySources().happen(...made), true);
    expect(await points()).toEqual(before);
  });
});
