import { atField, invalid, limitExceeded } from '@twinyard/conventions';
import { ParsedFilter, type Condition, type Path, type Test } from './ast';
import { isScalar, parseCompare, parseEqual, parseIn } from './comparison';
import { parsePath, refuseBrokenText } from './path';
import { parseRegex, RegexBudget } from './regex';
import { isTruthy, parseMod, parseSize, parseType } from './value-tests';

/** Contract 2.3. */
export const FILTER_LIMITS = { levels: 8, conditions: 1_000, values: 10_000 } as const;

/** A service's own filters may be as wide as the job needs; what a caller sends may not. */
export interface ParseOptions {
  readonly unlimited?: boolean;
  /** For a filter that is kept and not asked by: all that is wrong with it is told now, so that its patterns may be less complex. */
  readonly atOnce?: boolean;
}

/**
 * Reads a filter of contract 2.3. Throws `invalid` naming the operator that is not allowed, `limit_exceeded` when it is too big. Patterns beyond what takes a moment are
 * looked at by the store that is asked (`provePatterns`), which refuses them as this does.
 */
export function parseFilter(filter: unknown, options: ParseOptions = {}): ParsedFilter {
  return atField('query', () => readFilter(filter, options));
}

/** The same for a filter that is called something else where it stands. */
export const readFilter = (filter: unknown, options: ParseOptions = {}): ParsedFilter => new ParsedFilter(new FilterParser(options).document(filter, 1, true));

/** The filter for one document, as `{ _id }` would be parsed. */
export function idFilter(id: string): ParsedFilter {
  refuseBrokenText(id, 'query');
  return new ParsedFilter(Object.freeze({ kind: 'field', path: ID_PATH, test: Object.freeze({ kind: 'equal', value: id }) }));
}

const ID_PATH: Path = Object.freeze(['_id']);

type Fields = Readonly<Record<string, unknown>>;
type OperatorParser = (operand: unknown, path: Path, level: number, siblings: Fields) => Test;

class FilterParser {
  private conditions = 0;
  private readonly unlimited: boolean;
  private readonly budget: RegexBudget;

  constructor({ unlimited = false, atOnce = false }: ParseOptions) {
    this.unlimited = unlimited;
    this.budget = new RegexBudget(atOnce);
  }

  document(filter: unknown, level: number, textAllowed: boolean): Condition {
    this.enter(level);
    if (!isPlainObject(filter)) throw invalid('A filter must be an object');
    const of = Object.entries(filter).map(([key, operand]) =>
      key.startsWith('$') ? this.logical(key, operand, level, textAllowed) : this.field(key, operand, level),
    );
    return of.length === 1 ? (of[0] as Condition) : Object.freeze({ kind: 'and', of: Object.freeze(of) });
  }

  private logical(operator: string, operand: unknown, level: number, textAllowed: boolean): Condition {
    switch (operator) {
      case '$and':
      case '$or':
      case '$nor':
        return this.branches(operator, operand, level, textAllowed);
      case '$text':
        if (!textAllowed) throw invalid('$text is not allowed inside $elemMatch, $or and $nor');
        return this.text(operand);
      default:
        throw notAllowed(operator);
    }
  }

  private branches(operator: '$and' | '$or' | '$nor', operand: unknown, level: number, textAllowed: boolean): Condition {
    if (!Array.isArray(operand) || operand.length === 0) throw invalid(`${operator} needs an array of at least one filter`);
    const inner = textAllowed && operator === '$and';
    const of = operand.map((filter) => this.document(filter, level + 1, inner));
    return Object.freeze({ kind: operator.slice(1) as 'and' | 'or' | 'nor', of: Object.freeze(of) });
  }

  private text(operand: unknown): Condition {
    this.count(1);
    const search = isPlainObject(operand) ? operand['$search'] : undefined;
    if (typeof search !== 'string') throw invalid('$text needs { "$search": text }');
    for (const key of Object.keys(operand as Fields)) if (key !== '$search') throw notAllowed(key);
    refuseBrokenText(search, '$search');
    return Object.freeze({ kind: 'text', search });
  }

  private field(key: string, operand: unknown, level: number): Condition {
    const path = parsePath(key, 'query');
    return Object.freeze({ kind: 'field', path, test: this.tests(operand, path, level) });
  }

  /** The operand of a field: a value (equality) or an object of operators. */
  private tests(operand: unknown, path: Path, level: number): Test {
    if (!isPlainObject(operand) || !Object.keys(operand).some((key) => key.startsWith('$'))) {
      this.count(1);
      return this.checkValues(parseEqual(operand, '$eq', path.join('.')), path);
    }
    return this.operators(operand, path, level);
  }

  private operators(operand: Fields, path: Path, level: number): Test {
    const of = Object.entries(operand)
      .filter(([operator]) => operator !== '$options')
      .map(([operator, value]) => this.operator(operator, value, path, { level, siblings: operand }));
    if ('$options' in operand && !('$regex' in operand)) throw invalid(`${path.join('.')}: $options needs $regex`);
    return of.length === 1 ? (of[0] as Test) : Object.freeze({ kind: 'allOf', of: Object.freeze(of) });
  }

