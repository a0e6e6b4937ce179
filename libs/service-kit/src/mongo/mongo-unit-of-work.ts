import { setTimeout as delay } from 'node:timers/promises';
import { doubledWait, ServiceError, unavailable } from '@twinyard/conventions';
import { translateStoreError } from '../store-errors';
import { UnitOfWork } from '../tx';
import { JournalTransactions } from './journal-transactions';
import type { MongoConnection } from './mongo-connection';
import { hasWaitedForServer, isMongoConnectionLost, isTransient } from './mongo-errors';
import type { MongoTransactions } from './mongo-transactions';
import type { MongoTx } from './mongo-tx';
import { SessionTransactions } from './session-transactions';

const PAUSE = { firstMs: 4, longestMs: 250 };
/** A lost connection may be one of many that died of a change of the primary: the next try finds the new one, or no server at all. */
const ATTEMPTS_WITHOUT_SERVER = 3;

/**
 * Transactions of a MongoDB database: real ones on a replica set, an undo journal on a standalone server. MongoDB refuses the second writer of a
 * document at once, where PostgreSQL has it wait: to try again is this wait.
 */
export class MongoUnitOfWork extends UnitOfWork<MongoTx> {
  private readonly transactions: MongoTransactions;

  constructor(readonly connection: MongoConnection) {
    super();
    this.transactions = connection.hasTransactions ? new SessionTransactions(connection) : new JournalTransactions(connection);
  }

  override async run<R>(work: (tx: MongoTx) => Promise<R>): Promise<R> {
    const deadline = Date.now() + this.connection.retryForMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.transactions.attempt(work);
      } catch (error) {
        if (!mayTryAgain(error, attempt) || Date.now() > deadline) throw failureOf(error);
        await delay(pauseBefore(attempt));
      }
    }
  }
}

function mayTryAgain(error: unknown, attempt: number): boolean {
  if (!isTransient(error) || hasWaitedForServer(error)) return false;
  const lost = isMongoConnectionLost(error) || (error instanceof Error && isMongoConnectionLost(error.cause));
  return !lost || attempt < ATTEMPTS_WITHOUT_SERVER;
}

function failureOf(error: unknown): unknown {
  const failure = translateStoreError(error);
  return isTransient(error) && !(failure instanceof ServiceError) ? unavailable('The database is too busy right now', error) : failure;
}

/** Longer from try to try, and never the same for two that got in each other's way. */
const pauseBefore = (attempt: number) => Math.random() * doubledWait(PAUSE, attempt);
