import { isPlainObject } from '../filter/parser';
import type { Stage } from './parse-pipeline';

type IsDate = (path: string) => boolean;

const MAKES_DATES: ReadonlySet<string> = new Set(['$dateTrunc', '$dateAdd', '$dateSubtract', '$toDate']);
/** What they give is one of what they are given. */
const PASSES_ON: ReadonlySet<string> = new Set(['$min', '$max', '$first', '$last', '$ifNull']);

/** Whether an expression gives dates, as far as it can be told from its form. */
export function givesDates(expression: unknown, isDate: IsDate): boolean {
  if (typeof expression === 'string') return expression === '$$NOW' || (expression.startsWith('$') && isDate(expression.slice(1)));
  if (!isPlainObject(expression)) return false;
  const [operator = '', operand] = Object.entries(expression)[0] ?? [];
  if (PASSES_ON.has(operator)) return [operand].flat().some((inner) => givesDates(inner, isDate));
  return MAKES_DATES.has(operator);
}

/** Where dates stand behind a stage: a `$match` there compares ISO text with them (contract 2.7). */
export function datePathsBehind({ name, operand }: Stage, isDate: IsDate): IsDate {
  switch (name) {
    case '$group':
      return among(datesIn(operand, isDate));
    case '$bucket':
    case '$bucketAuto':
      return among(datesInBuckets(name, operand, isDate));
    case '$project':
      return among(datesIn(operand, isDate), (path) => isDate(path) && isKept(operand, path));
    case '$addFields':
    case '$set':
      return among(datesIn(operand, isDate), (path) => isDate(path) && !isNamed(operand, path));
    default:
      return isDate;
  }
}

const among = (paths: readonly string[], others: IsDate = () => false): IsDate => (path) => paths.includes(path) || others(path);

/** Paths under which an object of expressions gives dates; the key of a group may have parts. */
function datesIn(operand: unknown, isDate: IsDate, prefix = ''): string[] {
  if (!isPlainObject(operand)) return [];
  return Object.entries(operand).flatMap(([name, expression]) => {
    if (givesDates(expression, isDate)) return [prefix + name];
    const hasParts = isPlainObject(expression) && !Object.keys(expression)[0]?.startsWith('$');
    return hasParts ? datesIn(expression, isDate, `${prefix}${name}.`) : [];
  });
}

/** `_id` is a boundary, or the least and the greatest value. */
function datesInBuckets(name: string, operand: unknown, isDate: IsDate): string[] {
  const { groupBy, output } = operand as { readonly groupBy: unknown; readonly output?: unknown };
  const keys = name === '$bucket' ? ['_id'] : ['_id.min', '_id.max'];
  return [...datesIn(output, isDate), ...(givesDates(groupBy, isDate) ? keys : [])];
}

const isNamed = (operand: unknown, path: string): boolean => isPlainObject(operand) && Object.hasOwn(operand, path);

/** A projection either says what stays or what goes; what it computes is not what was there. */
function isKept(operand: unknown, path: string): boolean {
  if (!isPlainObject(operand)) return false;
  if (Object.hasOwn(operand, path)) return operand[path] === 1 || operand[path] === true;
  return path === '_id' || !Object.entries(operand).some(([name, value]) => name !== '_id' && value !== 0 && value !== false);
}
