import type { GroupField, GroupKey, GroupPlan } from '../aggregation/group-plan';
import type { JsonObject } from '../document';
import type { Path } from '../filter/ast';
import type { Statement } from './statement';

export interface GroupSource {
  readonly table: string;
  readonly where: string;
  /** Columns of the order in which groups come: that of their first document. */
  readonly order: readonly string[];
  /** Column of the instant, where there is one. */
  readonly instant?: string;
}

export interface GroupRow {
  readonly key: unknown;
  readonly results: readonly unknown[];
  /** The values are not of the kind that SQL treats as MongoDB does (arrays on the way, minima of mixed types). */
  readonly unfit: boolean;
}

/** Dates leave the store as ISO text in UTC with milliseconds. */
const iso = (instant: string) => `to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export function compileGroup(statement: Statement, plan: GroupPlan, source: GroupSource, limit: number): string {
  const compiler = new GroupCompiler(statement, source);
  const key = compiler.key(plan.key);
  const results = plan.fields.map((field) => compiler.field(field));
  const unfit = compiler.unfit.length === 0 ? 'false' : `coalesce(bool_or(${compiler.unfit.join(' or ')}), false)`;
  return `select key, jsonb_build_array(${results.join(', ')}) as results, ${unfit} as unfit
    from (select *, ${key} as key from ${source.table} where ${source.where}) grouped
    group by key order by ${source.order.map((column) => `min(${column})`).join(', ')} limit ${limit}`;
}

export function toGroups(plan: GroupPlan, rows: readonly GroupRow[]): JsonObject[] {
  return rows.map((row) => ({ _id: row.key, ...Object.fromEntries(plan.fields.map((field, index) => [field.name, row.results[index]])) }));
}

class GroupCompiler {
  readonly unfit: string[] = [];

  constructor(private readonly statement: Statement, private readonly source: GroupSource) {}

  key(key: GroupKey, isPart = false): string {
    switch (key.kind) {
      case 'none':
        return `'null'::jsonb`;
      case 'path': {
        const value = this.value(key.path, true);
        // As a part of a key a missing field leaves its name out; alone it counts as null.
        if (isPart) this.unfit.push(`${value} is null`);
        return `coalesce(${value}, 'null'::jsonb)`;
      }
      case 'span':
        return `to_jsonb(${iso(this.span(key))})`;
      case 'parts':
        return `jsonb_build_object(${key.parts.map(([name, inner]) => `${this.statement.bind(name)}::text, ${this.key(inner, true)}`).join(', ')})`;
    }
  }

  field({ accumulator, of }: GroupField): string {
    if (typeof of === 'number') return `count(*) * ${this.statement.bind(of)}::float8`;
    if (this.isInstant(of) && (accumulator === '$min' || accumulator === '$max')) return iso(`${accumulator.slice(1)}(${this.source.instant})`);
    const value = this.value(of, false);
    const number = `case when jsonb_typeof(${value}) = 'number' then (${value})::float8 end`;
    if (accumulator === '$sum') return `coalesce(sum(${number}), 0)`;
    if (accumulator !== '$avg') this.unfit.push(`jsonb_typeof(${value}) not in ('number', 'null')`);
    if (accumulator !== '$avg') this.refuseArrays(of);
    return `${accumulator.slice(1)}(${number})`;
  }

  /** MongoDB counts spans of several units from the year 2000. */
  private span({ unit, size }: { readonly unit: string; readonly size: number }): string {
    if (unit === 'year' || unit === 'month') return `date_trunc('${unit}', ${this.source.instant}, 'UTC')`;
    return `date_bin(${this.statement.bind(`${size} ${unit}`)}::interval, ${this.source.instant}, '2000-01-01Z'::timestamptz)`;
  }

  private value(path: Path, whole: boolean): string {
    if (whole) this.refuseArrays(path);
    return `(doc #> ${this.statement.bind(path)}::text[])`;
  }

  private refuseArrays(path: Path): void {
    for (let length = 1; length <= path.length; length++) {
      this.unfit.push(`jsonb_typeof(doc #> ${this.statement.bind(path.slice(0, length))}::text[]) = 'array'`);
    }
  }

  private isInstant(path: Path): boolean {
    return this.source.instant !== undefined && path.length === 1 && path[0] === '_ts';
  }
}