  private operator(operator: string, operand: unknown, path: Path, at: { level: number; siblings: Fields }): Test {
    const parse = Object.hasOwn(this.table, operator) ? this.table[operator] : undefined;
    if (!parse) throw notAllowed(operator);
    this.count(1);
    return this.checkValues(parse(operand, path, at.level, at.siblings), path);
  }

  private readonly table: Readonly<Record<string, OperatorParser>> = {
    $eq: (operand, path) => parseEqual(operand, '$eq', path.join('.')),
    $ne: (operand, path) => not(parseEqual(operand, '$ne', path.join('.'))),
    $gt: (operand, path) => parseCompare('$gt', operand, path.join('.')),
    $gte: (operand, path) => parseCompare('$gte', operand, path.join('.')),
    $lt: (operand, path) => parseCompare('$lt', operand, path.join('.')),
    $lte: (operand, path) => parseCompare('$lte', operand, path.join('.')),
    $in: (operand, path) => parseIn(this.list(operand, '$in', path), '$in', path.join('.')),
    $nin: (operand, path) => not(parseIn(this.list(operand, '$nin', path), '$nin', path.join('.'))),
    $exists: (operand) => (isTruthy(operand) ? EXISTS : not(EXISTS)),
    $type: (operand, path) => parseType(operand, path.join('.')),
    $size: (operand, path) => parseSize(operand, path.join('.')),
    $mod: (operand, path) => parseMod(operand, path.join('.')),
    $regex: (operand, path, _level, siblings) => parseRegex(operand, siblings['$options'], path.join('.'), this.budget),
    $not: (operand, path, level) => this.negation(operand, path, level),
    $all: (operand, path, level) => this.all(operand, path, level),
    $elemMatch: (operand, path, level) => this.elemMatch(operand, path, level),
  };

  private negation(operand: unknown, path: Path, level: number): Test {
    this.enter(level + 1);
    if (!isPlainObject(operand) || Object.keys(operand).length === 0) throw invalid(`${path.join('.')}: $not needs an object of operators`);
    return not(this.operators(operand, path, level + 1));
  }

  private all(operand: unknown, path: Path, level: number): Test {
    const values = this.list(operand, '$all', path);
    this.count(values.length);
    const of = values.map((value) =>
      isPlainObject(value) && '$elemMatch' in value
        ? this.operators(value, path, level)
        : this.checkValues(parseEqual(value, '$all', path.join('.')), path),
    );
    // MongoDB: an empty $all matches nothing.
    return of.length === 0 ? NEVER : Object.freeze({ kind: 'allOf', of: Object.freeze(of) });
  }

  private elemMatch(operand: unknown, path: Path, level: number): Test {
    if (!isPlainObject(operand)) throw invalid(`${path.join('.')}: $elemMatch needs an object`);
    const keys = Object.keys(operand);
    if (keys.length > 0 && keys.every((key) => key.startsWith('$') && !['$and', '$or', '$nor'].includes(key))) {
      this.enter(level + 1);
      return Object.freeze({ kind: 'elemMatchValue', test: this.operators(operand, path, level + 1) });
    }
    return Object.freeze({ kind: 'elemMatch', condition: this.document(operand, level + 1, false) });
  }

  private list(operand: unknown, operator: string, path: Path): readonly unknown[] {
    if (!Array.isArray(operand)) throw invalid(`${path.join('.')}: ${operator} needs an array`);
    if (!this.unlimited && operand.length > FILTER_LIMITS.values) {
      throw limitExceeded(`${path.join('.')}: ${operator} takes at most ${FILTER_LIMITS.values} values`);
    }
    return operand;
  }

  private checkValues<T extends Test>(test: T, path: Path): T {
    if (test.kind === 'not') this.checkValues(test.test, path);
    if (test.kind === 'in') test.scalars.concat(test.arrays.flat()).forEach(refuseBrokenValue);
    if (test.kind === 'equal' && !isScalar(test.value)) this.list(test.value, '$eq', path);
    if (test.kind === 'equal' || test.kind === 'compare') [test.value].flat().forEach(refuseBrokenValue);
    return test;
  }

  private enter(level: number): void {
    if (!this.unlimited && level > FILTER_LIMITS.levels) throw limitExceeded(`A filter has at most ${FILTER_LIMITS.levels} levels`);
  }

  private count(more: number): void {
    this.conditions += more;
    if (!this.unlimited && this.conditions > FILTER_LIMITS.conditions) {
      throw limitExceeded(`A filter has at most ${FILTER_LIMITS.conditions} conditions`);
    }
  }
}

const EXISTS: Test = Object.freeze({ kind: 'exists' });
const NEVER: Test = Object.freeze({ kind: 'in', scalars: [], arrays: [] });
const not = (test: Test): Test => Object.freeze({ kind: 'not', test });
const notAllowed = (operator: string) => invalid(`The operator ${operator} is not allowed`);
const refuseBrokenValue = (value: unknown) => {
  if (typeof value === 'string') refuseBrokenText(value, 'query');
};

export const isPlainObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
