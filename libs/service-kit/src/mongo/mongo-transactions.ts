import type { MongoTx } from './mongo-tx';

/** How one attempt at a transaction is made; two kinds, for servers with and without transactions. */
export abstract class MongoTransactions {
  /** Commits when `work` resolves; leaves nothing of it when it rejects, or when the commit does. */
  abstract attempt<R>(work: (tx: MongoTx) => Promise<R>): Promise<R>;
}
