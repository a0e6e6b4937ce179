import type { TimeZone } from '../aggregation/dates/time-zone';
import type { SimpleKey } from '../aggregation/group-key';
import { shownByClocks } from '../aggregation/group-clocks';
import type { GroupField, GroupPlan } from '../aggregation/group-plan';
import type { GroupSortKey, GroupTail } from '../aggregation/group-tail';
import type { JsonObject } from '../document';
import type { Path } from '../filter/ast';
import { calendarPart, clocks, iso, isUntold, monthOf, monthsFrom, textFormat, utc } from './instants';
import { sortColumns } from './sort-compiler';
import type { Statement } from './statement';

export interface GroupSource {
  readonly table: string;
  readonly where: string;
  /** Columns of the order in which groups come: that of their first document. */
  readonly order: readonly string[];
  /** Columns of a time series: the instant, and the item. */
  readonly series?: { readonly instant: string; readonly item: string };
}

export interface GroupRow {
  readonly key: unknown;
  /** Missing where the groups up to this one weigh too much. */
  readonly results: readonly unknown[] | null;
  /** The values are not of the kind that SQL treats as MongoDB does (arrays on the way, minima of mixed types). */
  readonly unfit: boolean;
}

/** `mostBytes`: of the groups as they come. */
export function compileGroup(statement: Statement, plan: GroupPlan, source: GroupSource, tail: GroupTail & { readonly mostBytes: number }): string {
  const compiler = new GroupCompiler(statement, source);
  const parts = keyParts(plan);
  const columns = parts.map((part, place) => ({ raw: compiler.raw(part, plan.key.kind === 'parts'), json: jsonOf(part, `k${place}`) }));
  const key = plan.key.kind === 'parts' ? `jsonb_build_object(${plan.key.parts.map(([name], place) => `${statement.bind(name)}::text, ${columns[place]?.json}`).join(', ')})` : (columns[0]?.json ?? `'null'::jsonb`);
  const results = plan.fields.map((field) => compiler.field(field));
  const unfit = compiler.unfit.size === 0 ? 'false' : `coalesce(bool_or(${[...compiler.unfit].join(' or ')}), false)`;
  const order = tail.sort.flatMap((sort) => sortOf(sort, { plan, columns: columns.map(({ json }) => json), results }));
  // Instants and what is made of them tell all groups apart: nothing is left to be decided.
  const ties = tail.sort.some(({ of }) => of === 'key') && parts.length > 0 && parts.every(({ kind }) => kind !== 'path') ? [] : source.order.map((column) => `min(${column})`);
  // Those that do not fit come first: where some do, one of them is in the answer, whatever is cut off.
  const first = compiler.unfit.size === 0 ? [] : ['unfit desc'];
  const keys = columns.map(({ raw }, place) => `, ${raw} as k${place}`).join('');
  const groups = `select ${key} as key, jsonb_build_array(${results.join(', ')}) as results, ${unfit} as unfit
    from (select *${keys} from ${compiler.measured} measured) grouped
    ${columns.length > 0 ? `group by ${columns.map((_, place) => `k${place}`).join(', ')}` : 'having count(*) > 0'}
    order by ${[...first, ...order, ...ties].join(', ')} limit ${tail.limit} offset ${tail.skip}`;
  const weighed = `select *, sum(octet_length(key::text) + octet_length(results::text)) over (rows unbounded preceding) as upto from (${groups}) made`;
  return `select case when upto <= ${tail.mostBytes} then key end as key, case when upto <= ${tail.mostBytes} then results end as results, unfit from (${weighed}) one`;
}

export function toGroups(plan: GroupPlan, rows: readonly GroupRow[]): JsonObject[] {
  return rows.map((row) => ({ _id: shownByClocks(plan, row.key), ...Object.fromEntries(plan.fields.map((field, index) => [field.name, row.results?.[index]])) }));
}

function keyParts({ key }: GroupPlan): readonly SimpleKey[] {
  if (key.kind === 'none') return [];
  return key.kind === 'parts' ? key.parts.map(([, part]) => part) : [key];
}

/** Dates leave the store as ISO text; made once a group, not once a row. */
const isInstantKey = (kind: GroupPlan['key']['kind']) => kind === 'span' || kind === 'months';
const jsonOf = (key: SimpleKey, column: string): string => (isInstantKey(key.kind) ? `to_jsonb(${iso(column)})` : `coalesce(to_jsonb(${column}), 'null'::jsonb)`);

interface Sortable {
  readonly plan: GroupPlan;
  readonly columns: readonly string[];
  readonly results: readonly string[];
}

function sortOf({ of, direction }: GroupSortKey, { plan, columns, results }: Sortable): string[] {
  const order = direction === 1 ? 'asc' : 'desc';
  if (of === 'key' && isInstantKey(plan.key.kind)) return [`k0 ${order}`];
  if (of === 'key') return columns.slice(0, 1).flatMap((json) => sortColumns(json).map((column) => `${column} ${order}`));
  if ('part' in of) return sortColumns(columns[of.part] as string).map((column) => `${column} ${order}`);
  const isValue = ['$first', '$last'].includes(plan.fields[of.field]?.accumulator as string);
  const result = results[of.field] as string;
  if (isValue) return sortColumns(`to_jsonb(${result})`).map((column) => `${column} ${order}`);
  // MongoDB has no value before all others.
  return [`${result} ${direction === 1 ? 'asc nulls first' : 'desc nulls last'}`];
}

class GroupCompiler {
  readonly unfit = new Set<string>();
  /** Paths that are computed with, and SQL of what lies there. */
  private readonly measures = new Map<string, string>();

  constructor(private readonly statement: Statement, private readonly source: GroupSource) {}

