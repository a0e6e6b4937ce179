import { PostgresDocumentStore } from '../src';
import { createTestDatabase } from '@twinyard/testing';
import { describeAgainstJudges } from './against-judges.contract';

/** Three million pairs of a document and a question. Always the same: what fails has to come of a change, and not of the day. `FC_SEED` has others. */
const seed = 20_779_000;

describeAgainstJudges('PostgreSQL, at length', async () => {
  const database = await createTestDatabase();
  const store = await PostgresDocumentStore.open({ url: database.url });
  const close = async () => {
    await store.close();
    await database.drop();
  };
  return { store, close };
}, { rounds: 100, seed });
