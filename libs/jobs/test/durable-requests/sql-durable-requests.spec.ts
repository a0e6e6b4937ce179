import { newUuid } from '@twinyard/conventions';
import { createTestDatabase } from '@twinyard/testing';
import { createDataSource, createLogger, migrate, QuietConnection, type SqlTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { AcceptedRequests } from '../../src/durable-requests/accepted-requests';
import { DurableRequestBytes1700000000050, DurableRequestProgress1700000000040, DurableRequestsTable1700000000010, JOBS_MIGRATIONS, PostgresNotices, SqlDurableRequestStore, SqlJobStore } from '../../src';
import { describeDurableRequests } from './describe-durable-requests';
import { describeTakenOverRequests } from './describe-taken-over-requests';

async function openSubject() {
  const database = await createTestDatabase();
  const source = await createDataSource({ url: database.url, entities: [], migrations: [DurableRequestsTable1700000000010, DurableRequestProgress1700000000040, DurableRequestBytes1700000000050, ...JOBS_MIGRATIONS] }).initialize();
  await migrate(source);
  await source.query('create table done (request uuid, note text)');
  const unitOfWork = new TypeOrmUnitOfWork(source);
  return {
    source,
    store: new SqlDurableRequestStore(unitOfWork),
    jobStore: new SqlJobStore(unitOfWork),
    notices: () => new PostgresNotices(new QuietConnection(database.url, createLogger('test', 'silent'))),
    unitOfWork,
    note: async (tx: SqlTx, requestId: string, text: string) => void (await tx.query('insert into done values ($1, $2)', [requestId, text])),
    notes: () => source.query('select request as "requestId", note as text from done'),
    endLeases: (): Promise<void> => source.query(`update job set leased_until = now() - interval '1 second' where state = 'RUNNING'`),
    makeOld: (id: string, kind: string, leasedForMs: number): Promise<void> =>
      source.query(`update durable_requests set kind = $2, status = 'RUNNING', leased_by = $3, leased_until = now() + $4 * interval '1 millisecond' where id = $1`, [id, kind, newUuid(), leasedForMs]),
    clear: async () => {
      await source.query('delete from durable_requests');
      await source.query('delete from job');
      await source.query('delete from done');
    },
    close: async () => {
      await source.destroy();
      await database.drop();
    },
  };
}

describeDurableRequests<SqlTx>('PostgreSQL', openSubject);
describeTakenOverRequests<SqlTx>('PostgreSQL', openSubject);

it('keeps what is large packed, and under a kind that a replica of the release before does not know', async () => {
  const subject = await openSubject();
  try {
    const [small, large] = [newUuid(), newUuid()];
    const request = { kind: 'work', tenant: 'house', caller: { type: 'user', id: 'alice' }, context: null };
    const payload = { rows: Array.from({ length: 10_000 }, (_, n) => ({ n, text: 'ä row' })) };
    const nothing = () => Promise.resolve();
    await subject.store.add(large, { ...request, payload }, nothing);
    await subject.store.add(small, { ...request, payload: { n: 1 } }, nothing);
    const kept = 'select kind, payload::text, octet_length(packed_payload) < 100000 as packed, response_body::text, octet_length(packed_response) < 100000 as answer from durable_requests where id = $1';
    expect(await subject.source.query(kept, [small])).toEqual([{ kind: 'work (job)', payload: '{"n":1}', packed: null, response_body: null, answer: null }]);
    expect(await subject.source.query(kept, [large])).toEqual([{ kind: 'work (packed) (job)', payload: null, packed: true, response_body: null, answer: null }]);
    expect(await subject.store.begin(large, false)).toMatchObject({ id: large, kind: 'work', payload });
    await subject.unitOfWork.run((tx) => subject.store.finish(tx, large, { status: 201, body: payload }));
    expect(await subject.source.query(kept, [large])).toEqual([{ kind: 'work (packed) (job)', payload: null, packed: null, response_body: null, answer: true }]);
    expect((await subject.store.find(large))?.response?.body?.text).toBe(JSON.stringify(payload));
  } finally {
    await subject.close();
  }
});

it('holds no more of what waits to be worked on than fits into memory; the rest is read back', () => {
  const accepted = new AcceptedRequests();
  const caller = { type: 'user', id: 'alice' };
  const accept = (id: string) => accepted.add(id, caller, { payload: `of ${id}`, weight: 6_000_000 });
  const atHand = () => ['a', 'b', 'c', 'd', 'e', 'f'].filter((id) => accepted.payloadOf(id) !== undefined);
  for (const id of ['a', 'b', 'c']) accept(id);
  expect(atHand()).toEqual(['a', 'b']);
  accepted.begin('a', caller);
  accept('d');
  expect(atHand()).toEqual(['b', 'd']);
  // Others have them, or nobody has had a hand free for long; what is worked on here is not forgotten.
  for (const id of ['a', 'b', 'c']) accepted.forget(id);
  accept('e');
  expect(atHand()).toEqual(['d', 'e']);
  accepted.end('a');
  accept('f');
  expect(atHand()).toEqual(['d', 'e']);
});
