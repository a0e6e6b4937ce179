import { randomBytes } from 'node:crypto';
import { MongoConnection, MongoUnitOfWork } from '@twinyard/service-kit';
import { engineSettings } from '@twinyard/testing';
import { MongoDocumentStore } from '../src';

export interface MongoTestStore {
  readonly store: MongoDocumentStore;
  readonly connection: MongoConnection;
  readonly close: () => Promise<void>;
}

/** Longer than a machine stands still. */
const SELECT_MS = 15_000;

/** A store on an empty database of the run's MongoDB. */
export async function openMongoStore({ monitorCommands = false, answerBytes }: { readonly monitorCommands?: boolean; readonly answerBytes?: number } = {}): Promise<MongoTestStore> {
  const { MONGO_URL = '', MONGO_ALLOW_STANDALONE } = engineSettings('mongo');
  const url = new URL(MONGO_URL);
  // The user of the address stays known to the database that it is kept in.
  if (url.username !== '' && !url.searchParams.has('authSource')) url.searchParams.set('authSource', url.pathname.slice(1) || 'admin');
  if (monitorCommands) url.searchParams.set('monitorCommands', 'true');
  url.pathname = `/documents_${randomBytes(6).toString('hex')}`;
  const connection = await MongoConnection.open({ url: url.href, allowStandalone: MONGO_ALLOW_STANDALONE === 'true', serverSelectionTimeoutMs: SELECT_MS });
  const store = await MongoDocumentStore.open({ connection, unitOfWork: new MongoUnitOfWork(connection), ...(answerBytes !== undefined && { answerBytes }) });
  const close = async () => {
    await connection.db.dropDatabase();
    await connection.close();
  };
  return { store, connection, close };
}
