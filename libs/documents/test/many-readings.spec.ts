import { createTestDatabase, type TestDatabase } from '@twinyard/testing';
import { Client } from 'pg';
import { type JsonObject, PostgresDocumentStore, versionOf } from '../src';
import { fillWithReadings } from './filled-readings';

/** More than were ever read for a pipeline in memory. */
const MANY = 150_000;
const TARGET = versionOf('sensors', 'v');

describe('pipelines over many readings, which no store groups by itself', () => {
  let database: TestDatabase;
  let store: PostgresDocumentStore;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = await PostgresDocumentStore.open({ url: database.url });
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await fillWithReadings(client, { collection: TARGET.name, part: TARGET.partition, item: 'a' }, MANY);
    await client.end();
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  const tenths = Array.from({ length: 10 }, (_, n) => n);
  it.each<readonly [string, readonly JsonObject[], readonly JsonObject[]]>([
    ['$count', [{ $count: 'n' }], [{ n: MANY }]],
    ['$project before $group', [{ $project: { v: { $multiply: ['$value', 2] } } }, { $group: { _id: null, sum: { $sum: '$v' }, most: { $max: '$v' } } }], [{ _id: null, sum: 9 * MANY, most: 18 }]],
    ['$project before $limit', [{ $project: { value: 1, _id: 0 } }, { $limit: 2 }], [{ value: 0 }, { value: 1 }]],
    ['$avg of an expression', [{ $group: { _id: null, mean: { $avg: { $add: ['$value', 1] } } } }], [{ _id: null, mean: 5.5 }]],
    ['$sum of $cond', [{ $group: { _id: null, high: { $sum: { $cond: [{ $gte: ['$value', 7] }, 1, 0] } } } }], [{ _id: null, high: (3 * MANY) / 10 }]],
    ['$bucket', [{ $bucket: { groupBy: '$value', boundaries: [0, 3, 10], output: { n: { $count: {} } } } }], [{ _id: 0, n: (3 * MANY) / 10 }, { _id: 3, n: (7 * MANY) / 10 }]],
    ['$sort behind others', [{ $set: { twice: { $add: ['$value', '$value'] } } }, { $sort: { twice: -1, _ts: 1 } }, { $limit: 1 }, { $project: { _id: 0, twice: 1 } }], [{ twice: 18 }]],
    ['$addToSet', [{ $group: { _id: null, all: { $addToSet: '$value' } } }], [{ _id: null, all: tenths }]],
  ])('%s', async (_what, pipeline, expected) => {
    expect(await store.readings.aggregate(TARGET, pipeline)).toEqual(expected);
  });

  it('refuses an answer that weighs more than one may, and says what to do', async () => {
    const narrow = await PostgresDocumentStore.open({ url: database.url, answerBytes: 1_000_000 });
    try {
      await expect(narrow.readings.aggregate(TARGET, [{ $set: { one: 1 } }])).rejects.toMatchObject({ status: 400, code: 'limit_exceeded', message: expect.stringContaining('1000000') as string });
    } finally {
      await narrow.close();
    }
  });
});
