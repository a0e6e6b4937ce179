import { onEngine } from '@twinyard/testing';
import { MongoUnitOfWork } from '@twinyard/service-kit';
import { MongoDocumentStore, versionOf, type IndexSpec } from '../src';
import { openMongoStore, type MongoTestStore } from './mongo-store';

/** Collections and indexes are made outside of transactions, so that what several replicas do at once has to come out right by itself. */
onEngine('mongo', () => {
  describe('the catalogue of MongoDB', () => {
    let opened: MongoTestStore;
    let replicas: readonly MongoDocumentStore[];
    const plain = (name: string): IndexSpec => ({ key: { n: 1 }, options: { name } });
    const text = (name: string): IndexSpec => ({ key: { t: 'text' }, options: { name } });
    beforeAll(async () => {
      opened = await openMongoStore();
      const { connection, store } = opened;
      const other = await MongoDocumentStore.open({ connection, unitOfWork: new MongoUnitOfWork(connection) });
      replicas = [store, other];
    });
    afterAll(() => opened?.close());

    it('makes a collection once, however many ask for it', async () => {
      await Promise.all([...replicas, ...replicas].map((store) => store.createCollection('same', { indexes: [plain('n')] })));
      expect(await opened.store.listIndexes('same')).toEqual([plain('n')]);
    });

    it('makes an index once, and one text index alone', async () => {
      await opened.store.createCollection('raced');
      await Promise.all([...replicas, ...replicas].map((store) => store.createIndex('raced', plain('n'))));
      const outcomes = await Promise.allSettled(replicas.map((store, index) => store.createIndex('raced', text(`words ${index}`))));
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(outcomes.find((outcome) => outcome.status === 'rejected')).toMatchObject({ reason: { code: 'conflict' } });
      expect((await opened.store.listIndexes('raced')).map(({ key }) => key)).toEqual([{ n: 1 }, { t: 'text' }]);
    });

    it('has 61 indexes at most, whoever makes the last', async () => {
      await opened.store.createCollection('full');
      for (let index = 0; index < 60; index += 1) await opened.store.createIndex('full', { key: { [`n${index}`]: 1 }, options: { name: `i${index}` } });
      const outcomes = await Promise.allSettled(replicas.map((store, index) => store.createIndex('full', plain(`last ${index}`))));
      expect(outcomes.find((outcome) => outcome.status === 'rejected')).toMatchObject({ reason: { code: 'limit_exceeded' } });
      expect(await opened.store.listIndexes('full')).toHaveLength(61);
    });

    it('does not keep a unique index that the documents break', async () => {
      const target = versionOf('broken', 'v');
      await opened.store.createCollection('broken');
      await opened.store.transaction((tx) => opened.store.insertMany(tx, target, [{ _id: 'a', n: 1 }, { _id: 'b', n: 1 }]));
      await expect(opened.store.createIndex('broken', { key: { n: 1 }, options: { name: 'u', unique: true } })).rejects.toMatchObject({ code: 'conflict' });
      expect(await opened.store.listIndexes('broken')).toEqual([]);
    });

    it('names the document that breaks a unique index', async () => {
      const target = versionOf('unique', 'v');
      await opened.store.createCollection('unique', { indexes: [{ key: { '.n %': 1 }, options: { name: 'u', unique: true } }] });
      const work = opened.store.transaction((tx) => opened.store.insertMany(tx, target, [{ _id: 'a', '.n %': 1 }, { _id: 'b', '.n %': 1 }]));
      await expect(work).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('"b"') as string });
      expect(await opened.store.count(target, {})).toBe(0);
    });
  });
});
