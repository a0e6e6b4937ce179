import type { StoreGroup } from '../aggregation/group-tail';
import { runPipeline } from '../aggregation/run-pipeline';
import type { CollectionRef, JsonObject } from '../document';
import type { DocumentTx, Filter, FindQuery, WriteResult } from '../document-store';
import { ParsedFilter } from '../filter/ast';
import { parseFilter } from '../filter/parser';
import { withDates } from '../filter/reading-dates';
import { latestOfEach } from '../latest-readings';
import { parseProjection, project } from '../projection';
import { ReadingStore, type Reading, type UpsertResult } from '../reading-store';
import type { StreamQuery } from '../snapshot';
import { isNewestFirst, parseSort, type SortKey } from '../sort';
import { type PgConnection, READ_TIMEOUT_MS, REGEX_TIMEOUT_MS } from './connection.adapter';
import type { CursorPlan } from './cursor-connection.adapter';
import { compileFilter } from './filter-compiler';
import { compileGroup, toGroups, type GroupRow } from './group-compiler';
import { beyondBounds, readingBounds } from './reading-bounds';
import { compileSort } from './sort-compiler';
import { unlessTooLarge } from './read-errors';
import { Statement } from './statement';

const TOTALS = 'select count(*)::float8 as count, coalesce(sum(bytes), 0)::float8 as bytes';

/** Readings of all collections in one table, keyed by collection, version, item and instant. */
export class PostgresReadingStore extends ReadingStore {
  constructor(private readonly connection: PgConnection) {
    super();
  }

  override async upsertMany(tx: DocumentTx, target: CollectionRef, readings: readonly Reading[]): Promise<UpsertResult> {
    const texts = latestOfEach(readings).map((reading) => JSON.stringify(reading));
    const sizes = texts.map((text) => Buffer.byteLength(text));
    const [row] = await this.connection.write<UpsertResult>(tx, `with written as (
        insert into document_readings (collection, part, item, ts, bytes, doc)
        select $1, $2, d #>> '{_tsMetadata,_telItemId}', (d ->> '_ts')::timestamptz, ($4::int[])[n], d
        from jsonb_array_elements($3::jsonb) with ordinality as input(d, n)
        on conflict (collection, part, item, ts) do update set bytes = excluded.bytes, doc = excluded.doc
        returning old.bytes as before, new.bytes as after)
      select count(*) filter (where before is null)::float8 as inserted, count(before)::float8 as replaced,
        coalesce(sum(after - coalesce(before, 0)), 0)::float8 as "bytesDelta" from written`, [target.name, target.partition, `[${texts.join(',')}]`, sizes]);
    return row ?? { inserted: 0, replaced: 0, bytesDelta: 0 };
  }

  override async find(target: CollectionRef, query: FindQuery, tx?: DocumentTx): Promise<Reading[]> {
    const projection = query.projection && parseProjection(query.projection);
    const { statement, where } = prepare(target, query.filter ?? {});
    const sorted = sortOf(statement, query);
    const sql = `select doc from document_readings${sorted.from} where ${where} order by ${sorted.order}
      limit ${statement.bind(query.limit)}::bigint offset ${statement.bind(query.skip ?? 0)}::bigint`;
    const rows = await this.connection.read<{ doc: Reading }>(sql, statement, tx);
    return rows.map((row) => (projection ? project(row.doc, projection) : row.doc));
  }

  cursorOver(target: CollectionRef, query: StreamQuery): CursorPlan {
    const { statement, where } = prepare(target, query.filter ?? {});
    const sorted = sortOf(statement, query);
    const from = `document_readings${sorted.from} where ${where} order by ${sorted.order}`;
    return { table: 'document_readings', from, statement, timeoutMs: statement.usesRegex ? REGEX_TIMEOUT_MS : READ_TIMEOUT_MS };
  }

  override async count(target: CollectionRef, filter: Filter, tx?: DocumentTx): Promise<number> {
    return (await this.totals(target, filter, tx)).count;
  }

  override stats(target: CollectionRef, tx?: DocumentTx): Promise<WriteResult> {
    return this.totals(target, {}, tx);
  }

  override async aggregate(target: CollectionRef, pipeline: readonly unknown[], tx?: DocumentTx): Promise<JsonObject[]> {
    return runPipeline(pipeline, {
      isDate: (path) => path === '_ts',
      group: (filter, plan, tail) => this.group(target, filter, { plan, tail }, tx),
      load: (filter, page) => this.find(target, { filter, ...page }, tx),
    });
  }

  private async group(target: CollectionRef, filter: ParsedFilter, { plan, tail }: StoreGroup, tx?: DocumentTx): Promise<JsonObject[] | undefined> {
    const { statement, where } = prepare(target, filter);
    const sql = compileGroup(statement, plan, { table: 'document_readings', where, order: ['ts', 'item'], series: { instant: 'ts', item: 'item' } }, tail);
    const rows = await unlessTooLarge(this.connection.read<GroupRow>(sql, statement, tx));
    return rows === undefined || rows.some((row) => row.unfit) ? undefined : toGroups(plan, rows);
  }

  override async deleteOlderThan(tx: DocumentTx, target: CollectionRef, before: Date, limit: number): Promise<WriteResult> {
    const rows = await this.connection.write<WriteResult>(tx, `with gone as (delete from document_readings where ctid = any(array(
        select ctid from document_readings where collection = $1 and part = $2 and ts < $3::timestamptz order by ts limit $4))
      returning bytes) ${TOTALS} from gone`, [target.name, target.partition, before.toISOString(), limit]);
    return rows[0] ?? { count: 0, bytes: 0 };
  }

  override async deleteMany(tx: DocumentTx, target: CollectionRef, filter: Filter): Promise<WriteResult> {
    const { statement, where } = prepare(target, filter);
    const rows = await this.connection.read<WriteResult>(`with gone as (delete from document_readings where ${where} returning bytes) ${TOTALS} from gone`, statement, tx);
    return rows[0] ?? { count: 0, bytes: 0 };
  }

  private async totals(target: CollectionRef, filter: Filter, tx?: DocumentTx): Promise<WriteResult> {
    const { statement, where } = prepare(target, filter);
    const rows = await this.connection.read<WriteResult>(`${TOTALS} from document_readings where ${where}`, statement, tx);
    return rows[0] ?? { count: 0, bytes: 0 };
  }
}

function prepare(target: CollectionRef, filter: Filter): { statement: Statement; where: string } {
  const { condition } = withDates(filter instanceof ParsedFilter ? filter : parseFilter(filter));
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
