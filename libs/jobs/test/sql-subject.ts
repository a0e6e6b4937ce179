import { createDataSource, migrate, QuietConnection, type SqlTx, type Tx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { createTestDatabase } from '@twinyard/testing';
import { JOBS_MIGRATIONS, PostgresNotices, SqlJobStore } from '../src';
import { CLAIM } from '../src/store/postgres/claim-statements';
import { type JobsSubject, LOGGER } from './jobs-subject';

export async function openSqlSubject(): Promise<JobsSubject> {
  const database = await createTestDatabase();
  const subject = await joinSqlSubject(database.url);
  return { ...subject, close: () => subject.close().then(() => database.drop()) };
}

/** The same database, for another process. */
export async function joinSqlSubject(url: string): Promise<JobsSubject> {
  const source = await createDataSource({ url, entities: [], migrations: [...JOBS_MIGRATIONS] }).initialize();
  await migrate(source);
  await source.query('CREATE TABLE IF NOT EXISTS note (place serial, text text)');
  const unitOfWork = new TypeOrmUnitOfWork(source);
  return {
    unitOfWork,
    address: ['sql', url],
    store: new SqlJobStore(unitOfWork),
    notices: () => new PostgresNotices(new QuietConnection(url, LOGGER)),
    note: async (tx: Tx, text: string) => void (await (tx as SqlTx).query('INSERT INTO note (text) VALUES ($1)', [text])),
    notes: async () => (await source.query<{ text: string }[]>('SELECT text FROM note ORDER BY place')).map(({ text }) => text),
    // As others' claims do, it leaves alone what a transaction has in hand.
    endLeases: async () => void (await source.query(
      `UPDATE job SET leased_until = now() - interval '1 second' WHERE id IN (SELECT id FROM job WHERE state = 'RUNNING' FOR UPDATE SKIP LOCKED)`)),
    makeDue: async () => void (await source.query(`UPDATE job SET due_at = due_at - interval '1 day', created_at = created_at - interval '1 day' WHERE state = 'WAITING'`)),
    haltClaims: (halt) => haltBeforeCommit(unitOfWork, halt),
    clear: async () => {
      await source.query('DELETE FROM job');
      await source.query('DELETE FROM note');
    },
    close: () => source.destroy(),
  };
}

function haltBeforeCommit(unitOfWork: TypeOrmUnitOfWork, halt: () => Promise<void>): void {
  const runTogether = unitOfWork.runTogether.bind(unitOfWork);
  unitOfWork.runTogether = (statements) => {
    if (!statements.some(({ sql }) => sql === CLAIM)) return runTogether(statements);
    return unitOfWork.run(async (tx) => {
      const rows = await Promise.all(statements.map(({ sql, parameters }) => tx.prepared(sql, parameters)));
      await halt();
      return rows;
    });
  };
}
