import { invalidField } from '@twinyard/conventions';
import type { Condition, Path, Scalar, Test } from '../filter/ast';
import type { CompareTest, EqualTest, InTest } from '../filter/comparison';
import { toMongoRegex } from '../regex/translation';
import { elementOperators } from './element-operators';
import { encodePath } from './field-names';
import { guarded } from './regex-guard';

/** A filter in MongoDB's language, made of our tree alone: nothing of a caller's JSON goes through but names and scalars. */
export type MongoFilter = Readonly<Record<string, unknown>>;

/** Where the values of a path are stored. */
export interface StoredField {
  readonly name: string;
  /** Dates are stored there: ISO text beside it is one. */
  readonly isDate?: boolean;
  /** What a text beside it is stored as, where it is more than the text. A value of another type is never there. */
  readonly wrap?: (text: string) => unknown;
}

/** One test that is neither a list of tests nor a negation. */
export type SingleTest = Exclude<Test, { kind: 'allOf' | 'not' }>;

export type Fields = (path: Path, test: SingleTest) => StoredField;

export interface CompiledFilter {
  readonly filter: MongoFilter;
  /** A regular expression must not hold the store (contract 0.1). */
  readonly usesRegex: boolean;
  readonly usesText: boolean;
}

export interface FilterTarget {
  readonly fields: Fields;
  /** Whether the server has PCRE2 and `$regexMatch`: see `guarded`. */
  readonly guardsRegex: boolean;
}

export function compileFilter(condition: Condition, { fields, guardsRegex }: FilterTarget): CompiledFilter {
  const compiler = new FilterCompiler(guardsRegex);
  return { filter: compiler.condition(condition, fields), usesRegex: compiler.usesRegex, usesText: compiler.usesText };
}

export const NOTHING = Object.freeze({ $in: Object.freeze([]) });

class FilterCompiler {
  usesRegex = false;
  usesText = false;

  constructor(private readonly guardsRegex: boolean) {}

  condition(condition: Condition, fields: Fields): MongoFilter {
    switch (condition.kind) {
      case 'and':
        return allOf(condition.of.map((inner) => this.condition(inner, fields)));
      case 'or':
      case 'nor':
        return { [`$${condition.kind}`]: condition.of.map((inner) => this.condition(inner, fields)) };
      case 'field':
        return this.guardedField((test) => fields(condition.path, test), condition.test, fields !== RELATIVE);
      case 'text':
        this.usesText = true;
        return { $text: { $search: condition.search } };
    }
  }

  /** `$elemMatch` takes no `$expr`; the field that has it is guarded for all that is inside. */
  private guardedField(fieldOf: (test: SingleTest) => StoredField, test: Test, isOutermost: boolean): MongoFilter {
    const filter = this.field(fieldOf, test);
    return this.guardsRegex && isOutermost ? guarded(filter, fieldOf(ANY_REGEX).name, test) : filter;
  }

  private field(fieldOf: (test: SingleTest) => StoredField, test: Test): MongoFilter {
    if (test.kind === 'allOf') return allOf(test.of.map((inner) => this.field(fieldOf, inner)));
    if (test.kind === 'not') return this.negation(fieldOf, test.test);
    // Each exact array by itself: not every server looks for one in `$in`.
    if (test.kind === 'in' && test.arrays.length > 0 && test.scalars.length + test.arrays.length > 1) return { $or: split(test).map((inner) => this.field(fieldOf, inner)) };
    const field = fieldOf(test);
    return { [field.name]: this.operator(field, test) };
  }

  /** Plain negations by their own operators, which indexes know. */
  private negation(fieldOf: (test: SingleTest) => StoredField, test: Test): MongoFilter {
    if (test.kind === 'exists') return { [fieldOf(test).name]: { $exists: false } };
    if (test.kind !== 'equal' && (test.kind !== 'in' || test.arrays.length > 0)) return { $nor: [this.field(fieldOf, test)] };
    const field = fieldOf(test);
    return { [field.name]: { $nin: this.values(field, operandsOf(test)) } };
  }

  private operator(field: StoredField, test: SingleTest): MongoFilter {
    switch (test.kind) {
      case 'equal':
      case 'in':
        return this.list(field, operandsOf(test));
      case 'compare':
        return test.value === null ? compareWithNull(test.operator) : { [test.operator]: this.values(field, [test.value])[0] };
      case 'exists':
        return { $exists: true };
      case 'type':
        return typeOperator(field, test.types);
      case 'regex':
        this.usesRegex = true;
        return { $regex: bounded(toMongoRegex(test)) };
      case 'size':
        return { $size: test.size };
      case 'mod':
        return { $mod: [test.divisor, test.remainder] };
      case 'elemMatch':
        return { $elemMatch: this.condition(test.condition, RELATIVE) };
      case 'elemMatchValue':
        return { $elemMatch: elementOperators(test.test, (inner) => this.operator(VALUE, inner)) };
    }
  }

  private list(field: StoredField, operands: readonly Operand[]): MongoFilter {
    const values = this.values(field, operands);
    return values.length === 1 && !field.wrap ? { $eq: values[0] } : { $in: values };
  }

  private values({ isDate, wrap }: StoredField, operands: readonly Operand[]): unknown[] {
    if (wrap) return operands.filter((value) => typeof value === 'string').map(wrap);
    return isDate ? operands.map((value) => (typeof value === 'string' ? new Date(value) : value)) : [...operands];
  }
}

/** MongoDB's `RegexMatchExpression::kMaxPatternSize`. A short class may become a long one, since case is folded in it. */
const MOST_REGEX_BYTES = 32_764;

function bounded(pattern: string): string {
  if (Buffer.byteLength(pattern) > MOST_REGEX_BYTES) throw invalidField('query', `$regex: a pattern of more than ${MOST_REGEX_BYTES} bytes, as this store writes it, is not supported here`);
  return pattern;
}

/** Nothing is more or less than null; what equals it is null or missing. */
const compareWithNull = (operator: CompareTest['operator']): MongoFilter => (operator === '$gte' || operator === '$lte' ? { $eq: null } : NOTHING);

const split = ({ scalars, arrays }: InTest): readonly SingleTest[] => [
  ...(scalars.length > 0 ? [{ kind: 'in', scalars, arrays: [] } as const] : []), ...arrays.map((value) => ({ kind: 'equal', value }) as const),
];

type Operand = Scalar | readonly Scalar[];
const operandsOf = (test: EqualTest | InTest): readonly Operand[] =>
  test.kind === 'equal' ? [test.value] : [...test.scalars, ...test.arrays];

const ANY_REGEX: SingleTest = { kind: 'regex', source: '', flags: '' };

const VALUE: StoredField = { name: '' };

/** Inside an element of an array all names are the element's own. */
const RELATIVE: Fields = (path) => ({ name: encodePath(path) });

function typeOperator({ isDate }: StoredField, types: Extract<Test, { kind: 'type' }>['types']): MongoFilter {
  // A filter on dates has been made one on ISO texts (`withDates`).
  const stored = types.filter((type) => type !== 'never').map((type) => (isDate && type === 'string' ? 'date' : type));
  return stored.length === 0 ? NOTHING : { $type: stored };
}

function allOf(filters: readonly MongoFilter[]): MongoFilter {
  const wanted = filters.filter((filter) => Object.keys(filter).length > 0);
  return wanted.length > 1 ? { $and: wanted } : (wanted[0] ?? {});
}
