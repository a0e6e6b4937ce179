import { invalidField, newUuid, unavailable } from '@twinyard/conventions';
import { createTestDatabase, eventually, type TestDatabase } from '@twinyard/testing';
import type { DataSource } from 'typeorm';
import { createLogger } from '../logging/logger';
import { createDataSource } from '../sql/data-source';
import { migrate } from '../sql/migrations';
import { TypeOrmUnitOfWork } from '../sql/type-orm-unit-of-work';
import type { DurableHandler, DurableState } from './durable-request';
import { DurableRequests } from './durable-requests';
import { DurableRequestsTable1700000000010 } from './durable-requests-migration';
import { SqlDurableRequestStore } from './sql-durable-request-store';

const CALLER = { type: 'user', id: 'alice' };

describe('durable requests', () => {
  let database: TestDatabase;
  let source: DataSource;
  let unitOfWork: TypeOrmUnitOfWork;
  let store: SqlDurableRequestStore;
  const workers: DurableRequests[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    source = await createDataSource({ url: database.url, entities: [], migrations: [DurableRequestsTable1700000000010] }).initialize();
    await migrate(source);
    await source.query('create table done (request uuid, note text)');
    unitOfWork = new TypeOrmUnitOfWork(source);
    store = new SqlDurableRequestStore(unitOfWork);
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.beforeApplicationShutdown()));
    await source.query('delete from durable_requests');
    await source.query('delete from done');
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  function worker(handler: DurableHandler): DurableRequests {
    const requests = new DurableRequests(store, createLogger('test', 'fatal'));
    requests.handle('work', handler);
    requests.onApplicationBootstrap();
    workers.push(requests);
    return requests;
  }
  const work: DurableHandler = (request, finish) =>
    unitOfWork.run(async (tx) => {
      await tx.query('insert into done values ($1, $2)', [request.id, (request.payload as { note: string }).note]);
      await finish(tx, { status: 201, body: { made: true } });
    });
  const request = (note = 'x') => ({ kind: 'work', caller: CALLER, context: { as: 'alice' }, payload: { note } });
  const ended = (id: string) => eventually<DurableState>(async () => {
    const state = await store.find(id);
    if (state?.response === undefined) throw new Error(`still ${state?.status}`);
    return state;
  });
  const done = async () => ((await source.query('select count(*)::int as n from done')) as { n: number }[])[0]?.n;

  it('does the work and keeps its answer for the caller', async () => {
    const requests = worker(work);
    const id = await requests.enqueue(request('note'));
    expect(await ended(id)).toEqual({ id, caller: CALLER, status: 'COMPLETED', response: { status: 201, body: { made: true } } });
    expect(await source.query('select note from done')).toEqual([{ note: 'note' }]);
    expect(await requests.find(newUuid())).toBeUndefined();
  });

  it('keeps a refusal with its details, and nothing of the work', async () => {
    const requests = worker((one, finish) => work(one, async (tx, response) => { await finish(tx, response); throw invalidField('[7]', 'is bad'); }));
    const state = await ended(await requests.enqueue(request()));
    expect(state).toMatchObject({ status: 'FAILED', response: { status: 400, body: { message: '[7]: is bad', code: 'invalid', details: [{ field: '[7]' }] } } });
    expect(await done()).toBe(0);
  });

  it('does each of many requests once, with two processes at work', async () => {
    const [one, other] = [worker(work), worker(work)];
    const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 ? one : other).enqueue(request())));
    for (const id of ids) await ended(id);
    expect(await source.query('select count(*)::int as n, count(distinct request)::int as requests from done')).toEqual([{ n: 40, requests: 40 }]);
  });

  it('writes nothing for a worker that was taken over meanwhile', async () => {
    let tried = 0;
    const requests = worker(async (one, finish) => {
      tried += 1;
      await source.query(`update durable_requests set leased_by = $1, leased_until = now() + interval '1 hour' where id = $2`, [newUuid(), one.id]);
      await work(one, finish);
    });
    const id = await requests.enqueue(request());
    await eventually(() => tried === 1);
    await workers.splice(0)[0]?.beforeApplicationShutdown();
    expect([await done(), (await store.find(id))?.status]).toEqual([0, 'RUNNING']);
  });

  it('takes over what a dead process left, once its lease has run out', async () => {
    const id = newUuid();
    await store.add(id, request());
    await store.claim({ owner: newUuid(), leaseMs: 1 }, ['work']);
    worker(work);
    expect((await ended(id)).status).toBe('COMPLETED');
  });

  it('tries again after an outage, which counts as no attempt', async () => {
    const attempts: number[] = [];
    const requests = worker(async (one, finish) => {
      attempts.push(one.attempt);
      if (attempts.length === 1) throw unavailable('gone');
      await work(one, finish);
    });
    expect((await ended(await requests.enqueue(request()))).status).toBe('COMPLETED');
    expect(attempts).toEqual([1, 1]);
  });

  it('gives up after five faults of ours, and says nothing of the inside', async () => {
    const id = newUuid();
    await store.add(id, request());
    await source.query('update durable_requests set attempts = 4');
    worker(() => Promise.reject(new Error('secret')));
    const state = await ended(id);
    expect([state.status, state.response?.status, JSON.stringify(state)]).toEqual(['FAILED', 500, expect.not.stringContaining('secret')]);
  });

  it('forgets what ended long ago, and nothing that waits', async () => {
    const requests = worker(work);
    const old = await requests.enqueue(request());
    await ended(old);
    const waiting = newUuid();
    await store.add(waiting, { ...request(), kind: 'other' });
    await store.prune(new Date(Date.now() - 60_000));
    expect(await store.find(old)).toBeDefined();
    await store.prune(new Date(Date.now() + 60_000));
    expect([await store.find(old), (await store.find(waiting))?.status]).toEqual([undefined, 'QUEUED']);
  });

  it('refuses two handlers for one kind', () => {
    const requests = new DurableRequests(store, createLogger('test', 'fatal'));
    requests.handle('work', work);
    expect(() => requests.handle('work', work)).toThrow(/Two handlers/);
  });
});
