import type { SimpleKey } from '../aggregation/group-key';
import type { GroupField, GroupPlan } from '../aggregation/group-plan';
import type { GroupSortKey, GroupTail } from '../aggregation/group-tail';
import type { JsonObject } from '../document';
import type { Path } from '../filter/ast';
import { calendarPart, iso, monthsFrom, textFormat } from './instants';
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
  readonly results: readonly unknown[];
  /** The values are not of the kind that SQL treats as MongoDB does (arrays on the way, minima of mixed types). */
  readonly unfit: boolean;
}

export function compileGroup(statement: Statement, plan: GroupPlan, source: GroupSource, tail: GroupTail): string {
  const compiler = new GroupCompiler(statement, source);
  const parts = keyParts(plan);
  const columns = parts.map((part, place) => ({ raw: compiler.raw(part, plan.key.kind === 'parts'), json: jsonOf(part, `k${place}`) }));
  const key = plan.key.kind === 'parts' ? `jsonb_build_object(${plan.key.parts.map(([name], place) => `${statement.bind(name)}::text, ${columns[place]?.json}`).join(', ')})` : (columns[0]?.json ?? `'null'::jsonb`);
  const results = plan.fields.map((field) => compiler.field(field));
  const unfit = compiler.unfit.size === 0 ? 'false' : `coalesce(bool_or(${[...compiler.unfit].join(' or ')}), false)`;
  const order = tail.sort.flatMap((sort) => sortOf(sort, { plan, columns: columns.map(({ json }) => json), results }));
  // Those that do not fit come first: where some do, one of them is in the answer, whatever is cut off.
  const first = compiler.unfit.size === 0 ? [] : ['unfit desc'];
  return `select ${key} as key, jsonb_build_array(${results.join(', ')}) as results, ${unfit} as unfit
    from (select *${columns.map(({ raw }, place) => `, ${raw} as k${place}`).join('')} from ${source.table}${compiler.taken} where ${source.where}) grouped
    ${columns.length > 0 ? `group by ${columns.map((_, place) => `k${place}`).join(', ')}` : 'having count(*) > 0'}
    order by ${[...first, ...order, ...source.order.map((column) => `min(${column})`)].join(', ')} limit ${tail.limit} offset ${tail.skip}`;
}

export function toGroups(plan: GroupPlan, rows: readonly GroupRow[]): JsonObject[] {
  return rows.map((row) => ({ _id: row.key, ...Object.fromEntries(plan.fields.map((field, index) => [field.name, row.results[index]])) }));
}

function keyParts({ key }: GroupPlan): readonly SimpleKey[] {
  if (key.kind === 'none') return [];
  return key.kind === 'parts' ? key.parts.map(([, part]) => part) : [key];
}

/** Dates leave the store as ISO text; made once a group, not once a row. */
const jsonOf = (key: SimpleKey, column: string): string => (key.kind === 'span' || key.kind === 'months' ? `to_jsonb(${iso(column)})` : `coalesce(to_jsonb(${column}), 'null'::jsonb)`);

interface Sortable {
  readonly plan: GroupPlan;
  readonly columns: readonly string[];
  readonly results: readonly string[];
}

function sortOf({ of, direction }: GroupSortKey, { plan, columns, results }: Sortable): string[] {
  const order = direction === 1 ? 'asc' : 'desc';
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
  private readonly measures = new Map<string, { readonly from: string; readonly at: string }>();

  constructor(private readonly statement: Statement, private readonly source: GroupSource) {}

  /** Behind the table: what is computed with, taken out of each document once. `offset 0` keeps the planner from writing it out anew wherever it is named. */
  get taken(): string {
    return [...this.measures.values()].map(({ from }) => from).join('');
  }

  private measure(path: Path): { readonly number: string; readonly type: string } {
    const key = JSON.stringify(path);
    const at = this.measures.get(key)?.at ?? `m${this.measures.size}`;
    if (!this.measures.has(key)) {
      const typed = `select v, jsonb_typeof(v) as t from (select ${this.value(path)} as v offset 0) taken offset 0`;
      this.measures.set(key, { at, from: `, lateral (select t as ${at}t, case when t = 'number' then v::float8 end as ${at}n from (${typed}) typed offset 0) ${at}` });
    }
    return { number: `${at}n`, type: `${at}t` };
  }

  /** A column to group by. */
  raw(key: SimpleKey, isPart: boolean): string {
    const instant = this.source.series?.instant as string;
    switch (key.kind) {
      case 'path':
        return this.path(key.path, isPart);
      case 'span':
        return `date_bin(${this.statement.bind(`${key.milliseconds} ms`)}::interval, ${instant}, ${this.statement.bind(new Date(key.origin).toISOString())}::timestamptz)`;
      case 'months':
        return monthsFrom(instant, key.months);
      case 'text':
        return `to_char(${instant} at time zone 'UTC', ${this.statement.bind(textFormat(key.format))})`;
      case 'calendar':
        return calendarPart(instant, key.part);
    }
  }

  field(field: GroupField): string {
    const { accumulator, of } = field;
    if (typeof of === 'number') return `count(*) * ${this.statement.bind(of)}::float8`;
    if (accumulator === '$first' || accumulator === '$last') return this.end(accumulator, of);
    if (this.isInstant(of) && (accumulator === '$min' || accumulator === '$max')) return iso(`${accumulator.slice(1)}(${this.source.series?.instant})`);
    const { number, type } = this.measure(of);
    switch (accumulator) {
      case '$sum':
        return `coalesce(sum(${number}), 0)`;
      case '$avg':
        return `avg(${number})`;
      case '$stdDevPop':
        return `stddev_pop(${number})`;
      case '$stdDevSamp':
        return `stddev_samp(${number})`;
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
