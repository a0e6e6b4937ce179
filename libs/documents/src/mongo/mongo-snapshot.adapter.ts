import { type MongoConnection, type MongoDocument } from '@twinyard/service-kit';
import type { ClientSession, Filter, FindCursor, FindOptions, Sort } from 'mongodb';
import type { CollectionRef, StoredDocument } from '../document';
import { parseProjection, project, type ParsedProjection } from '../projection';
import type { Reading } from '../reading-store';
import { Snapshot, type StreamQuery } from '../snapshot';
import type { CompiledFilter } from './filter-compiler';
import { translateReadError } from './mongo-reads.adapter';
import { coarseProjection } from './stored-fields';

/** Rows that are fetched at once; the server sends 16 MB at most. */
const BATCH = 500;
/** What the server may work for one stream; the reader's own pauses do not count. */
const TIMEOUT_MS = { regex: 2_000, other: 600_000 } as const;

/** What a cursor runs over, and what a row of it is to the caller. */
export interface CursorPlan<D> {
  readonly collection: string;
  readonly compiled: CompiledFilter;
  readonly sort: Record<string, 1 | -1>;
  toDocument(row: MongoDocument): D;
}

export interface CursorPlans {
  documents(target: CollectionRef, query: StreamQuery): Promise<CursorPlan<StoredDocument>>;
  readings(target: CollectionRef, query: StreamQuery): CursorPlan<Reading>;
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
    yield* this.rows(await this.plans.documents(target, query), query.projection && parseProjection(query.projection));
  }

  override async *readings(target: CollectionRef, query: StreamQuery): AsyncGenerator<readonly Reading[], void> {
    yield* this.rows(this.plans.readings(target, query), query.projection && parseProjection(query.projection));
  }

  override async close(): Promise<void> {
    for (const cursor of this.open) await cursor.close().catch(() => undefined);
    await this.session?.endSession().catch(() => undefined);
  }

  private async *rows<D extends object>({ collection, compiled, sort, toDocument }: CursorPlan<D>, projection: ParsedProjection | undefined): AsyncGenerator<readonly D[], void> {
    const options: FindOptions = {
      sort: sort as Sort, projection: coarseProjection(projection), batchSize: BATCH, allowDiskUse: true,
      maxTimeMS: compiled.usesRegex ? TIMEOUT_MS.regex : TIMEOUT_MS.other, ...(this.session && { session: this.session }),
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
      throw translateReadError(error, compiled);
    } finally {
      this.open.delete(cursor);
      await cursor.close().catch(() => undefined);
    }
  }
}
