import { eachInTurn } from '@twinyard/conventions';
import { isDuplicateKey, LostRace, type MongoConnection } from '@twinyard/service-kit';
import type { StoreGroup } from '../aggregation/group-tail';
import { runPipeline } from '../aggregation/run-pipeline';
import type { SortSpace } from '../aggregation/sorts/sort-space';
import { Deadline } from '../deadline';
import { byteSize, type CollectionRef, type JsonObject } from '../document';
import type { DocumentTx, Filter, FindQuery, PipelineCaller, Portion, WriteResult } from '../document-store';
import { ParsedFilter } from '../filter/ast';
import { parseFilter } from '../filter/parser';
import { provePatterns } from '../filter/pattern-proof';
import { withDates } from '../filter/reading-dates';
import { PORTION_BYTES, refuseHeavy } from '../heavy-answers';
import { missingTextIndex } from '../indexes/missing-text-index';
import { distinctGroups } from '../latest-readings';
import { parseProjection, project } from '../projection';
import { ReadingStore, type Reading, type UpsertResult } from '../reading-store';
import { toMongoRegex } from '../regex/translation';
import { type Snapshot, type StreamQuery, streamOf } from '../snapshot';
import { isNewestFirst, parseSort } from '../sort';
import { idBatchesOf } from './batches';
import { decodeDocument, encodeDocument } from './document-codec';
import { compileFilter, type CompiledFilter } from './filter-compiler';
import { compileGroup, toGroups, type GroupRow } from './group-compiler';
import { asMongoTx, type MongoReads } from './mongo-reads.adapter';
import { type CursorPlan, MongoSnapshot } from './mongo-snapshot.adapter';
import { anyOf, deleteRows, WEIGHT, writeRows, type RowWrite, type Weighed } from './mongo-writes.adapter';
import { readingBounds } from './reading-bounds';
import { coarseProjection, readingField, readingFields, READINGS, sortOf, type ReadingRow } from './stored-fields';

/** The order of lists, and what an expiry goes by. Queries of one item go by `_id` (`readingBounds`). */
const TIME_INDEX = { key: { '_id.collection': 1, '_id.part': 1, '_id.ts': 1, '_id.item': 1 }, name: 'by_time' } as const;

/** Readings of all collections in one, keyed by collection, version, item and instant. */
export class MongoReadingStore extends ReadingStore {
  constructor(private readonly connection: MongoConnection, private readonly reads: MongoReads, private readonly sortSpace: SortSpace) {
    super();
  }

  install(): Promise<void> {
    return this.connection.ensure({ [READINGS]: [TIME_INDEX] });
  }

  override async upsertMany(tx: DocumentTx, target: CollectionRef, readings: readonly Reading[]): Promise<UpsertResult> {
    const [result] = await this.upsertGroups(tx, target, [readings]);
    return result as UpsertResult;
  }

  override async upsertGroups(tx: DocumentTx, target: CollectionRef, groups: readonly (readonly Reading[])[]): Promise<UpsertResult[]> {
    const distinct = distinctGroups(groups);
    if (distinct === undefined) return eachInTurn(groups, (group) => this.upsertMany(tx, target, group));
    const rows = distinct.map((group) => group.map((reading) => toRow(target, reading)));
    const there: Weighed[] = [];
    for (const batch of idBatchesOf(rows.flat(), asMongoTx(tx).options)) there.push(...(await this.weigh(tx, unscoped(anyOf(batch.map((row) => row._id))))));
    const before = new Map(there.map((row) => [keyOf(row._id as ReadingRow['_id']), row.bytes]));
    const writes = rows.flat().map((row): RowWrite => ({ kind: before.has(keyOf(row._id)) ? 'replace' : 'insert', row }));
    await writeRows(tx, READINGS, writes).catch(refuseRace);
    return rows.map((group) => upserted(group, before));
  }

  override async find(target: CollectionRef, query: FindQuery, tx?: DocumentTx): Promise<Reading[]> {
    const { documents, isCut } = await this.within(target, query, this.reads.answerBytes, tx);
    if (isCut && query.mayBeCut !== true) throw refuseHeavy(this.reads.answerBytes);
    return documents;
  }

  override portion(target: CollectionRef, query: FindQuery, tx?: DocumentTx): Promise<Portion<Reading>> {
    return this.within(target, query, PORTION_BYTES, tx);
  }

  private async within(target: CollectionRef, query: FindQuery, mostBytes: number, tx: DocumentTx | undefined): Promise<{ readonly documents: Reading[]; readonly isCut: boolean }> {
    const projection = query.projection && parseProjection(query.projection);
    const options = { sort: orderOf(query), skip: query.skip ?? 0, limit: query.limit, projection: coarseProjection(projection) };
    const { rows, isCut } = await this.reads.findWithin<ReadingRow>(READINGS, await this.compile(target, query.filter ?? {}), { ...options, mostBytes }, tx);
    const documents = rows.map((row) => {
      const reading = toReading(row);
      return projection ? project(reading, projection) : reading;
    });
    return { documents, isCut };
  }

  async cursorOver(target: CollectionRef, query: StreamQuery): Promise<CursorPlan<Reading>> {
    return { collection: READINGS, compiled: await this.compile(target, query.filter ?? {}), sort: orderOf(query), toDocument: (row) => toReading(row as unknown as ReadingRow) };
  }

  override async count(target: CollectionRef, filter: Filter, tx?: DocumentTx): Promise<number> {
    const count = [{ $group: { _id: null, count: { $sum: 1 } } }];
    const [row] = await this.reads.aggregate<{ count: number }>(READINGS, await this.compile(target, filter), count, { tx });
    return row?.count ?? 0;
  }

