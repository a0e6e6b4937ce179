import { newUuid } from '@twinyard/conventions';
import { MongoConnection, type MongoTx, MongoUnitOfWork } from '@twinyard/service-kit';
import { createMongoDatabase } from '@twinyard/testing';
import { Collection } from 'mongodb';
import { JOBS_COLLECTIONS, MongoJobStore, MongoNotices } from '../src';
import { JOB_LEASES, type JobDocument, JOBS, type LeaseDocument } from '../src/store/mongo/job-documents';
import { type JobsSubject, LOGGER } from './jobs-subject';

interface Note {
  _id: string;
  place: number;
  text: string;
}

const DAY_MS = 86_400_000;
const aDayBefore = (date: Date) => new Date(date.getTime() - DAY_MS);

/** `APART`: each write of a claim by itself, as on a replica set. `IN_TURN`: as one of the writers of a standalone server. */
export type Claims = 'APART' | 'IN_TURN';

/** Without `claims` as a service would have it on this server. */
export async function openMongoSubject(claims?: Claims): Promise<JobsSubject> {
  const database = await createMongoDatabase();
  const isStandalone = database.settings.MONGO_ALLOW_STANDALONE === 'true';
  const subject = await joinMongoSubject(database.settings.MONGO_URL as string, claims ?? (isStandalone ? 'IN_TURN' : 'APART'), isStandalone);
  return { ...subject, close: () => subject.close().then(() => database.drop()) };
}

/** The same database, for another process. */
export async function joinMongoSubject(url: string, claims: Claims, allowStandalone: boolean): Promise<JobsSubject> {
  const connection = await MongoConnection.open({ url, allowStandalone }, LOGGER);
  await connection.ensure({ ...JOBS_COLLECTIONS, notes: [] });
  const unitOfWork = new MongoUnitOfWork(connection);
  const collection = <T extends object>(name: string) => connection.db.collection<T>(name);
  return {
    unitOfWork,
    address: ['mongo', url, claims, String(allowStandalone)],
    store: new MongoJobStore(unitOfWork, claims === 'APART'),
    notices: () => new MongoNotices(connection, LOGGER),
    note: async (given, text) => {
      const tx = given as MongoTx;
      const _id = newUuid();
      await tx.touch('notes', [_id]);
      const place = await tx.collection<Note>('notes').countDocuments({}, tx.options);
      await tx.collection<Note>('notes').insertOne({ _id, place, text }, tx.options);
    },
    notes: async () => (await collection<Note>('notes').find({}, { sort: { place: 1 } }).toArray()).map(({ text }) => text),
    endLeases: async () => void (await collection<LeaseDocument>(JOB_LEASES).updateMany({}, { $set: { until: new Date(connection.now().getTime() - 1_000) } })),
    makeDue: async () => {
      for (const { _id, dueAt, createdAt } of await collection<JobDocument>(JOBS).find({ state: 'WAITING' }).toArray()) {
        await collection<JobDocument>(JOBS).updateOne({ _id, state: 'WAITING' }, { $set: { dueAt: aDayBefore(dueAt), createdAt: aDayBefore(createdAt) } });
      }
    },
    // The leases are written, the jobs are not taken.
    haltClaims: haltBeforeTaking,
    clear: async () => {
      for (const name of [...Object.keys(JOBS_COLLECTIONS), 'notes']) await collection(name).deleteMany({});
    },
    close: () => connection.close(),
  };
}

function haltBeforeTaking(halt: () => Promise<void>): void {
  const { prototype } = Collection;
  const write = prototype.findOneAndUpdate as (...given: unknown[]) => Promise<unknown>;
  prototype.findOneAndUpdate = async function (this: Collection, ...given: unknown[]) {
    if (this.collectionName === JOBS) await halt();
    return write.apply(this, given);
  } as typeof prototype.findOneAndUpdate;
}
