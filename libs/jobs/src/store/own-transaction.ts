import { MongoTx, SqlTx, type Tx } from '@twinyard/service-kit';

/** What is kept in PostgreSQL, jobs and requests, is changed in the transaction of the work that it belongs to. @throws Error for one of another database */
export function sqlOf(tx: Tx): SqlTx {
  if (!(tx instanceof SqlTx)) throw new Error('What is kept in PostgreSQL is changed in a transaction of the same database');
  return tx;
}

/** The same of MongoDB. */
export function mongoOf(tx: Tx): MongoTx {
  if (!(tx instanceof MongoTx)) throw new Error('What is kept in MongoDB is changed in a transaction of the same database');
  return tx;
}
