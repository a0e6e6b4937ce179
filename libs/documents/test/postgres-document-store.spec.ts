import { createTestDatabase } from '@twinyard/testing';
import { PostgresDocumentStore } from '../src';
import { describeDocumentStore } from './document-store.contract';
import { describeReadingStore } from './reading-store.contract';

async function onNewDatabase() {
  const database = await createTestDatabase();
  const store = await PostgresDocumentStore.open({ url: database.url });
  const close = async () => {
    await store.close();
    await database.drop();
  };
  return { store, close };
}

describeDocumentStore('PostgreSQL', onNewDatabase);
describeReadingStore('PostgreSQL', onNewDatabase);
