import { invalidField, ServiceError } from '@twinyard/conventions';
import { type MongoConnection, type MongoDocument, MongoTx, translateStoreError } from '@twinyard/service-kit';
import { type AggregateOptions, type AggregationCursor, BSON, type Filter, type FindCursor, type FindOptions } from 'mongodb';
import { type Deadline, READ_TIMEOUT_MS, REGEX_TIMEOUT_MS } from '../deadline';
import type { DocumentTx } from '../document-store';
import { refuseHeavy } from '../heavy-answers';
import { missingTextIndex } from '../indexes/missing-text-index';
import type { CompiledFilter } from './filter-compiler';
import { hasRegexMatch } from './regex-match';

/** What one answer brings; the server cuts it at 16 MB. */
const MAX_BATCH = 100_000;

const CODES = { timeExpired: 50, indexNotFound: 27, invalidRegex: 51_091, badValue: 2 } as const;
/** What `$regexMatch` fails with in the server's two engines. */
const REGEX_GIVEN_UP: readonly unknown[] = [51_156, 5_073_403];

interface ReadOptions {
  readonly tx?: DocumentTx | undefined;
  /** When that must be done of which the read is a part. */
  readonly deadline?: Deadline;
}

/** Any transaction of the same database will do, whichever part of the service opened it. */
export function asMongoTx(tx: DocumentTx): MongoTx {
  if (tx instanceof MongoTx) return tx;
  throw new Error('The MongoDB document store needs a transaction of MongoDB');
}

/** Reads under a time limit, in the caller's transaction when there is one, with the errors of the port. */
export class MongoReads {
  /** Whether the server has `$regexMatch`, and with it PCRE2: see `guarded`. The stand-in of the tests has neither. */
  guardsRegex = true;

  constructor(private readonly connection: MongoConnection, readonly answerBytes: number) {}

  /** Asks the server for what it can. */
  async install(): Promise<void> {
    this.guardsRegex = await hasRegexMatch(this.connection);
  }

  /** Those that weigh `mostBytes` together; the first comes always. `bytes` of a row, or where that is not asked for its size, is what it weighs. */
  async findWithin<R>(
    collection: string, compiled: CompiledFilter, { mostBytes, ...options }: FindOptions & { readonly limit: number; readonly mostBytes: number }, tx?: DocumentTx,
  ): Promise<{ readonly rows: R[]; readonly isCut: boolean }> {
    if (options.limit === 0) return { rows: [], isCut: false };
    const all = { ...options, batchSize: Math.min(options.limit + 1, MAX_BATCH), ...limitsOf(compiled, { tx }) };
    const cursor = this.connection.db.collection<MongoDocument>(collection).find(compiled.filter as Filter<MongoDocument>, all);
    try {
      return await within(cursor, mostBytes, (row) => (typeof row['bytes'] === 'number' ? row['bytes'] : sizeOf(row))) as unknown as { readonly rows: R[]; readonly isCut: boolean };
    } catch (error) {
      throw translateReadError(error, compiled);
    } finally {
      await cursor.close().catch(() => undefined);
    }
  }

  /** Without a limit: all. */
  find<R>(collection: string, compiled: CompiledFilter, options: FindOptions, tx?: DocumentTx): Promise<R[]> {
    // MongoDB takes 0 for no bound.
    if (options.limit === 0) return Promise.resolve([]);
    // One more than can come, so that the server closes the cursor with its first answer.
    const batchSize = Math.min((options.limit ?? MAX_BATCH) + 1, MAX_BATCH);
    const all = { ...options, batchSize, ...limitsOf(compiled, { tx }) };
    const { db } = this.connection;
    return answer(async () => (await db.collection<MongoDocument>(collection).find(compiled.filter as Filter<MongoDocument>, all).toArray()) as unknown[] as R[], compiled);
  }

  aggregate<R>(collection: string, compiled: CompiledFilter, stages: readonly Record<string, unknown>[], limits: ReadOptions): Promise<R[]> {
    const options: AggregateOptions = { allowDiskUse: true, batchSize: MAX_BATCH, ...limitsOf(compiled, limits) };
    const cursor = this.connection.db.collection(collection).aggregate<MongoDocument>([{ $match: compiled.filter }, ...stages], options);
    return answer(async () => {
      const { rows, isCut } = await within(cursor, this.answerBytes, sizeOf);
      if (isCut) throw refuseHeavy(this.answerBytes);
      return rows as unknown as R[];
    }, compiled).finally(() => cursor.close().catch(() => undefined));
  }
}

/** What comes with one answer of the server, 16 MB at most, is in memory together. */
async function within(
  cursor: FindCursor<MongoDocument> | AggregationCursor<MongoDocument>, most: number, weigh: (row: MongoDocument) => number,
): Promise<{ readonly rows: MongoDocument[]; readonly isCut: boolean }> {
  const rows: MongoDocument[] = [];
  let weight = 0;
  while (await cursor.hasNext()) {
    for (const row of cursor.readBufferedDocuments()) {
      weight += weigh(row);
      if (weight > most && rows.length > 0) return { rows, isCut: true };
      rows.push(row);
    }
  }
  return { rows, isCut: false };
}

const sizeOf = (row: MongoDocument) => BSON.calculateObjectSize(row);

const limitsOf = ({ usesRegex }: CompiledFilter, { tx, deadline }: ReadOptions) => {
  const most = usesRegex ? REGEX_TIMEOUT_MS : READ_TIMEOUT_MS;
  return { maxTimeMS: Math.min(most, deadline?.leftMs() ?? most), ...(tx && asMongoTx(tx).options) };
};

async function answer<R>(read: () => Promise<R[]>, compiled: CompiledFilter): Promise<R[]> {
  try {
    return await read();
  } catch (error) {
    throw translateReadError(error, compiled);
  }
}

export function translateReadError(error: unknown, { usesRegex, usesText }: CompiledFilter): unknown {
  const { code, message } = error as { code?: unknown; message?: string };
  if (code === CODES.badValue && /parallel arrays/.test(message ?? '')) return invalidField('sort', 'a document has arrays on two of its paths');
  if (code === CODES.timeExpired) return new ServiceError('query_too_slow', usesRegex ? 'The regular expression takes too long' : 'The query takes too long', { cause: error });
  if (REGEX_GIVEN_UP.includes(code)) return new ServiceError('query_too_slow', 'The regular expression takes too long', { cause: error });
  if (code === CODES.invalidRegex) return new ServiceError('invalid', 'The regular expression is too complex', { cause: error });
  if (code === CODES.indexNotFound && usesText) return missingTextIndex();
  return translateStoreError(error);
}
