import { invalid, limitExceeded } from '@twinyard/conventions';
import { parsePath, refuseBrokenText } from '../filter/path';

/** Operators that may stand in an expression. None of them runs code, and none makes lists out of nothing. */
export const EXPRESSIONS: ReadonlySet<string> = new Set([
  '$literal', '$add', '$subtract', '$multiply', '$divide', '$mod', '$abs', '$ceil', '$floor', '$round', '$trunc', '$sqrt', '$pow', '$exp',
  '$ln', '$log10', '$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$cmp', '$and', '$or', '$not', '$cond', '$ifNull', '$switch', '$size',
  '$arrayElemAt', '$in', '$concatArrays', '$slice', '$isArray', '$concat', '$toLower', '$toUpper', '$substrCP', '$strLenCP', '$toString',
  '$toDouble', '$toInt', '$toDate', '$type', '$isNumber', '$dateTrunc', '$dateToString', '$dateAdd', '$dateSubtract', '$dateDiff', '$year', '$month',
  '$dayOfMonth', '$dayOfWeek', '$dayOfYear', '$week', '$isoWeek', '$isoWeekYear', '$isoDayOfWeek', '$hour', '$minute', '$second',
  '$millisecond', '$sum', '$avg', '$min', '$max', '$first', '$last', '$stdDevPop', '$stdDevSamp',
]);

export const ACCUMULATORS: ReadonlySet<string> = new Set([
  '$sum', '$avg', '$min', '$max', '$count', '$first', '$last', '$push', '$addToSet', '$stdDevPop', '$stdDevSamp', '$percentile',
]);

export const VARIABLES: ReadonlySet<string> = new Set(['$$ROOT', '$$CURRENT', '$$NOW', '$$REMOVE']);
export const EXPRESSION_LIMITS = { levels: 24, nodes: 5_000 } as const;

/** Counts what a pipeline holds, over all of its stages. */
export class ExpressionChecker {
  private nodes = 0;

  /** Throws unless every operator in it is on the list. */
  expression(value: unknown, level = 1): void {
    this.count(level);
    if (typeof value === 'string') return checkText(value);
    if (Array.isArray(value)) return value.forEach((element) => this.expression(element, level + 1));
    if (typeof value !== 'object' || value === null) return;
    const operator = operatorOf(value);
    if (operator === '$literal') return;
    for (const [key, inner] of Object.entries(value)) {
      if (operator === undefined) parsePath(key, 'pipeline');
      this.expression(inner, level + 1);
    }
  }

  accumulator(value: unknown, field: string): void {
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    const [operator, operand] = entries[0] ?? [];
    if (operator === undefined || entries.length !== 1) throw invalid(`${field}: needs one accumulator`);
    if (!ACCUMULATORS.has(operator)) throw invalid(`The operator ${operator} is not allowed`);
    if (operator === '$percentile') checkPercentile(operand);
    this.expression(operand);
  }

  private count(level: number): void {
    this.nodes += 1;
    if (level > EXPRESSION_LIMITS.levels) throw limitExceeded(`An expression has at most ${EXPRESSION_LIMITS.levels} levels`);
    if (this.nodes > EXPRESSION_LIMITS.nodes) throw limitExceeded(`A pipeline has at most ${EXPRESSION_LIMITS.nodes} values`);
  }
}

function operatorOf(value: object): string | undefined {
  const keys = Object.keys(value);
  const operator = keys.find((key) => key.startsWith('$'));
  if (operator === undefined) return undefined;
  if (!EXPRESSIONS.has(operator)) throw invalid(`The operator ${operator} is not allowed`);
  if (keys.length > 1) throw invalid(`${operator}: an expression has one operator`);
  return operator;
}

/** A text that starts with `$` is a path, with `$$` a variable. */
function checkText(text: string): void {
  refuseBrokenText(text, 'pipeline');
  if (!text.startsWith('$')) return;
  const [variable, ...steps] = text.split('.');
  if (!text.startsWith('$$')) parsePath(text.slice(1), 'pipeline');
  else if (!VARIABLES.has(variable as string)) throw invalid(`The variable ${variable} is not allowed`);
  else if (steps.length > 0) parsePath(steps.join('.'), 'pipeline');
}

function checkPercentile(operand: unknown): void {
  const { p, input } = (operand ?? {}) as { p?: unknown; input?: unknown };
  const isShare = (share: unknown) => typeof share === 'number' && share >= 0 && share <= 1;
  if (input === undefined || !Array.isArray(p) || p.length === 0 || !p.every(isShare)) {
    throw invalid('$percentile needs { input, p: [numbers from 0 to 1], method }');
  }
}