  /**
   * The rows that are grouped, and beside them what is computed with: its value, its type, its number, each taken once. `offset 0` keeps the planner from
   * writing a value out anew wherever it is named. Numbers stay `numeric`, as JSONB has them: to make each a `float8` goes through a text of it.
   */
  get measured(): string {
    const { table, where } = this.source;
    const columns = (column: (value: string, at: string) => string) => [...this.measures.values()].map((value, place) => `, ${column(value, `m${place}`)}`).join('');
    if (this.measures.size === 0) return `(select * from ${table} where ${where})`;
    const values = `select *${columns((value, at) => `${value} as ${at}v`)} from ${table} where ${where} offset 0`;
    const types = `select *${columns((_, at) => `jsonb_typeof(${at}v) as ${at}t`)} from (${values}) taken offset 0`;
    return `(select *${columns((_, at) => `case when ${at}t = 'number' then ${at}v::numeric end as ${at}n`)} from (${types}) typed offset 0)`;
  }

  private measure(path: Path): { readonly number: string; readonly type: string } {
    const key = JSON.stringify(path);
    if (!this.measures.has(key)) this.measures.set(key, this.value(path));
    const at = `m${[...this.measures.keys()].indexOf(key)}`;
    return { number: `${at}n`, type: `${at}t` };
  }

  /** A column to group by. */
  raw(key: SimpleKey, isPart: boolean): string {
    const instant = this.source.series?.instant as string;
    switch (key.kind) {
      case 'path':
        return this.path(key.path, isPart);
      case 'span':
        return this.span(key, instant);
      case 'months':
        return key.zone === undefined && key.months === 1 ? monthOf(instant) : monthsFrom(this.local(instant, key.zone), key.months);
      case 'text':
        return `to_char(${this.local(instant, key.zone)}, ${this.statement.bind(textFormat(key.format))})`;
      case 'calendar':
        return calendarPart(this.local(instant, key.zone), key.part);
    }
  }

  /** Days and weeks of a zone are those of its clocks, as if these showed UTC. */
  private span({ milliseconds, origin, zone }: SimpleKey & { readonly kind: 'span' }, instant: string): string {
    const [length, start] = [this.statement.bind(`${milliseconds} ms`), this.statement.bind(new Date(origin).toISOString())];
    if (zone === undefined) return `date_bin(${length}::interval, ${instant}, ${start}::timestamptz)`;
    return `(date_bin(${length}::interval, ${this.local(instant, zone)}, ${start}::timestamp) at time zone 'UTC')`;
  }

  private local(instant: string, zone: TimeZone | undefined): string {
    if (zone === undefined) return utc(instant);
    this.unfit.add(isUntold(instant));
    return clocks(this.statement, instant, zone);
  }

  field(field: GroupField): string {
    const { accumulator, of } = field;
    if (typeof of === 'number') return `count(*) * ${this.statement.bind(of)}::float8`;
    if (accumulator === '$first' || accumulator === '$last') return this.end(accumulator, of);
    if (this.isInstant(of) && (accumulator === '$min' || accumulator === '$max')) return iso(`${accumulator.slice(1)}(${this.source.series?.instant})`);
    const { number, type } = this.measure(of);
    switch (accumulator) {
      case '$sum':
        return `coalesce(sum(${number})::float8, 0)`;
      case '$avg':
        return `(sum(${number})::float8 / nullif(count(${number}), 0))`;
      case '$stdDevPop':
        return `stddev_pop(${number}::float8)`;
      case '$stdDevSamp':
        return `stddev_samp(${number}::float8)`;
      case '$percentile':
        return `coalesce(to_jsonb(percentile_disc(${this.statement.bind(field.shares)}::float8[]) within group (order by ${number})), ${this.statement.bind(JSON.stringify(field.shares.map(() => null)))}::jsonb)`;
      case '$min':
      case '$max':
        this.unfit.add(`${type} not in ('number', 'null')`);
        this.refuseArrays(of.slice(0, -1));
        return `${accumulator.slice(1)}(${number})`;
    }
  }

  /** The value beside the least or greatest instant: a list is compared by its first element, then the next. */
  private end(accumulator: '$first' | '$last', of: Path): string {
    const extreme = accumulator === '$first' ? 'min' : 'max';
    const { instant, item } = this.source.series as { instant: string; item: string };
    if (this.isInstant(of)) return iso(`${extreme}(${instant})`);
    this.refuseArrays(of);
    return `((${extreme}(array[${iso(instant)}, ${item}, (${this.value(of)})::text] collate "C"))[3])::jsonb`;
  }

  private path(path: Path, isPart: boolean): string {
    if (this.isInstant(path)) return `to_jsonb(${iso(this.source.series?.instant as string)})`;
    if (this.source.series && path.join('.') === '_tsMetadata._telItemId') return this.source.series.item;
    this.refuseArrays(path);
    const value = this.value(path);
    // As a part of a key a missing field leaves its name out; alone it counts as null.
    if (isPart) this.unfit.add(`${value} is null`);
    return `coalesce(${value}, 'null'::jsonb)`;
  }

  private value(path: Path): string {
    if (path.length === 1) return `(doc -> ${this.statement.bind(path[0])}::text)`;
    return `(doc #> ${this.statement.bind(path)}::text[])`;
  }

  private refuseArrays(path: Path): void {
    for (let length = 1; length <= path.length; length++) {
      this.unfit.add(`jsonb_typeof(doc #> ${this.statement.bind(path.slice(0, length))}::text[]) = 'array'`);
    }
  }

  private isInstant(path: Path): boolean {
    return this.source.series !== undefined && path.length === 1 && path[0] === '_ts';
  }
}
