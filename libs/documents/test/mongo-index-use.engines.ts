import { onEngine } from '@twinyard/testing';
import { parseFilter, versionOf, type Reading, type StoredDocument } from '../src';
import { withDates } from '../src/filter/reading-dates';
import { compileFilter } from '../src/mongo/filter-compiler';
import { indexName } from '../src/mongo/index-definition';
import { readingBounds } from '../src/mongo/reading-bounds';
import { documentFields, inPartition } from '../src/mongo/stored-fields';
import { openMongoStore, type MongoTestStore } from './mongo-store';

/** What MongoDB's planner does with the filters that the adapter sends. */
onEngine('mongo', () => {
  describe('queries of MongoDB use indexes', () => {
    let opened: MongoTestStore;
    const target = versionOf('many', 'v');
    const anything = versionOf('anything', 'v');

    beforeAll(async () => {
      opened = await openMongoStore();
      const { store } = opened;
      await store.createCollection('many', { indexes: [{ key: { n: 1 }, options: { name: 'n' } }, { key: { 'p.val': 1 }, options: { name: 'val' } }] });
      await store.createCollection('anything', { indexAllFields: true });
      const documents: StoredDocument[] = Array.from({ length: 5_000 }, (_, index) => ({ _id: `${index}`, n: index, k: `k${index}`, p: { val: index } }));
      const readings: Reading[] = documents.map(({ _id }, index) => ({ _ts: new Date(index).toISOString(), _tsMetadata: { _telItemId: `i${index % 50}`, _sourceId: _id } }));
      for (const each of [target, anything]) await store.transaction((tx) => store.insertMany(tx, each, documents));
      await store.transaction((tx) => store.readings.upsertMany(tx, target, readings));
    });
    afterAll(() => opened?.close());

    const planOf = async (collection: string, filter: object, sort: Record<string, 1 | -1> = {}) => {
      const plan = await opened.connection.db.collection(collection).find(filter).sort(sort).limit(10).explain('queryPlanner');
      return JSON.stringify((plan as { queryPlanner: { winningPlan: unknown } }).queryPlanner.winningPlan);
    };
    const compiled = (filter: Record<string, unknown>) => inPartition('v', compileFilter(parseFilter(filter).condition, { fields: documentFields('v'), guardsRegex: false }).filter);

    it.each([
      ['a range', 'doc_many', { n: { $gt: 10, $lt: 20 } }, indexName('n')],
      ['a range under a dotted path', 'doc_many', { 'p.val': { $gte: 4_990 } }, indexName('val')],
      ['a list on an indexed path', 'doc_many', { n: { $in: [5, 7] } }, indexName('n')],
      ['equality anywhere', 'doc_anything', { k: 'k17' }, 'all_fields'],
    ])('%s', async (_what, collection, filter, index) => {
      expect(await planOf(collection, compiled(filter))).toContain(`"indexName":"${index}"`);
    });

    it('an id', async () => {
      expect(await planOf('doc_many', compiled({ _id: '17' }))).toMatch(/IDHACK|EXPRESS|"indexName":"_id_"/);
    });

    it('a page in the order of creation or of an index needs no sorting', async () => {
      for (const sort of [{ seq: 1, '_id.id': 1 }, { 'doc.n': 1, '_id.id': 1 }] as const) {
        expect(await planOf('doc_many', compiled({}), sort)).not.toMatch(/"stage":"(SORT|COLLSCAN)"/);
      }
    });

    it('the readings of one item are a stretch of the key', async () => {
      const { condition } = withDates(parseFilter({ '_tsMetadata._telItemId': 'i7', _ts: { $gte: '1970-01-01' } }));
      const bounds = readingBounds({ collection: target.name, part: target.partition }, condition);
      expect(await planOf('document_readings', { '_id.collection': target.name, '_id.part': target.partition, ...bounds })).toContain('"indexName":"_id_"');
    });
  });
});
