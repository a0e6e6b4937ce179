import { newUuid } from '@twinyard/conventions';
import { createTestDatabase, eventually } from '@twinyard/testing';
import { AcceptedRequests } from '../src/durable-requests/accepted-requests';
import { createDataSource, createLogger, DurableRequestBytes1700000000050, DurableRequestProgress1700000000040, DurableRequests, DurableRequestsTable1700000000010, migrate, SqlDurableRequestStore, type SqlTx, TypeOrmUnitOfWork } from '../src';
import { describeDurableRequests } from './durable-requests.contract';

async function openSubject() {
  const database = await createTestDatabase();
  const source = await createDataSource({ url: database.url, entities: [], migrations: [DurableRequestsTable1700000000010, DurableRequestProgress1700000000040, DurableRequestBytes1700000000050] }).initialize();
  await migrate(source);
  await source.query('create table done (request uuid, note text)');
  const unitOfWork = new TypeOrmUnitOfWork(source);
  return {
    source,
    store: new SqlDurableRequestStore(unitOfWork),
    unitOfWork,
    note: async (tx: SqlTx, requestId: string, text: string) => void (await tx.query('insert into done values ($1, $2)', [requestId, text])),
    notes: () => source.query('select request as "requestId", note as text from done'),
    takeOver: (id: string): Promise<void> => source.query(`update durable_requests set leased_by = $1, leased_until = now() + interval '1 hour' where id = $2`, [newUuid(), id]),
    clear: async () => {
      await source.query('delete from durable_requests');
      await source.query('delete from done');
    },
    close: async () => {
      await source.destroy();
      await database.drop();
    },
  };
}

describeDurableRequests<SqlTx>('PostgreSQL', openSubject);

it('keeps what is large packed, and where code from before finds no request that it would take for an empty one', async () => {
  const subject = await openSubject();
  try {
    const [small, large] = [newUuid(), newUuid()];
    const request = { kind: 'work', caller: { type: 'user', id: 'alice' }, context: null };
    const payload = { rows: Array.from({ length: 10_000 }, (_, n) => ({ n, text: 'ä row' })) };
    await subject.store.add(large, { ...request, payload });
    await subject.store.add(small, { ...request, payload: { n: 1 } });
    const kept = 'select kind, payload::text, octet_length(packed_payload) < 100000 as packed, response_body::text, octet_length(packed_response) < 100000 as answer from durable_requests where id = $1';
    expect(await subject.source.query(kept, [small])).toEqual([{ kind: 'work', payload: '{"n":1}', packed: null, response_body: null, answer: null }]);
    expect(await subject.source.query(kept, [large])).toEqual([{ kind: 'work (packed)', payload: null, packed: true, response_body: null, answer: null }]);
    const owner = newUuid();
    expect(await subject.store.claim({ owner, leaseMs: 60_000 }, ['work'])).toMatchObject({ id: large, kind: 'work', payload });
    await subject.unitOfWork.run((tx) => subject.store.finish(tx, owner, large, { status: 201, body: payload }));
    expect(await subject.source.query(kept, [large])).toEqual([{ kind: 'work (packed)', payload: null, packed: null, response_body: null, answer: true }]);
    expect((await subject.store.find(large))?.response?.body?.text).toBe(JSON.stringify(payload));
  } finally {
    await subject.close();
  }
});

it('does once what it is still working on when a standstill has ended its lease: no other hand of the same process begins with it again', async () => {
  const subject = await openSubject();
  const gate = new AbortController();
  const requests = new DurableRequests(subject.store, createLogger('test', 'fatal'));
  let begun = 0;
  requests.handle('work', async (_request, finish) => {
    begun += 1;
    await new Promise((resolve) => gate.signal.addEventListener('abort', resolve));
    await subject.unitOfWork.run((tx) => finish(tx, { status: 204 }));
  });
  requests.onApplicationBootstrap();
  try {
    const id = await requests.enqueue({ kind: 'work', caller: { type: 'user', id: 'alice' }, context: null, payload: null });
    await eventually(() => begun === 1);
    const claims = jest.spyOn(subject.store, 'claim');
    const claimed = async () => (await Promise.all(claims.mock.results.map(({ value }) => value as ReturnType<typeof subject.store.claim>))).map((request) => request?.id);
    await eventually(async () => {
      await subject.source.query(`update durable_requests set leased_until = now() - interval '1 second'`);
      expect(await claimed()).toContain(id);
    });
    gate.abort();
    await eventually(async () => expect((await subject.store.find(id))?.status).toBe('COMPLETED'));
    expect(begun).toBe(1);
  } finally {
    gate.abort();
    await requests.beforeApplicationShutdown();
    await subject.close();
  }
});

it('holds no more of what waits to be worked on than fits into memory; the rest is read back', () => {
  const accepted = new AcceptedRequests();
  const caller = { type: 'user', id: 'alice' };
  const accept = (id: string) => {
    accepted.add(id, caller, { payload: `of ${id}`, weight: 6_000_000 });
    accepted.stored(id);
    return [...accepted.payloads().keys()];
  };
  expect([accept('a'), accept('b'), accept('c')]).toEqual([['a'], ['a', 'b'], ['a', 'b']]);
  accepted.begin('a', caller);
  expect(accept('d')).toEqual(['b', 'd']);
  // Others have it, or have ended it.
  accepted.forget(['a', 'b', 'c']);
  expect([accepted.waiting(), accept('e')]).toEqual([['d'], ['d', 'e']]);
  accepted.end('a');
  expect(accept('f')).toEqual(['d', 'e']);
});
