import type { ClientSession, TransactionOptions } from 'mongodb';
import { isCommitUnknown } from './mongo-errors';
import type { MongoConnection } from './mongo-connection';
import { MongoTransactions } from './mongo-transactions';
import { MongoTx } from './mongo-tx';

const TRANSACTION: TransactionOptions = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority' },
  readPreference: 'primary',
  maxCommitTimeMS: 10_000,
};

/** How often a commit whose answer was lost is sent again. The server knows it and commits once. */
const COMMIT_ATTEMPTS = 5;

class SessionTx extends MongoTx {
  override readonly options: { readonly session: ClientSession };

  constructor(connection: MongoConnection, session: ClientSession) {
    super(connection.db);
    this.options = { session };
  }

  /** The server puts back by itself. */
  override touch(): Promise<void> {
    return Promise.resolve();
  }
}

/** Transactions of a replica set: each in a session of its own, on a snapshot, committed by the majority. */
export class SessionTransactions extends MongoTransactions {
  constructor(private readonly connection: MongoConnection) {
    super();
  }

  // Not `session.withTransaction`: it tries again only when the work fails with the driver's own error, and adapters translate those.
  override async attempt<R>(work: (tx: MongoTx) => Promise<R>): Promise<R> {
    const session = this.connection.client.startSession();
    try {
      session.startTransaction(TRANSACTION);
      const result = await work(new SessionTx(this.connection, session));
      await commit(session);
      return result;
    } catch (error) {
      // An abort that does not arrive is no fault: the server ends the transaction by itself.
      if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
      throw error;
    } finally {
      await session.endSession().catch(() => undefined);
    }
  }
}

async function commit(session: ClientSession): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await session.commitTransaction();
    } catch (error) {
      if (attempt >= COMMIT_ATTEMPTS || !isCommitUnknown(error)) throw error;
    }
  }
}
