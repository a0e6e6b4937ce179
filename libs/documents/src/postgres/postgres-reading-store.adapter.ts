import { eachInTurn, mapInTurns } from '@twinyard/conventions';
import type { StoreGroup } from '../aggregation/group-tail';
import { runPipeline } from '../aggregation/run-pipeline';
import type { SortSpace } from '../aggregation/sorts/sort-space';
import { Deadline } from '../deadline';
import type { CollectionRef, JsonObject } from '../document';
import type { DocumentTx, Filter, FindQuery, PipelineCaller, Portion, WriteResult } from '../document-store';
import { ParsedFilter } from '../filter/ast';
import { parseFilter } from '../filter/parser';
import { provePatterns } from '../filter/pattern-proof';
import { withDates } from '../filter/reading-dates';
import { PORTION_BYTES, refuseHeavy } from '../heavy-answers';
import { distinctGroups, latestOfEach } from '../latest-readings';
import { parseProjection, project } from '../projection';
import { ReadingStore, type Reading, type UpsertResult } from '../reading-store';
import { toPostgresRegex } from '../regex/translation';
import { type Snapshot, type StreamQuery, streamOf } from '../snapshot';
import { isNewestFirst, parseSort, type SortKey } from '../sort';
import type { PgConnection } from './connection.adapter';
import { type CursorPlan, cursorPlan } from './cursor-connection.adapter';
import { compileFilter } from './filter-compiler';
import { readGroups } from './group-read';
import { beyondBounds, readingBounds } from './reading-bounds';
import { textsWithin } from './page-statement';
import { PostgresSnapshot } from './postgres-snapshot.adapter';
import { compileSort } from './sort-compiler';
import { Statement } from './statement';

const TOTALS = 'select count(*)::float8 as count, coalesce(sum(bytes), 0)::float8 as bytes';

const UPSERTED = `select count(*) filter (where before is null)::float8 as inserted, count(before)::float8 as replaced,
  coalesce(sum(after - coalesce(before, 0)), 0)::float8 as "bytesDelta"`;
const NOTHING_UPSERTED: UpsertResult = { inserted: 0, replaced: 0, bytesDelta: 0 };

/** Readings of all collections in one table, keyed by collection, version, item and instant. */
export class PostgresReadingStore extends ReadingStore {
  constructor(private readonly connection: PgConnection, private readonly answerBytes: number, private readonly sortSpace: SortSpace) {
    super();
  }

  override async upsertMany(tx: DocumentTx, target: CollectionRef, readings: readonly Reading[]): Promise<UpsertResult> {
    const [row] = await this.write(tx, target, latestOfEach(readings), `${UPSERTED} from written`);
    return row ?? NOTHING_UPSERTED;
  }

  override async upsertGroups(tx: DocumentTx, target: CollectionRef, groups: readonly (readonly Reading[])[]): Promise<UpsertResult[]> {
    const distinct = distinctGroups(groups);
    if (distinct === undefined) return eachInTurn(groups, (group) => this.upsertMany(tx, target, group));
    const members = distinct.flatMap((group, index) => group.map(() => index));
    const perGroup = `select ($5::int[])[n] as member, ${UPSERTED.slice('select '.length)} from written join input using (item, ts) group by member`;
    const rows = await this.write<UpsertResult & { readonly member: number }>(tx, target, distinct.flat(), perGroup, members);
    const byMember = new Map(rows.map(({ member, ...result }) => [member, result]));
    return groups.map((_group, index) => byMember.get(index) ?? NOTHING_UPSERTED);
  }

  private write<R = UpsertResult>(tx: DocumentTx, target: CollectionRef, readings: readonly Reading[], select: string, ...more: unknown[]): Promise<R[]> {
    const texts = readings.map((reading) => JSON.stringify(reading));
    const sizes = texts.map((text) => Buffer.byteLength(text));
    return this.connection.write<R>(tx, `with input as (
        select d #>> '{_tsMetadata,_telItemId}' as item, (d ->> '_ts')::timestamptz as ts, ($4::int[])[n] as size, d, n
        from jsonb_array_elements($3::jsonb) with ordinality as input(d, n)
      ), written as (
        insert into document_readings (collection, part, item, ts, bytes, doc) select $1, $2, item, ts, size, d from input
        on conflict (collection, part, item, ts) do update set bytes = excluded.bytes, doc = excluded.doc
        returning item, ts, old.bytes as before, new.bytes as after)
      ${select}`, [target.name, target.partition, `[${texts.join(',')}]`, sizes, ...more]);
  }

  override async find(target: CollectionRef, query: FindQuery, tx?: DocumentTx): Promise<Reading[]> {
    const { documents, isCut } = await this.within(target, query, this.answerBytes, tx);
    if (isCut && query.mayBeCut !== true) throw refuseHeavy(this.answerBytes);
    return documents;
  }

  override portion(target: CollectionRef, query: FindQuery, tx?: DocumentTx): Promise<Portion<Reading>> {
    return this.within(target, query, PORTION_BYTES, tx);
  }

