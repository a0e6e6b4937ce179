import { type DocumentStore, MongoDocumentStore, PostgresDocumentStore } from '@twinyard/documents';
import { DataKeyRotation, DataKeys, Envelope, KeyCipher } from '@twinyard/envelope';
import { createDataSource, MongoConnection, MongoUnitOfWork, type Tx, TypeOrmUnitOfWork, type UnitOfWork } from '@twinyard/service-kit';
import type { ItemSettings } from '../config';
import { NamedItemsRepository } from '../nameditems/named-items.repository';
import { VersionsRepository } from '../versions/versions.repository';
import type { DataKeyTools } from './data-keys-command';
import { type KeyStores, mongoKeyStores, postgresKeyStores } from './data-key-stores.adapter';
import { EncryptedContentsRepository } from './encrypted-contents.repository';
import { EncryptedItems } from './encrypted-items';
import { ResealVersion } from './reseal-version';

/** What the commands need of the service's database, and nothing of the service. */
interface OpenStores extends KeyStores {
  readonly documents: DocumentStore;
  readonly unitOfWork: UnitOfWork<Tx>;
  close(): Promise<void>;
}

export async function withDataKeyTools<T>(settings: ItemSettings, work: (tools: DataKeyTools) => Promise<T>): Promise<T> {
  const stores = settings.MONGO_URL === undefined ? await openPostgres(settings.DATABASE_URL ?? '') : await openMongo(settings.MONGO_URL, settings.MONGO_ALLOW_STANDALONE);
  try {
    return await work(toolsOf(stores, new KeyCipher(settings.KEY_ENCRYPTION_KEY, settings.KEY_ENCRYPTION_KEY_PREVIOUS)));
  } finally {
    await stores.close();
  }
}

export function toolsOf({ keys, uses, documents, unitOfWork }: Omit<OpenStores, 'close'>, cipher: KeyCipher): DataKeyTools {
  const dataKeys = new DataKeys(unitOfWork, keys, cipher);
  const envelope = new Envelope(dataKeys);
  const version = new ResealVersion(new EncryptedContentsRepository(documents), new NamedItemsRepository(documents), new VersionsRepository(documents), envelope, uses);
  const told = () => Promise.resolve();
  return { keys: dataKeys, rotation: new DataKeyRotation(unitOfWork, envelope, { records: new EncryptedItems(envelope, uses, version), told }) };
}

async function openPostgres(url: string): Promise<OpenStores> {
  const dataSource = await createDataSource({ url, entities: [], migrations: [], poolSize: 2 }).initialize();
  const documents = await PostgresDocumentStore.open({ url, maxConnections: 2 });
  const close = async () => {
    await documents.close();
    await dataSource.destroy();
  };
  return { ...postgresKeyStores(dataSource), documents, unitOfWork: new TypeOrmUnitOfWork(dataSource) as unknown as UnitOfWork<Tx>, close };
}

async function openMongo(url: string, allowStandalone: boolean): Promise<OpenStores> {
  const connection = await MongoConnection.open({ url, allowStandalone });
  const unitOfWork = new MongoUnitOfWork(connection);
  const documents = await MongoDocumentStore.open({ connection, unitOfWork });
  return { ...mongoKeyStores(connection), documents, unitOfWork: unitOfWork as unknown as UnitOfWork<Tx>, close: () => connection.close() };
}
