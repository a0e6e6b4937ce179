import { newUuid } from '@twinyard/conventions';
import { createTestDatabase, type TestDatabase } from '@twinyard/testing';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { createDataSource, KeptAnswersTable1700000000030, migrate, SqlAnswerStore, TypeOrmUnitOfWork } from '../src';
import { describeAnswerStore } from './answer-store.contract';

async function open(): Promise<{ readonly database: TestDatabase; readonly source: DataSource; readonly store: SqlAnswerStore }> {
  const database = await createTestDatabase();
  const source = await createDataSource({ url: database.url, entities: [], migrations: [KeptAnswersTable1700000000030] }).initialize();
  await migrate(source);
  return { database, source, store: new SqlAnswerStore(new TypeOrmUnitOfWork(source)) };
}

describeAnswerStore('PostgreSQL', async () => {
  const { database, source, store } = await open();
  const unitOfWork = new TypeOrmUnitOfWork(source);
  return {
    store,
    transaction: (work) => unitOfWork.run(work),
    close: async () => {
      await source.destroy();
      await database.drop();
    },
  };
});

describe('answers kept in PostgreSQL, over connections that are lost', () => {
  const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

  /** The next statement about answers, done or not, is not heard of. */
  function loseNext(isDone: boolean): { readonly times: () => number } {
    const real = Client.prototype.query as (...args: unknown[]) => Promise<unknown>;
    let times = 0;
    jest.spyOn(Client.prototype, 'query').mockImplementation(async function (this: Client, ...args: unknown[]) {
      if (times > 0 || !String((args[0] as { readonly text?: string }).text).includes('kept_answers')) return real.apply(this, args);
      times += 1;
      if (isDone) await real.apply(this, args);
      throw lost;
    } as never);
    return { times: () => times };
  }

  it.each([true, false])('are claimed, kept and given back all the same (done before the loss: %s)', async (isDone) => {
    const { database, source, store } = await open();
    try {
      const claimed = async (id: string, owner: string) => (await store.claim({ id, owner, fingerprint: 'f', leaseMs: 60_000, since: new Date(0) })).state;
      const lose = async <T>(step: () => Promise<T>): Promise<T> => {
        const loss = loseNext(isDone);
        try {
          return await step();
        } finally {
          jest.restoreAllMocks();
          expect(loss.times()).toBe(1);
        }
      };
      const [id, other, owner] = [newUuid(), newUuid(), newUuid()];
      expect(await lose(() => claimed(id, owner))).toBe('mine');
      await lose(() => store.renew(id, owner, 60_000));
      await lose(() => store.keep(id, owner, Buffer.from('a')));
      expect(await claimed(id, newUuid())).toBe('answered');
      await claimed(other, owner);
      await lose(() => store.release(other, owner));
      await lose(() => store.prune(new Date(0)));
      expect(await claimed(other, newUuid())).toBe('mine');
    } finally {
      await source.destroy();
      await database.drop();
    }
  });
});
