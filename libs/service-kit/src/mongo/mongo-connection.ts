import type { Db, IndexDescription, MongoClient, MongoClientOptions } from 'mongodb';
import type { Logger } from '../logging/logger';
import { codeOf } from './mongo-errors';

/** Collections by name, with the indexes that must be there. */
export type MongoCollections = Readonly<Record<string, readonly IndexDescription[]>>;

export interface MongoOptions {
  /** `mongodb://user:password@host:port/database?replicaSet=…` */
  readonly url: string;
  /** Take a server without transactions too: for tests. */
  readonly allowStandalone?: boolean;
  readonly poolSize?: number;
  /** How long an operation waits for a server that can take it. */
  readonly serverSelectionTimeoutMs?: number;
}

/** How long an operation waits for a server that can take it. */
const SELECT_MS = 5_000;
/**
 * How long a connection may take, an operation wait for a free one, and the look at whether the server is still there for its answer. A server
 * stands still for some seconds, or has others to serve first: of five the last made an end of all that it was doing.
 */
const CONNECT_MS = 15_000;
const CLOCK_MS = 500;
/** How long a transaction that lost against others is tried again at least. */
const RETRY_FOR_MS = 20_000;
/** Of MongoDB (manual, `transactionLifetimeLimitSeconds`), where it does not tell. */
const LIFETIME_SECONDS = 60;
const LIFETIME_MARGIN_MS = 5_000;
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
  /** By how much the server's clock is ahead of this process's. */
  private aheadMs = 0;
  private retryMs = RETRY_FOR_MS;

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
      const { setName, msg } = await greet(client);
      // A member of a replica set, or a router in front of some.
      const hasTransactions = setName !== undefined || msg === 'isdbgrid';
      if (!hasTransactions && !options.allowStandalone) throw new Error(NOT_A_REPLICA_SET);
      if (!hasTransactions) logger?.warn(GIVEN_UP);
      // What is read is never taken back by a change of the primary. A standalone server has nothing to compare with.
      const db = client.db(undefined, hasTransactions ? { readConcern: new ReadConcern('majority') } : {});
      const connection = new MongoConnection(client, db, hasTransactions);
      await connection.greet();
      if (hasTransactions) connection.retryMs = Math.max(RETRY_FOR_MS, await longestHold(client));
      return connection;
    } catch (error) {
      await client.close().catch(() => undefined);
      throw error;
    }
  }

  /** The time by the server's clock, as near as that is known: leases of several processes are compared with each other. */
  now(): Date {
    return new Date(Date.now() + this.aheadMs);
  }

  /**
   * How long a transaction that lost against others is tried again. The documents of a transaction whose process died stay locked until the
   * server ends it: who waits for less hears 503 in the meantime.
   */
  get retryForMs(): number {
    return this.retryMs;
  }

  /** Makes collections and their indexes where they are missing; several processes may do so at once. Never inside a transaction. */
  async ensure(collections: MongoCollections): Promise<void> {
    for (const [name, indexes] of Object.entries(collections)) {
      await this.db.createCollection(name).catch(ignoreExisting);
      if (indexes.length > 0) await this.db.collection(name).createIndexes([...indexes]);
    }
  }

  /** Rejects while one of them is missing: a service that may not make them waits for the one that does. */
  async require(collections: MongoCollections): Promise<void> {
    const existing = new Set((await this.db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));
    const missing = Object.keys(collections).filter((name) => !existing.has(name));
    if (missing.length > 0) throw new Error(`The database lacks ${missing.join(', ')}: run the command migrate, or set MIGRATE_ON_START=true`);
  }

  /** Rejects when no server answers within `ms`. */
  async ping(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`MongoDB has not answered within ${ms} ms`)), ms);
    });
    const answer = this.greet();
    answer.catch(() => undefined);
    await Promise.race([answer, late]).finally(() => clearTimeout(timer));
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private async greet(): Promise<void> {
    const asked = Date.now();
    const { localTime } = await greet(this.client);
    const answered = Date.now();
    // The server looked at its clock at some time in between; a slow answer tells too little.
    // What speaks its protocol may leave it out, or say it in another type.
    if (!(localTime instanceof Date) || Number.isNaN(localTime.getTime())) return;
    if (answered - asked < CLOCK_MS) this.aheadMs = localTime.getTime() - (asked + answered) / 2;
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
  serverSelectionTimeoutMS: options.serverSelectionTimeoutMs ?? SELECT_MS,
  ignoreUndefined: true,
});

/** The server looks for transactions that are too old at every half of their lifetime. Not every user may ask for it. */
async function longestHold(client: MongoClient): Promise<number> {
  const answer = await client.db('admin').command({ getParameter: 1, transactionLifetimeLimitSeconds: 1 }).catch(() => undefined);
  const seconds = Number((answer as { transactionLifetimeLimitSeconds?: unknown } | undefined)?.transactionLifetimeLimitSeconds);
  return 1.5 * (Number.isFinite(seconds) ? seconds : LIFETIME_SECONDS) * 1_000 + LIFETIME_MARGIN_MS;
}

interface Hello {
  readonly setName?: string;
  readonly msg?: string;
  readonly localTime?: unknown;
}

async function greet(client: MongoClient): Promise<Hello> {
  const admin = client.db('admin');
  return admin.command({ hello: 1 }).catch((error: unknown) => {
    // Before MongoDB 5, and in what speaks its protocol, the command has its old name.
    if (codeOf(error) === COMMAND_NOT_FOUND) return admin.command({ isMaster: 1 });
    throw error;
  });
}

function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== NAMESPACE_EXISTS) throw error;
}
