import { createTestDatabase } from '@twinyard/testing';
import { PostgresDocumentStore } from '../src';
import { describeAgainstJudges } from './against-judges.contract';
import { describeAgainstMingo } from './against-mingo.contract';
import { describeAggregates } from './aggregates.contract';
import { describeDocumentStore } from './document-store.contract';
import { describeGroupPushdown } from './group-pushdown.contract';
import { describeHeavyPages } from './heavy-pages.contract';
import { describeLaterWrites } from './later-writes.contract';
import { describeLinkedPages } from './linked-pages.contract';
import { describeLinkedReads } from './linked-reads.contract';
import { describeReadingStore } from './reading-store.contract';
import { describeRegularExpressions } from './regex.contract';

async function onNewDatabase(options: { readonly answerBytes?: number } = {}) {
  const database = await createTestDatabase();
  const store = await PostgresDocumentStore.open({ url: database.url, ...options });
  const close = async () => {
    await store.close();
    await database.drop();
  };
  return { store, close };
}

describeDocumentStore('PostgreSQL', onNewDatabase);
describeHeavyPages('PostgreSQL', onNewDatabase);
describeLaterWrites('PostgreSQL', onNewDatabase);
describeLinkedPages('PostgreSQL', onNewDatabase);
describeLinkedReads('PostgreSQL', onNewDatabase);
describeReadingStore('PostgreSQL', onNewDatabase);
describeAgainstMingo('PostgreSQL', onNewDatabase);
describeAgainstJudges('PostgreSQL', onNewDatabase);
describeAggregates('PostgreSQL', onNewDatabase);
describeGroupPushdown('PostgreSQL', onNewDatabase);
describeRegularExpressions('PostgreSQL', onNewDatabase);
