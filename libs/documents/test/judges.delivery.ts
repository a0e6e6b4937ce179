import { PostgresDocumentStore } from '../src';
import { createTestDatabase } from '@twinyard/testing';
import { describeAgainstJudges } from './against-judges.contract';

/** Three million pairs of a document and a question, other ones each day. */
const seed = Math.floor(Date.now() / 86_400_000) * 1_000;

describeAgainstJudges('PostgreSQL, at length', async () => {
  const database = await createTestDatabase();
  const store = await PostgresDocumentStore.open({ url: database.url });
  const close = async () => {
    await store.close();
    await database.drop();
  };
  return { store, close };
}, { rounds: 100, seed });
