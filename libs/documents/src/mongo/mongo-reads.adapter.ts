import { invalid, ServiceError } from '@twinyard/conventions';
import { type MongoConnection, type MongoDocument, MongoTx, translateStoreError } from '@twinyard/service-kit';
import type { AggregateOptions, Filter, FindOptions } from 'mongodb';
import type { DocumentTx } from '../document-store';
import type { CompiledFilter } from './filter-compiler';

/** Contract 0.1 for regular expressions; contract 2.7 for aggregates and all else. */
const REGEX_TIMEOUT_MS = 2_000;
const READ_TIMEOUT_MS = 60_000;
/** What one answer brings; the server cuts it at 16 MB. */
const MAX_BATCH = 100_000;

const CODES = { timeExpired: 50, indexNotFound: 27, invalidRegex: 51_091, badValue: 2 } as const;

/** Any transaction of the same database will do, whichever part of the service opened it. */
export function asMongoTx(tx: DocumentTx): MongoTx {
  if (tx instanceof MongoTx) return tx;
  throw new Error('The MongoDB document store needs a transaction of MongoDB');
}

/** Reads under a time limit, in the caller's transaction when there is one, with the errors of the port. */
export class MongoReads {
  constructor(private readonly connection: MongoConnection) {}

  /** Without a limit: all. */
  find<R>(collection: string, compiled: CompiledFilter, options: FindOptions, tx?: DocumentTx): Promise<R[]> {
    // MongoDB takes 0 for no bound.
    if (options.limit === 0) return Promise.resolve([]);
    // One more than can come, so that the server closes the cursor with its first answer.
    const batchSize = Math.min((options.limit ?? MAX_BATCH) + 1, MAX_BATCH);
    const all = { ...options, batchSize, ...limitsOf(compiled, tx) };
    const { db } = this.connection;
    return answer(async () => (await db.collection<MongoDocument>(collection).find(compiled.filter as Filter<MongoDocument>, all).toArray()) as unknown[] as R[], compiled);
  }

  aggregate<R>(collection: string, compiled: CompiledFilter, stages: readonly Record<string, unknown>[], tx?: DocumentTx): Promise<R[]> {
    const options: AggregateOptions = { allowDiskUse: true, batchSize: MAX_BATCH, ...limitsOf(compiled, tx) };
    const { db } = this.connection;
    return answer(async () => (await db.collection(collection).aggregate([{ $match: compiled.filter }, ...stages], options).toArray()) as unknown[] as R[], compiled);
  }
}

const limitsOf = ({ usesRegex }: CompiledFilter, tx?: DocumentTx) => ({
  maxTimeMS: usesRegex ? REGEX_TIMEOUT_MS : READ_TIMEOUT_MS,
  ...(tx && asMongoTx(tx).options),
});

async function answer<R>(read: () => Promise<R[]>, compiled: CompiledFilter): Promise<R[]> {
  try {
    return await read();
  } catch (error) {
    throw translateReadError(error, compiled);
  }
}

export function translateReadError(error: unknown, { usesRegex, usesText }: CompiledFilter): unknown {
  const { code, message } = error as { code?: unknown; message?: string };
  if (code === CODES.badValue && /parallel arrays/.test(message ?? '')) return invalid('sort: a document has arrays on two of its paths');
  if (code === CODES.timeExpired) return new ServiceError('query_too_slow', usesRegex ? 'The regular expression takes too long' : 'The query takes too long', { cause: error });
  if (code === CODES.invalidRegex) return new ServiceError('invalid', 'The regular expression is too complex', { cause: error });
  if (code === CODES.indexNotFound && usesText) return invalid('$text needs a text index');
  return translateStoreError(error);
}
