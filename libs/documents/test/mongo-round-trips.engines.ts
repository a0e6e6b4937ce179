import { onEngine } from '@twinyard/testing';
import { versionOf, type DocumentTx, type MongoDocumentStore, type Reading, type StoredDocument } from '../src';
import { openMongoStore, type MongoTestStore } from './mongo-store';

/** Times mean nothing on the stand-in; how often the adapter asks the server is the same everywhere. */
onEngine('mongo', () => {
  describe('round trips to MongoDB', () => {
    let opened: MongoTestStore;
    let store: MongoDocumentStore;
    const target = versionOf('many', 'v1');
    // Less than the stand-in is asked for at once; MongoDB is asked for thousands.
    const documents: StoredDocument[] = Array.from({ length: 180 }, (_, index) => ({ _id: `${index}`, n: index }));
    const readings: Reading[] = documents.map(({ _id }, index) => ({ _ts: new Date(index * 1_000).toISOString(), _tsMetadata: { _telItemId: _id, _sourceId: _id } }));
    beforeAll(async () => {
      opened = await openMongoStore({ monitorCommands: true });
      ({ store } = opened);
      await store.createCollection(target.name);
    });
    afterAll(() => opened?.close());

    /** The commands about our own collections. On a server without transactions their journal reads in them too (`touch`). */
    const commandsOf = async (work: () => Promise<unknown>) => {
      const names: string[] = [];
      const note = ({ commandName, command }: { commandName: string; command: Record<string, unknown> }) => {
        const collection = String(commandName === 'getMore' ? command['collection'] : command[commandName]);
        const isJournal = commandName === 'find' && !('projection' in command);
        if (/^(doc_|document_readings)/.test(collection) && !isJournal) names.push(commandName);
      };
      opened.connection.client.on('commandStarted', note);
      await work().finally(() => opened.connection.client.off('commandStarted', note));
      return names;
    };
    const inTransaction = (work: (tx: DocumentTx) => Promise<unknown>) => commandsOf(() => store.transaction(work));

    it('writes many documents at once, and looks before it changes or removes them', async () => {
      expect(await inTransaction((tx) => store.insertMany(tx, target, documents))).toEqual(['insert']);
      expect(await inTransaction((tx) => store.replaceMany(tx, target, documents))).toEqual(['find', 'update']);
      expect(await inTransaction((tx) => store.deleteMany(tx, target, { n: { $lt: 50 } }))).toEqual(['find', 'delete']);
    });

    it('reads each answer at once', async () => {
      expect(await commandsOf(() => store.find(target, { filter: { _id: '70' }, limit: 1 }))).toEqual(['find']);
      expect(await commandsOf(() => store.find(target, { filter: { n: { $gt: 1 } }, sort: { n: -1 }, limit: 400 }))).toEqual(['find']);
      expect(await commandsOf(() => store.find(target, { limit: 5_000 }))).toEqual(['find']);
      expect(await commandsOf(() => store.count(target, {}))).toEqual(['aggregate']);
      expect(await commandsOf(() => store.page({ target, filter: { n: { $gt: 170 } }, limit: 100 }))).toEqual(['find']);
      expect(await commandsOf(() => store.page({ target, limit: 100 }))).toEqual(['find', 'aggregate']);
      expect(await commandsOf(() => store.page({ target, limit: 400 }, { target, filter: { _id: '70' }, limit: 1 }))).toEqual(['find', 'find']);
      expect(await commandsOf(() => store.distinct(target, { path: 'n', limit: 10 }))).toEqual(['aggregate']);
      expect(await commandsOf(() => store.aggregate(target, [{ $group: { _id: '$n', count: { $count: {} } } }]))).toEqual(['aggregate']);
    });

    it('writes readings by one look-up and one write of each kind', async () => {
      expect(await inTransaction((tx) => store.readings.upsertMany(tx, target, readings))).toEqual(['find', 'insert']);
      expect(await inTransaction((tx) => store.readings.upsertMany(tx, target, readings))).toEqual(['find', 'update']);
      expect(await inTransaction((tx) => store.readings.deleteOlderThan(tx, target, new Date(100_000), 1_000))).toEqual(['find', 'delete']);
      expect(await commandsOf(() => store.readings.aggregate(target, [{ $group: { _id: { $dateTrunc: { date: '$_ts', unit: 'hour' } }, n: { $sum: 1 } } }]))).toEqual(['aggregate']);
    });
  });
});
