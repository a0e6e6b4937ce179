import { newUuid } from '@twinyard/conventions';
import { createMongoDatabase, onEngine } from '@twinyard/testing';
import { createLogger, type MongoTx, MongoUnitOfWork } from '@twinyard/service-kit';
import { DURABLE_REQUESTS_COLLECTIONS, JOBS_COLLECTIONS, MongoDurableRequestStore, MongoJobStore, MongoNotices } from '../../src';
import { describeDurableRequests } from './describe-durable-requests';
import { describeTakenOverRequests } from './describe-taken-over-requests';
import type { DurableRequestsSubject } from './durable-requests-subject';

interface Note {
  _id: string;
  requestId: string;
  text: string;
}

async function openSubject(): Promise<DurableRequestsSubject<MongoTx>> {
  const database = await createMongoDatabase();
  const connection = await database.connect();
  await connection.ensure({ ...DURABLE_REQUESTS_COLLECTIONS, ...JOBS_COLLECTIONS, done: [] });
  const unitOfWork = new MongoUnitOfWork(connection);
  return {
    store: new MongoDurableRequestStore(unitOfWork),
    jobStore: new MongoJobStore(unitOfWork),
    notices: () => new MongoNotices(connection, createLogger('test', 'silent')),
    unitOfWork,
    note: async (tx, requestId, text) => {
      const _id = newUuid();
      await tx.touch('done', [_id]);
      await tx.collection<Note>('done').insertOne({ _id, requestId, text }, tx.options);
    },
    notes: () => connection.db.collection<Note>('done').find({}, { projection: { _id: 0, requestId: 1, text: 1 } }).toArray(),
    endLeases: async () => {
      await connection.db.collection('job_leases').updateMany({}, { $set: { until: new Date(0) } });
    },
    makeOld: async (id, kind, leasedForMs) => {
      const leasedUntil = new Date(connection.now().getTime() + leasedForMs);
      await connection.db.collection<{ _id: string }>('durable_requests').updateOne({ _id: id }, { $set: { kind, status: 'RUNNING', leasedBy: newUuid(), leasedUntil } });
    },
    clear: async () => {
      for (const name of [...Object.keys(DURABLE_REQUESTS_COLLECTIONS), ...Object.keys(JOBS_COLLECTIONS), 'done']) await connection.db.collection(name).deleteMany({});
    },
    close: () => database.drop(),
  };
}

onEngine('mongo', () => {
  describeDurableRequests('MongoDB', openSubject);
  describeTakenOverRequests('MongoDB', openSubject);
});