  private async within(target: CollectionRef, query: FindQuery, mostBytes: number, tx: DocumentTx | undefined): Promise<{ readonly documents: Reading[]; readonly isCut: boolean }> {
    const projection = query.projection && parseProjection(query.projection);
    const { statement, where } = await prepare(target, query.filter ?? {});
    const sorted = sortOf(statement, query);
    const page = `select doc, bytes from document_readings${sorted.from} where ${where} order by ${sorted.order}
      limit ${statement.bind(query.limit)}::bigint offset ${statement.bind(query.skip ?? 0)}::bigint`;
    const rows = await this.connection.read<{ doc: string | null }>(textsWithin(page, mostBytes), statement, tx);
    const texts = rows.flatMap(({ doc }) => doc ?? []);
    const documents = await mapInTurns(texts, (text) => {
      const reading = JSON.parse(text) as Reading;
      return projection ? project(reading, projection) : reading;
    });
    return { documents, isCut: texts.length < rows.length };
  }

  async cursorOver(target: CollectionRef, query: StreamQuery): Promise<CursorPlan> {
    const { statement, where } = await prepare(target, query.filter ?? {});
    return cursorPlan(statement, { table: 'document_readings', where, ...sortOf(statement, query) }, query);
  }

  override async count(target: CollectionRef, filter: Filter, tx?: DocumentTx): Promise<number> {
    return (await this.totals(target, filter, tx)).count;
  }

  override stats(target: CollectionRef, tx?: DocumentTx): Promise<WriteResult> {
    return this.totals(target, {}, tx);
  }

  override aggregate(target: CollectionRef, pipeline: readonly unknown[], { tenant, gone }: PipelineCaller = {}): Promise<JsonObject[]> {
    return runPipeline(pipeline, {
      isDate: (path) => path === '_ts',
      group: (filter, wanted) => this.group(target, filter, wanted),
      stream: (query) => streamOf(() => this.snapshot(), (snapshot) => snapshot.readings(target, query)),
      answerBytes: this.answerBytes,
      sortShare: this.sortSpace.share(tenant),
    }, Deadline.ofPipeline(gone));
  }

  private async snapshot(): Promise<Snapshot> {
    return new PostgresSnapshot(await this.connection.cursors(), { readings: (target, query) => this.cursorOver(target, query) });
  }

  private async group(target: CollectionRef, filter: ParsedFilter, wanted: StoreGroup): Promise<JsonObject[] | undefined> {
    const { statement, where } = await prepare(target, filter);
    const source = { table: 'document_readings', where, order: ['ts', 'item'], series: { instant: 'ts', item: 'item' } };
    return readGroups(this.connection, statement, source, { ...wanted, mostBytes: this.answerBytes });
  }

  override async deleteOlderThan(tx: DocumentTx, target: CollectionRef, before: Date, limit: number): Promise<WriteResult> {
    const rows = await this.connection.write<WriteResult>(tx, `with gone as (delete from document_readings where ctid = any(array(
        select ctid from document_readings where collection = $1 and part = $2 and ts < $3::timestamptz order by ts limit $4))
      returning bytes) ${TOTALS} from gone`, [target.name, target.partition, before.toISOString(), limit]);
    return rows[0] ?? { count: 0, bytes: 0 };
  }

  override async deleteMany(tx: DocumentTx, target: CollectionRef, filter: Filter): Promise<WriteResult> {
    const { statement, where } = await prepare(target, filter);
    const rows = await this.connection.read<WriteResult>(`with gone as (delete from document_readings where ${where} returning bytes) ${TOTALS} from gone`, statement, tx);
    return rows[0] ?? { count: 0, bytes: 0 };
  }

  private async totals(target: CollectionRef, filter: Filter, tx?: DocumentTx): Promise<WriteResult> {
    const { statement, where } = await prepare(target, filter);
    const rows = await this.connection.read<WriteResult>(`${TOTALS} from document_readings where ${where}`, statement, tx);
    return rows[0] ?? { count: 0, bytes: 0 };
  }
}

async function prepare(target: CollectionRef, filter: Filter): Promise<{ statement: Statement; where: string }> {
  const parsed = filter instanceof ParsedFilter ? filter : parseFilter(filter);
  await provePatterns(parsed.condition, toPostgresRegex);
  const { condition } = withDates(parsed);
  const statement = new Statement();
  const scope = [`collection = ${statement.bind(target.name)}`, `part = ${statement.bind(target.partition)}`];
  const exact = compileFilter(statement, beyondBounds(condition), { document: 'doc', isRow: false, indexes: [] });
  return { statement, where: [...scope, ...readingBounds(statement, condition), exact].join(' and ') };
}

/** The time has a column of its own. Newest first is the exact reverse of the order of lists: the same index, read backwards. */
function sortOf(statement: Statement, { sort }: StreamQuery): { readonly from: string; readonly order: string } {
  const keys = parseSort(sort ?? {});
  if (isNewestFirst(keys)) return { from: '', order: 'ts desc, item desc' };
  const others = keys.filter((key) => !isTime(key));
  const { from, order } = compileSort(statement, others, 'doc');
  const columns = keys.map((key) => (isTime(key) ? `ts ${key.direction === 1 ? 'asc' : 'desc'}` : order[others.indexOf(key)]));
  return { from, order: [...columns, 'ts', 'item'].join(', ') };
}

const isTime = ({ path }: SortKey) => path.length === 1 && path[0] === '_ts';
