import { type MongoConnection, type MongoDocument, signalWithin } from '@twinyard/service-kit';
import type { Abortable, ClientSession, Filter, FindCursor, FindOptions, Sort } from 'mongodb';
import { pipelineTooSlow, REGEX_TIMEOUT_MS } from '../deadline';
import type { CollectionRef, StoredDocument } from '../document';
import { parseProjection, project } from '../projection';
import type { Reading } from '../reading-store';
import { Snapshot, type StreamQuery } from '../snapshot';
import type { CompiledFilter } from './filter-compiler';
import { translateReadError } from './mongo-reads.adapter';
import { coarseProjection } from './stored-fields';

/** Rows that are fetched at once; the server sends 16 MB at most. */
const BATCH = 500;
/** What the server may work for one stream without regular expressions; the reader's own pauses do not count. */
const STREAM_TIMEOUT_MS = 600_000;

/** What a cursor runs over, and what a row of it is to the caller. */
export interface CursorPlan<D> {
  readonly collection: string;
  readonly compiled: CompiledFilter;
  readonly sort: Record<string, 1 | -1>;
  toDocument(row: MongoDocument): D;
}

export interface CursorPlans {
  documents?(target: CollectionRef, query: StreamQuery): Promise<CursorPlan<StoredDocument>>;
  readings(target: CollectionRef, query: StreamQuery): Promise<CursorPlan<Reading>>;
}

/** All cursors in one session read as of one moment: MongoDB keeps that for some minutes (`minSnapshotHistoryWindowInSeconds`). */
export class MongoSnapshot extends Snapshot {
  private readonly session: ClientSession | undefined;
  private readonly open = new Set<FindCursor<MongoDocument>>();

  constructor(private readonly connection: MongoConnection, private readonly plans: CursorPlans) {
    super();
    this.session = connection.hasTransactions ? connection.client.startSession({ snapshot: true }) : undefined;
  }

  override async *documents(target: CollectionRef, query: StreamQuery): AsyncGenerator<readonly StoredDocument[], void> {
    if (this.plans.documents === undefined) throw new Error('This is a snapshot of readings alone');
    yield* this.rows(await this.plans.documents(target, query), query);
  }

  override async *readings(target: CollectionRef, query: StreamQuery): AsyncGenerator<readonly Reading[], void> {
    yield* this.rows(await this.plans.readings(target, query), query);
  }

  override async close(): Promise<void> {
    for (const cursor of this.open) await cursor.close().catch(() => undefined);
    await this.session?.endSession().catch(() => undefined);
  }

  private async *rows<D extends object>({ collection, compiled, sort, toDocument }: CursorPlan<D>, query: StreamQuery): AsyncGenerator<readonly D[], void> {
    // MongoDB takes 0 for no bound.
    if (query.limit === 0) return;
    const projection = query.projection && parseProjection(query.projection);
    const options: FindOptions & Abortable = {
      sort: sort as Sort, projection: coarseProjection(projection), batchSize: BATCH, allowDiskUse: true, ...boundsOf(query), ...limitsOf(compiled, query), ...(this.session && { session: this.session }),
    };
    // The database's own read concern is not the one of a snapshot.
    const { client, db } = this.connection;
    const rows = client.db(db.databaseName).collection<MongoDocument>(collection);
    const cursor = rows.find(compiled.filter as Filter<MongoDocument>, options) as unknown as FindCursor<MongoDocument>;
    this.open.add(cursor);
    try {
      while (await cursor.hasNext()) {
        const some = cursor.readBufferedDocuments().map(toDocument);
        yield projection ? some.map((row) => project(row, projection)) : some;
      }
    } catch (error) {
      throw options.signal?.aborted === true ? pipelineTooSlow() : translateReadError(error, compiled);
    } finally {
      this.open.delete(cursor);
      await cursor.close().catch(() => undefined);
    }
  }
}

const boundsOf = ({ skip, limit }: StreamQuery) => ({ ...(skip !== undefined && { skip }), ...(limit !== undefined && { limit }) });

/** The server adds up what it works for a cursor, and does not know how long the reader was busy in between: when the deadline has come, its answer is not waited for. */
function limitsOf({ usesRegex }: CompiledFilter, { deadline }: StreamQuery): Pick<FindOptions, 'maxTimeMS'> & Abortable {
  const most = usesRegex ? REGEX_TIMEOUT_MS : STREAM_TIMEOUT_MS;
  if (deadline === undefined) return { maxTimeMS: most };
  const left = deadline.leftMs();
  return { maxTimeMS: Math.min(most, left), signal: signalWithin(left) };
}
