import type { Path } from '../filter/ast';
import { isPlainObject } from '../filter/parser';
import { isIndex, parsePath } from '../filter/path';
import type { Stage } from './parse-pipeline';

/** A `$group` that a store can do itself: by nothing, by fields, by spans of time; with simple accumulators. */
export interface GroupPlan {
  readonly key: GroupKey;
  readonly fields: readonly GroupField[];
}

export type GroupKey =
  | { readonly kind: 'none' }
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'span'; readonly path: string; readonly unit: SpanUnit; readonly size: number }
  | { readonly kind: 'parts'; readonly parts: readonly (readonly [name: string, key: GroupKey])[] };

export interface GroupField {
  readonly name: string;
  readonly accumulator: '$sum' | '$avg' | '$min' | '$max';
  readonly of: Path | number;
}

const UNITS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;
export type SpanUnit = (typeof UNITS)[number];

/** `undefined`: the stage is left to the pipeline in memory. */
export function planGroup(stage: Stage | undefined, isDate: (path: string) => boolean): GroupPlan | undefined {
  if (stage?.name !== '$group' || !isPlainObject(stage.operand)) return undefined;
  const { _id, ...outputs } = stage.operand;
  const key = planKey(_id, isDate, true);
  const fields = Object.entries(outputs).map(([name, output]) => planField(name, output));
  if (key === undefined || !fields.every((field) => field !== undefined)) return undefined;
  return { key, fields };
}

function planKey(expression: unknown, isDate: (path: string) => boolean, outermost: boolean): GroupKey | undefined {
  if (expression === null) return outermost ? { kind: 'none' } : undefined;
  const path = planPath(expression);
  if (path) return { kind: 'path', path };
  if (!isPlainObject(expression)) return undefined;
  if ('$dateTrunc' in expression) return planSpan(expression['$dateTrunc'], isDate);
  const parts = Object.entries(expression).map(([name, inner]) => [name, name.startsWith('$') ? undefined : planKey(inner, isDate, false)] as const);
  const known = parts.filter((part): part is readonly [string, GroupKey] => part[1] !== undefined);
  return outermost && parts.length > 0 && known.length === parts.length ? { kind: 'parts', parts: known } : undefined;
}

function planSpan(operand: unknown, isDate: (path: string) => boolean): GroupKey | undefined {
  if (!isPlainObject(operand)) return undefined;
  const { date, unit, binSize = 1, ...others } = operand;
  const path = planPath(date)?.join('.');
  const known = UNITS.find((name) => name === unit);
  if (path === undefined || !isDate(path) || !isPlainUtc(others)) return undefined;
  if (known === undefined || !isPlainSize(binSize, known)) return undefined;
  return { kind: 'span', path, unit: known, size: binSize as number };
}

/** No `timezone` but UTC, no `startOfWeek`. */
const isPlainUtc = (others: Readonly<Record<string, unknown>>) =>
  Object.entries(others).every(([name, value]) => name === 'timezone' && value === 'UTC');

/** Months and years have no fixed length: spans of several are left to the pipeline. */
function isPlainSize(size: unknown, unit: SpanUnit): boolean {
  const most = unit === 'year' || unit === 'month' ? 1 : 10_000;
  return Number.isSafeInteger(size) && (size as number) >= 1 && (size as number) <= most;
}

const ACCUMULATORS = ['$sum', '$avg', '$min', '$max'] as const;

function planField(name: string, output: unknown): GroupField | undefined {
  const [accumulator, operand] = isPlainObject(output) ? (Object.entries(output)[0] ?? []) : [];
  if (accumulator === '$count') return { name, accumulator: '$sum', of: 1 };
  const known = ACCUMULATORS.find((one) => one === accumulator);
  if (known === '$sum' && typeof operand === 'number') return { name, accumulator: known, of: operand };
  const path = planPath(operand);
  return path && known && { name, accumulator: known, of: path };
}

/** A field path without numbers: an expression never takes them for indexes, `#>` would. */
function planPath(expression: unknown): Path | undefined {
  if (typeof expression !== 'string' || !/^\$[^$]/.test(expression)) return undefined;
  const path = parsePath(expression.slice(1), 'pipeline');
  return path.some(isIndex) ? undefined : path;
}