  override async stats(target: CollectionRef, tx?: DocumentTx): Promise<WriteResult> {
    const totals = [{ $group: { _id: null, count: { $sum: 1 }, bytes: { $sum: '$bytes' } } }];
    const [row] = await this.reads.aggregate<WriteResult>(READINGS, await this.compile(target, {}), totals, { tx });
    return { count: row?.count ?? 0, bytes: Number(row?.bytes ?? 0) };
  }

  override aggregate(target: CollectionRef, pipeline: readonly unknown[], { tenant, gone }: PipelineCaller = {}): Promise<JsonObject[]> {
    return runPipeline(pipeline, {
      isDate: (path) => path === '_ts',
      group: (filter, wanted) => this.group(target, filter, wanted),
      stream: (query) => streamOf(() => this.snapshot(), (snapshot) => snapshot.readings(target, query)),
      answerBytes: this.reads.answerBytes,
      sortShare: this.sortSpace.share(tenant),
    }, Deadline.ofPipeline(gone));
  }

  override async deleteOlderThan(tx: DocumentTx, target: CollectionRef, before: Date, limit: number): Promise<WriteResult> {
    const older = await this.compile(target, { _ts: { $lt: before.toISOString() } });
    return deleteRows(tx, READINGS, await this.weigh(tx, older, limit));
  }

  override async deleteMany(tx: DocumentTx, target: CollectionRef, filter: Filter): Promise<WriteResult> {
    return deleteRows(tx, READINGS, await this.weigh(tx, await this.compile(target, filter)));
  }

  private snapshot(): Snapshot {
    return new MongoSnapshot(this.connection, { readings: (...wanted) => this.cursorOver(...wanted) });
  }

  private async group(target: CollectionRef, filter: ParsedFilter, { plan, tail, deadline }: StoreGroup): Promise<JsonObject[] | undefined> {
    const stages = compileGroup(plan, { fieldOf: readingField, order: ['_id.ts', '_id.item'], instant: '_id.ts' }, tail);
    if (stages === undefined) return undefined;
    const rows = await this.reads.aggregate<GroupRow>(READINGS, await this.compile(target, filter), stages, { deadline }).catch(leaveUnknown);
    if (rows === undefined) return undefined;
    return rows.some((row) => row.unfit) ? undefined : toGroups(plan, rows);
  }

  /** The oldest, as many as the limit says; without one all. */
  private weigh(tx: DocumentTx, compiled: CompiledFilter, limit?: number): Promise<Weighed[]> {
    const oldest = limit === undefined ? {} : { limit, sort: { '_id.ts': 1 as const } };
    return this.reads.find<Weighed>(READINGS, compiled, { projection: WEIGHT, ...oldest }, tx);
  }

  private async compile({ name, partition }: CollectionRef, filter: Filter): Promise<CompiledFilter> {
    const parsed = filter instanceof ParsedFilter ? filter : parseFilter(filter);
    await provePatterns(parsed.condition, toMongoRegex);
    const { condition } = withDates(parsed);
    const compiled = compileFilter(condition, { fields: readingFields, guardsRegex: this.reads.guardsRegex });
    if (compiled.usesText) throw missingTextIndex();
    const scope = { '_id.collection': name, '_id.part': partition, ...readingBounds({ collection: name, part: partition }, condition) };
    return { ...compiled, filter: { ...scope, $and: [compiled.filter] } };
  }
}

function upserted(rows: readonly ReadingRow[], before: ReadonlyMap<string, number>): UpsertResult {
  const replaced = rows.flatMap((row) => before.get(keyOf(row._id)) ?? []);
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);
  return { inserted: rows.length - replaced.length, replaced: replaced.length, bytesDelta: sum(rows.map(({ bytes }) => bytes)) - sum(replaced) };
}

/** Not every server that speaks MongoDB's protocol knows every accumulator: then the groups are made in memory. */
const UNKNOWN_GROUP_OPERATOR = 15_952;

function leaveUnknown(error: unknown): undefined {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  if (code !== UNKNOWN_GROUP_OPERATOR && cause?.code !== UNKNOWN_GROUP_OPERATOR) throw error;
  return undefined;
}

/** Looked for and not there, yet there when it was to be written: another transaction was between. The whole may be tried again. */
function refuseRace(error: unknown): never {
  const { cause } = error as { cause?: unknown };
  throw isDuplicateKey(cause) ? new LostRace('Another transaction has written the same readings', error) : error;
}

function toRow({ name, partition }: CollectionRef, reading: Reading): ReadingRow {
  const _id = { collection: name, part: partition, item: reading._tsMetadata._telItemId, ts: new Date(reading._ts) };
  return { _id, bytes: byteSize(reading), doc: encodeDocument(reading, '_ts') };
}

const toReading = (row: ReadingRow) => ({ ...decodeDocument(row.doc ?? {}), _ts: row._id.ts.toISOString() }) as unknown as Reading;
/** Newest first is the exact reverse of the order of lists: the same index, read backwards. */
function orderOf({ sort }: StreamQuery): Record<string, 1 | -1> {
  const wanted = parseSort(sort ?? {});
  return isNewestFirst(wanted) ? { '_id.ts': -1, '_id.item': -1 } : sortOf(wanted, readingField, ['_id.ts', '_id.item']);
}


const keyOf = ({ item, ts }: ReadingRow['_id']) => `${ts.getTime()} ${item}`;
const unscoped = (filter: CompiledFilter['filter']): CompiledFilter => ({ filter, usesRegex: false, usesText: false });
