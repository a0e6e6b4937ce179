import { onEngine } from '@twinyard/testing';
import { describeAgainstJudges } from './against-judges.contract';
import { describeAgainstMingo } from './against-mingo.contract';
import { describeAggregates } from './aggregates.contract';
import { describeDocumentStore } from './document-store.contract';
import { describeGroupPushdown } from './group-pushdown.contract';
import { describeHeavyPages } from './heavy-pages.contract';
import { describeLaterWrites } from './later-writes.contract';
import { describeLinkedPages } from './linked-pages.contract';
import { describeLinkedReads } from './linked-reads.contract';
import { openMongoStore } from './mongo-store';
import { describeReadingStore } from './reading-store.contract';
import { describeRegexMeaning, describeRegularExpressions } from './regex.contract';

onEngine('mongo', () => {
  describeDocumentStore('MongoDB', openMongoStore);
  describeHeavyPages('MongoDB', openMongoStore);
  describeLaterWrites('MongoDB', openMongoStore);
  describeLinkedPages('MongoDB', openMongoStore);
  describeLinkedReads('MongoDB', openMongoStore);
  describeReadingStore('MongoDB', openMongoStore);
  describeAgainstMingo('MongoDB', openMongoStore);
  describeAgainstJudges('MongoDB', openMongoStore);
  describeAgainstMingo('MongoDB or its stand-in', openMongoStore, (condition) => !/"\$regex"/.test(JSON.stringify(condition)));
  describeAggregates('MongoDB or its stand-in', openMongoStore);
  describeGroupPushdown('MongoDB or its stand-in', openMongoStore, '$sum');
  describeRegularExpressions('MongoDB', openMongoStore);
  describeRegexMeaning('MongoDB or its stand-in', openMongoStore, (source) => !source.includes('\\B'));
});
