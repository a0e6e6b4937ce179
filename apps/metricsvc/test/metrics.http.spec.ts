import { randomBytes } from 'node:crypto';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Outbox, resourceCreated } from '@twinyard/events';
import { createService, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { eventually, type FakePassport, type StartedService, startService } from '@twinyard/testing';
import fc from 'fast-check';
import { Client } from 'pg';
import request from 'supertest';
import { MeasurementEvents } from '../src/measurements/measurement.events';
import type { MeasuredEvent } from '../src/measurements/subjects';
import { service } from '../src/service';
import { eventsOfTheStory, hourStamp, NS } from './events-of-a-story';

const METRICS = '/metricsvc/api/v1/metrics';
const SIZE = 'dtplatform.filesvc.FileVersionSize';

describe('metrics over HTTP', () => {
  let started: StartedService;
  let passport: FakePassport;
  let app: NestFastifyApplication;
  let reader: string;
  let sql: Client;

  beforeAll(async () => {
    started = await startService((settings) => createService(service, { ...settings, RECONCILE_HOURS: 24 }));
    ({ app, passport } = started);
    reader = await passport.token('reader');
    await passport.grant('reader', NS, ['READ'], 'metricsvc:metric:*');
    await passport.grant('reader', 'live_a1B2c3D4', ['READ'], 'metricsvc:metric:*');
    sql = new Client({ connectionString: started.database.url });
    await sql.connect();
  });

  afterAll(async () => {
    await sql?.end();
    await started?.stop();
  });

  const get = (path: string, query: object = {}, token = reader) =>
    request(app.getHttpServer()).get(`${METRICS}/${path}`).query(query).set('authorization', `Bearer ${token}`);
  const valuesOf = async (path: string, query: object = {}) =>
    ((await get(path, query).expect(200)).body.metrics as { timestamp: string; value: number }[]).map(({ timestamp, value }) => [timestamp, value]);

  const handle = async (events: readonly unknown[]) => {
    const handler = app.get(MeasurementEvents);
    for (const event of events) await app.get(TypeOrmUnitOfWork).run((tx) => handler.measure(tx, [event as MeasuredEvent]));
  };
  /** With the number of statements that it took. */
  const handleAtOnce = (events: readonly unknown[], begin = () => {}) => app.get(TypeOrmUnitOfWork).run(async (tx) => {
    begin();
    let statements = 0;
    const counted = (how: 'query' | 'prepared') => (sql: string, parameters?: unknown[]) => ((statements += 1), tx[how](sql, parameters));
    const counting = { query: counted('query'), prepared: counted('prepared') } as typeof tx;
    await app.get(MeasurementEvents).measure(counting, events as MeasuredEvent[]);
    return statements;
  });
  const things = async () => (await sql.query('SELECT subject, owner, sequence, namespaces, contributions, made_at, changed_at, ended_at IS NOT NULL AS ended FROM measurement ORDER BY subject')).rows;
  const clear = () => sql.query('TRUNCATE point, measurement');
  const points = async () => (await sql.query('SELECT metric, namespace, outer_dimension, inner_dimension, hour, value FROM point ORDER BY 1, 2, 3, 4, 5')).rows;
  const currentValues = async () =>
    (await sql.query(`SELECT DISTINCT ON (metric, namespace, outer_dimension, inner_dimension) metric, outer_dimension, inner_dimension, value FROM point
                      ORDER BY metric, namespace, outer_dimension, inner_dimension, hour DESC`)).rows;

  it('tells the value at the end of each hour in which it changed', async () => {
    await clear();
    await handle(eventsOfTheStory());
    expect(await valuesOf(SIZE, { namespace: NS })).toEqual([[hourStamp(0), 100], [hourStamp(1), 350], [hourStamp(2), 357], [hourStamp(3), 257], [hourStamp(4), 250]]);
    expect(await valuesOf('dtplatform.filesvc.PreviewImageFileSize', { namespace: NS })).toEqual([[hourStamp(2), 7_000], [hourStamp(3), 4_500], [hourStamp(4), 4_000]]);
    expect(await valuesOf('dtplatform.filesvc.FileCount', { namespace: NS })).toEqual([[hourStamp(0), 1], [hourStamp(1), 2], [hourStamp(4), 1]]);
    expect(await valuesOf(SIZE, { namespace: NS, file_id: 'f1', version: 2 })).toEqual([[hourStamp(1), 250]]);
    expect(await valuesOf('dtplatform.itemsvc.NamedUserCollectionRelatedItemsCount', { namespace: NS })).toEqual([[hourStamp(1), 5], [hourStamp(2), 9], [hourStamp(3), 10], [hourStamp(4), 1]]);
    expect(await valuesOf('dtplatform.itemsvc.NamedUserCollectionVersionSize', { namespace: NS, version: 1 })).toEqual([[hourStamp(0), 2], [hourStamp(1), 500], [hourStamp(2), 900], [hourStamp(4), 0]]);
    expect(await valuesOf('dtplatform.itemsvc.NamedUserCollectionCount', { namespace: NS })).toEqual([[hourStamp(0), 1]]);
  });

  it('is the same when every event comes twice', async () => {
    await clear();
    await handle(eventsOfTheStory());
    const once = await points();
    await clear();
    await handle(eventsOfTheStory().flatMap((event) => [event, event]));
    await handle(eventsOfTheStory());
    expect(await points()).toEqual(once);
  });

  it('has the same points in whatever order the aggregates arrive', async () => {
    await clear();
    await handle(eventsOfTheStory());
    const inOrder = await points();
    const keys = ['f1', 'f2', 'i1'];
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(keys, { minLength: 3 }), async (order) => {
        await clear();
        for (const key of order) await handle(eventsOfTheStory().filter((event) => event.key === key));
        expect(await points()).toEqual(inOrder);
      }),
      { numRuns: 6, seed: 7 },
    );
  });

  it('ends at the same values when events are lost in between, doubled and shuffled', async () => {
    await clear();
    await handle(eventsOfTheStory());
    const inOrder = await currentValues();
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...eventsOfTheStory().keys()], { minLength: 18 }), async (order) => {
        await clear();
        await handle(order.map((index) => eventsOfTheStory()[index]));
        const shuffled = new Map((await currentValues()).map((row) => [JSON.stringify([row.metric, row.outer_dimension, row.inner_dimension]), row.value]));
        for (const row of inOrder) expect([row, shuffled.get(JSON.stringify([row.metric, row.outer_dimension, row.inner_dimension])) ?? '0']).toEqual([row, row.value]);
      }),
      { numRuns: 20, seed: 11 },
    );
  });

  it('counts a batch as if its events came one by one, in whatever order, doubled, late, cut anywhere, in seven statements', async () => {
    const story = eventsOfTheStory();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(story.length - 1), { minLength: 1, maxLength: 40 }), fc.nat(40), async (order, cut) => {
        const events = order.map((index) => story[index]);
        await clear();
        await handle(events);
        const oneByOne = [await points(), await things()];
        await clear();
        for (const batch of [events.slice(0, cut), events.slice(cut)]) expect(await handleAtOnce(batch)).toBeLessThanOrEqual(7);
        expect([await points(), await things()]).toEqual(oneByOne);
      }),
      { numRuns: 25, seed: 3 },
    );
  });

  it('keeps consumers from waiting in a circle that have the same things in batches of another order', async () => {
    const versions = ['a', 'm', 'z'].map((id) => ({
      ...resourceCreated('filesvc.FileVersion', { _id: id, _irn: 'filesvc:file:f', _namespaces: [NS], _fileId: 'f', _version: 1, _fileSize: 1, _graphics: false }, { userId: 'alice', requestId: 'r' }),
      sequence: 1,
    }));
    await clear();
    // Somebody else makes the thing in the middle: whoever comes to it waits.
    await sql.query('BEGIN');
    await sql.query(`INSERT INTO measurement (subject, owner, sequence, contributions) VALUES ('fileversion:m', 'f', 0, '[]')`);
    let transactions = 0;
    const both = Promise.all([versions, versions.toReversed()].map((events) => handleAtOnce(events, () => void (transactions += 1))));
    const waiting = `SELECT DISTINCT pid FROM pg_locks WHERE NOT granted
                     AND pid IN (SELECT pid FROM pg_locks WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database()))`;
    await eventually(async () => expect((await sql.query(waiting)).rows).toHaveLength(2)).finally(() => sql.query('ROLLBACK'));
    await both;
    // A circle would have cost one of them a second try.
    expect(transactions).toBe(2);
    expect((await valuesOf(SIZE, { namespace: NS })).map(([, value]) => value)).toEqual([3]);
  });

  it('answers the by-dimension form within its period', async () => {
    await clear();
    await handle(eventsOfTheStory());
    const form = `${SIZE}/by-dimension;namespace=${NS}`;
    expect(await valuesOf(form, { 'period.from': hourStamp(1), 'period.to': hourStamp(2) })).toEqual([[hourStamp(1), 350], [hourStamp(2), 357]]);
    const { body } = await get(`${SIZE}/by-dimension;namespace=${NS};file_id=f2;version=1`, { 'period.from': hourStamp(0), 'period.to': '2026-03-02T00:00:00+01:00' }).expect(200);
    expect(body).toMatchObject({ metricName: SIZE, dimensions: { namespace: NS, file_id: 'f2', version: '1' } });
    expect(await valuesOf(form)).toEqual([]);
  });

  it('refuses what is no metric, no dimension or no period', async () => {
    await get('dtplatform.filesvc.Nonsense', { namespace: NS }).expect(400);
    await get(SIZE).expect(400);
    await get(SIZE, { namespace: NS, colour: 'red' }).expect(400);
    await get(SIZE, { namespace: NS, 'period.from': hourStamp(0) }).expect(400);
    await get(`${SIZE}/by-dimension;namespace=${NS}`, { 'period.from': hourStamp(2), 'period.to': hourStamp(1) }).expect(400);
    await get(`${SIZE}/by-dimension;namespace=${NS}`, { 'period.from': 'yesterday' }).expect(400);
    await get(`${SIZE}/by-colour;namespace=${NS}`).expect(404);
    expect(await valuesOf(SIZE, { namespace: NS, version: 1 })).toEqual([]);
    await get(SIZE, { namespace: NS, nsfilter: 'ignored' }).expect(200);
  });

  it('shows nothing to an outsider and refuses nobody', async () => {
    expect((await get(SIZE, { namespace: NS }, await passport.token('outsider')).expect(200)).body.metrics).toEqual([]);
    await request(app.getHttpServer()).get(`${METRICS}/${SIZE}`).query({ namespace: NS }).expect(401);
  });

  it('counts what comes over the bus, also beside what cannot be counted', async () => {
    const version = (id: string) => resourceCreated('filesvc.FileVersion', {
      _id: id, _irn: 'filesvc:file:live', _namespaces: ['live_a1B2c3D4'], _fileId: 'live', _version: 1, _fileSize: 5, _graphics: true,
    }, { userId: 'alice', requestId: 'r' });
    const created = resourceCreated('filesvc.File', {
      _id: 'live', _irn: 'filesvc:file:live', _name: 'live.ifc', _namespaces: ['live_a1B2c3D4'], _parents: [], _tipId: 'v', _tipVersion: 1, _fileSize: 1, _tags: [], _graphics: true,
    }, { userId: 'alice', requestId: 'r' });
    // One aggregate is one partition, and so one batch. No index takes a name of this length.
    await app.get(TypeOrmUnitOfWork).run((tx) => app.get(Outbox).append(tx, version('v1'), version(randomBytes(5_000).toString('hex')), created));
    await eventually(async () => {
      const { body } = await get('dtplatform.filesvc.FileCount.graphics', { namespace: 'live_a1B2c3D4' }).expect(200);
      expect(body.metrics.at(-1)?.value).toBe(1);
    });
    expect((await valuesOf('dtplatform.filesvc.FileVersionSize.graphics', { namespace: 'live_a1B2c3D4' })).at(-1)?.[1]).toBe(5);
  });
});
