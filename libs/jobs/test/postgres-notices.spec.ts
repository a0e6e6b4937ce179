import { createDataSource, migrate, QuietConnection, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { createTestDatabase, eventually } from '@twinyard/testing';
import { JOBS_MIGRATIONS, Jobs, PostgresNotices, SqlJobStore } from '../src';
import { LOGGER, NOTE } from './jobs-subject';

it('notices of jobs are heard again after their line was lost, with a look for what was announced meanwhile', async () => {
  const database = await createTestDatabase();
  const source = await createDataSource({ url: database.url, entities: [], migrations: [...JOBS_MIGRATIONS] }).initialize();
  await migrate(source);
  const heard: string[] = [];
  const notices = new PostgresNotices(new QuietConnection(database.url, LOGGER));
  notices.start((noticed) => heard.push(noticed));
  try {
    await eventually(() => expect(heard).toEqual(['all']));
    for (const looks of [2, 3]) {
      // It has ended when this answers: one that is about to end would be found, and counted, once more.
      const cut = await source.query<unknown[]>(`SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'`);
      expect(cut).toHaveLength(1);
      await eventually(() => expect(heard).toEqual(Array<string>(looks).fill('all')));
    }
    const unitOfWork = new TypeOrmUnitOfWork(source);
    await unitOfWork.run((tx) => new Jobs(new SqlJobStore(unitOfWork), notices).enqueue(tx, NOTE, { text: 'x' }, { namespace: 'a' }));
    await eventually(() => expect(heard.at(-1)).toBe(NOTE.kind));
  } finally {
    await notices.stop();
    await source.destroy();
    await database.drop();
  }
});
