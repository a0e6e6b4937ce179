import { DATA_KEYS_COLLECTIONS, DataKeysTable1700000000640, DataKeyUsesTable1700000000650 } from '@twinyard/envelope';
import type { DynamicModule, FactoryProvider, Type } from '@nestjs/common';
import { DocumentStore, MongoDocumentStore, PostgresDocumentStore, SortSpace } from '@twinyard/documents';
import {
  EVENTS_COLLECTIONS, type EventsOptions, EventsTables1700000000000, MongoInboxStore, MongoOutboxStore, MongoPurgeStore, NamespacePurges1700000000020,
  PURGE_COLLECTIONS, type PurgeStore, SqlPurgeStore,
} from '@twinyard/events';
import { DURABLE_REQUESTS_COLLECTIONS, DurableRequestBytes1700000000050, DurableRequestProgress1700000000040, DurableRequestsTable1700000000010, JOBS_COLLECTIONS, JOBS_MIGRATIONS } from '@twinyard/jobs';
import { KEPT_ANSWERS_COLLECTIONS, KeptAnswersTable1700000000030, MongoConnection, MongoModule, type MongoOptions, MongoUnitOfWork, SqlModule } from '@twinyard/service-kit';
import type { ItemSettings } from './config';

/** All that the service keeps lies in one database, so that a change, its event and the end of its request share a transaction. */
export interface Stores {
  /** Gives the unit of work, and what belongs to it. */
  readonly database: DynamicModule;
  readonly documents: FactoryProvider<DocumentStore>;
  readonly events: Pick<EventsOptions, 'stores'>;
  readonly purges: Type<PurgeStore>;
}

/** The only place that knows which database it is. */
export function storesOf(settings: ItemSettings): Stores {
  const { DATABASE_URL, MONGO_URL, MONGO_ALLOW_STANDALONE } = settings;
  if (MONGO_URL !== undefined) return mongoStores({ url: MONGO_URL, allowStandalone: MONGO_ALLOW_STANDALONE, poolSize: SERVICE_CONNECTIONS + connectionsOf(settings) }, roomOf(settings));
  if (DATABASE_URL !== undefined) return postgresStores(DATABASE_URL, connectionsOf(settings), roomOf(settings));
  throw new Error('DATABASE_URL and MONGO_URL: one of them must be given');
}

/** What an answer weighs at most, and the disk for what is sorted. */
const roomOf = ({ ANSWER_MAX_BYTES, SORT_DIR, SORT_DISK_BYTES, TENANT_SHARE }: ItemSettings) => ({ answerBytes: ANSWER_MAX_BYTES, sortSpace: new SortSpace(SORT_DIR, SORT_DISK_BYTES, TENANT_SHARE) });
type Room = ReturnType<typeof roomOf>;

const MIGRATIONS = [EventsTables1700000000000, DurableRequestsTable1700000000010, DurableRequestProgress1700000000040, DurableRequestBytes1700000000050, NamespacePurges1700000000020, KeptAnswersTable1700000000030, ...JOBS_MIGRATIONS, DataKeysTable1700000000640, DataKeyUsesTable1700000000650];
const COLLECTIONS = { ...EVENTS_COLLECTIONS, ...DURABLE_REQUESTS_COLLECTIONS, ...PURGE_COLLECTIONS, ...JOBS_COLLECTIONS, ...KEPT_ANSWERS_COLLECTIONS, ...DATA_KEYS_COLLECTIONS };

/** For requests that were kept, events and answers. */
const SERVICE_CONNECTIONS = 3;
/** Those that do what was answered with 202. */
const HANDS = 3;
/** Who holds a place, or does what was answered with 202, asks the documents' store for two things at a time at most. */
const AT_A_TIME = 2;

const connectionsOf = ({ REQUEST_PLACES, EXPORT_PLACES, IMPORT_PLACES }: ItemSettings) => AT_A_TIME * (REQUEST_PLACES + HANDS) + EXPORT_PLACES + IMPORT_PLACES;

const postgresStores = (url: string, maxConnections: number, room: Room): Stores => ({
  database: SqlModule.forRoot({ url, entities: [], migrations: MIGRATIONS, poolSize: SERVICE_CONNECTIONS }),
  documents: { provide: DocumentStore, useFactory: () => PostgresDocumentStore.open({ url, maxConnections, ...room }) },
  events: {},
  purges: SqlPurgeStore,
});

const mongoStores = (options: MongoOptions, room: Room): Stores => ({
  database: MongoModule.forRoot({ ...options, collections: COLLECTIONS }),
  documents: {
    provide: DocumentStore,
    inject: [MongoConnection, MongoUnitOfWork],
    useFactory: (connection: MongoConnection, unitOfWork: MongoUnitOfWork) => MongoDocumentStore.open({ connection, unitOfWork, ...room }),
  },
  events: { stores: { outbox: MongoOutboxStore, inbox: MongoInboxStore } },
  purges: MongoPurgeStore,
});
