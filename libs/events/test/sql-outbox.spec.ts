import { randomUUID } from 'node:crypto';
import type { SqlTx } from '@twinyard/service-kit';
import { SqlOutboxStore } from '../src';
import { EVENTS_TABLES } from '../src/events-migration';
import { describeOutbox } from './describe-outbox';
import { fileEvent, nameOf } from './sample-events';
import { openServiceDatabase } from './service-database';

describeOutbox('PostgreSQL', async () => {
  const database = await openServiceDatabase();
  const { unitOfWork, dataSource } = database;
  return {
    store: new SqlOutboxStore(),
    unitOfWork,
    other: { store: new SqlOutboxStore(), unitOfWork },
    install: async () => {
      for (const statement of EVENTS_TABLES) await dataSource.query(statement);
    },
    clear: () => dataSource.query('TRUNCATE event_outbox'),
    close: () => database.close(),
  };
});

describe('a lease that ends while another relay claims', () => {
  /** A clock that stands before the end of the lease for so many looks at it, and behind it from then on. */
  const turnClockAfter = async (tx: SqlTx, looks: number) => {
    await tx.query('CREATE SCHEMA turning');
    await tx.query('CREATE SEQUENCE turning.looks');
    await tx.query(`CREATE FUNCTION turning.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
      $$ SELECT now() + CASE WHEN nextval('turning.looks') > ${looks} THEN interval '1 hour' ELSE interval '0' END $$`);
    await tx.query('SET LOCAL search_path = turning, pg_catalog, public');
  };

  it.each([1, 2, 3])('lets no event pass an older one of its key, after %d looks at the clock', async (looks) => {
    const database = await openServiceDatabase();
    try {
      const store = new SqlOutboxStore();
      const key = randomUUID();
      const append = (name: string) => database.unitOfWork.run((tx) => store.append(tx, [fileEvent(key, name)]));
      await append('1');
      await database.unitOfWork.run((tx) => store.claim(tx, { owner: randomUUID(), leaseMs: 60_000, limit: 10 }));
      await append('2');
      await append('3');
      const claimed = await database.unitOfWork.run(async (tx) => {
        await turnClockAfter(tx, looks);
        return store.claim(tx, { owner: randomUUID(), leaseMs: 60_000, limit: 10 });
      });
      expect(claimed.map(({ event }) => nameOf(event))).toEqual(['1', '2', '3'].slice(0, claimed.length));
    } finally {
      await database.close();
    }
  });
});
