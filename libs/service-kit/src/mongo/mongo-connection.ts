import type { Db, IndexDescription, MongoClient, MongoClientOptions } from 'mongodb';
import type { Logger } from '../logging/logger';
import { codeOf } from './mongo-errors';

export interface MongoOptions {
  /** `mongodb://user:password@host:port/database?replicaSet=…` */
  readonly url: string;
  /** Take a server without transactions too: for tests. */
  readonly allowStandalone?: boolean;
  readonly poolSize?: number;
  /** How long an operation waits for a server that can take it. */
  readonly serverSelectionTimeoutMs?: number;
}

/** How long a connection may take, and an operation wait for a free one. */
const CONNECT_MS = 5_000;
const COMMAND_NOT_FOUND = 59;
const NAMESPACE_EXISTS = 48;

const NOT_A_REPLICA_SET =
  'MONGO_URL names a standalone server, which has no transactions. Give the address of a replica set (one node is enough), ' +
  'or set MONGO_ALLOW_STANDALONE=true for tests.';

const GIVEN_UP =
  'MONGO_ALLOW_STANDALONE: this MongoDB server has no transactions and is good for tests only. Writes wait for each other (one ' +
  'writer at a time in all processes), others see what a transaction has not committed yet, and after a crash they see it until the ' +
  'next writer has put it back.';

/** A service's MongoDB database: the client, the database that the URL names, and whether it has transactions. */
export class MongoConnection {
  private constructor(
    readonly client: MongoClient,
    readonly db: Db,
    /** False on a standalone server. */
    readonly hasTransactions: boolean,
  ) {}

  /** Connects; refuses a server that has no transactions unless that is allowed. */
  static async open(options: MongoOptions, logger?: Logger): Promise<MongoConnection> {
    // Only now, so that the services on PostgreSQL do not carry the driver.
    const { MongoClient, ReadConcern } = await import('mongodb');
    const client = new MongoClient(options.url, clientOptions(options));
    try {
      await client.connect();
      const hasTransactions = await isReplicated(client);
      if (!hasTransactions && !options.allowStandalone) throw new Error(NOT_A_REPLICA_SET);
      if (!hasTransactions) logger?.warn(GIVEN_UP);
      // What is read is never taken back by a change of the primary. A standalone server has nothing to compare with.
      const db = client.db(undefined, hasTransactions ? { readConcern: new ReadConcern('majority') } : {});
      return new MongoConnection(client, db, hasTransactions);
    } catch (error) {
      await client.close().catch(() => undefined);
      throw error;
    }
  }

  /** Makes collections and their indexes where they are missing; several processes may do so at once. Never inside a transaction. */
  async ensure(collections: Readonly<Record<string, readonly IndexDescription[]>>): Promise<void> {
    for (const [name, indexes] of Object.entries(collections)) {
      await this.db.createCollection(name).catch(ignoreExisting);
      if (indexes.length > 0) await this.db.collection(name).createIndexes([...indexes]);
    }
  }

  /** Rejects when no server answers within `ms`. */
  async ping(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`MongoDB has not answered within ${ms} ms`)), ms);
    });
    const answer = this.db.command({ ping: 1 });
    answer.catch(() => undefined);
    await Promise.race([answer, late]).finally(() => clearTimeout(timer));
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

const clientOptions = (options: MongoOptions): MongoClientOptions => ({
  writeConcern: { w: 'majority' },
  readPreference: 'primary',
  retryReads: true,
  retryWrites: true,
  maxPoolSize: options.poolSize ?? 10,
  // A burst's connections are soon given back.
  maxIdleTimeMS: 30_000,
  connectTimeoutMS: CONNECT_MS,
  waitQueueTimeoutMS: CONNECT_MS,
  serverSelectionTimeoutMS: options.serverSelectionTimeoutMs ?? CONNECT_MS,
  ignoreUndefined: true,
});

interface Hello {
  readonly setName?: string;
  readonly msg?: string;
}

/** A member of a replica set, or a router in front of some. */
async function isReplicated(client: MongoClient): Promise<boolean> {
  const admin = client.db('admin');
  const hello = await admin.command({ hello: 1 }).catch((error: unknown) => {
    // Before MongoDB 5, and in what speaks its protocol, the command has its old name.
    if (codeOf(error) === COMMAND_NOT_FOUND) return admin.command({ isMaster: 1 });
    throw error;
  });
  const { setName, msg } = hello as Hello;
  return setName !== undefined || msg === 'isdbgrid';
}

function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== NAMESPACE_EXISTS) throw error;
}
