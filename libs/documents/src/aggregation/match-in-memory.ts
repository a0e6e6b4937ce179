import type { Condition, Scalar, Test } from '../filter/ast';
import type { CompareTest, InTest } from '../filter/comparison';
import type { JsonType, ModTest } from '../filter/value-tests';
import { parseTimestamp } from '../timestamp';
import { orderOf } from './order';
import { isFields, pathValues } from './path-values';

/** `each` has the elements of arrays beside the arrays. */
interface Seen {
  readonly each: readonly unknown[];
  readonly whole: readonly unknown[];
}

/** Whether what is in memory meets a condition, as MongoDB means it: mingo means many things otherwise (test/generators.ts has a list). */
export function meets(document: Readonly<Record<string, unknown>>, condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.of.every((inner) => meets(document, inner));
    case 'or':
      return condition.of.some((inner) => meets(document, inner));
    case 'nor':
      return !condition.of.some((inner) => meets(document, inner));
    case 'field':
      return holds({ each: [...pathValues(document, condition.path, true)], whole: [...pathValues(document, condition.path, false)] }, condition.test);
    case 'text':
      throw new Error('Words are for the store to find');
  }
}

function holds(seen: Seen, test: Test): boolean {
  switch (test.kind) {
    case 'not':
      return !holds(seen, test.test);
    case 'allOf':
      return test.of.every((inner) => holds(seen, inner));
    case 'elemMatch':
      return hasElement(seen, (element) => isContainer(element) && meets({ ...element }, test.condition));
    case 'elemMatchValue':
      return hasElement(seen, (element) => holds({ each: [element], whole: [element] }, test.test));
    case 'size':
      return seen.whole.some((value) => Array.isArray(value) && value.length === test.size);
    default:
      return seen.each.some((value) => isMet(value, test));
  }
}

const hasElement = ({ whole }: Seen, is: (element: unknown) => boolean) => whole.some((value) => Array.isArray(value) && value.some(is));
/** An array is a document of its places there. */
const isContainer = (value: unknown): value is object => isFields(value) || Array.isArray(value);

type ValueTest = Exclude<Test, { kind: 'not' | 'allOf' | 'elemMatch' | 'elemMatchValue' | 'size' }>;

function isMet(value: unknown, test: ValueTest): boolean {
  switch (test.kind) {
    case 'equal':
      return equals(value, test.value);
    case 'compare':
      return compares(value, test);
    case 'in':
      return isIn(value, test);
    case 'exists':
      return value !== undefined;
    case 'type':
      return test.types.some((type) => TYPES[type](value));
    case 'mod':
      return hasRemainder(value, test);
    case 'regex':
      throw new Error('Regular expressions are for the store to match');
  }
}

function equals(value: unknown, operand: Scalar | readonly Scalar[]): boolean {
  if (operand === null) return value === null || value === undefined;
  if (Array.isArray(operand)) return Array.isArray(value) && value.length === operand.length && value.every((element, place) => element === operand[place]);
  return value instanceof Date ? value.getTime() === instantOf(operand as Scalar)?.getTime() : value === operand;
}

const isIn = (value: unknown, test: InTest) => scalarsIn(test).has(value) || test.arrays.some((array) => equals(value, array));

/** Thousands of scalars, each equal to what `equals` says, found in one step. */
class ScalarSet {
  private readonly values: ReadonlySet<unknown>;
  private instants: ReadonlySet<number> | undefined;

  constructor(private readonly scalars: readonly Scalar[]) {
    this.values = new Set(scalars);
  }

  has(value: unknown): boolean {
    if (!(value instanceof Date)) return this.values.has(value ?? null);
    this.instants ??= new Set(this.scalars.flatMap((scalar) => instantOf(scalar)?.getTime() ?? []));
    return this.instants.has(value.getTime());
  }
}

const scalarSets = new WeakMap<InTest, ScalarSet>();

function scalarsIn(test: InTest): ScalarSet {
  const known = scalarSets.get(test);
  if (known !== undefined) return known;
  const set = new ScalarSet(test.scalars);
  scalarSets.set(test, set);
  return set;
}

/** Types do not mix. */
function compares(value: unknown, { operator, value: operand }: CompareTest): boolean {
  const other = value instanceof Date ? instantOf(operand) : operand;
  if (other === null) return (operator === '$gte' || operator === '$lte') && equals(value, null);
  if (other === undefined || typeof value !== typeof other || isContainer(value) || Number.isNaN(value)) return false;
  return HOLDS[operator](orderOf(value, other));
}

/** ISO text beside a date is one (contract 2.7). */
const instantOf = (operand: Scalar): Date | undefined => parseTimestamp(operand);

const HOLDS: Readonly<Record<CompareTest['operator'], (order: number) => boolean>> = {
  $gt: (order) => order > 0, $gte: (order) => order >= 0, $lt: (order) => order < 0, $lte: (order) => order <= 0,
};

const isInt = (value: unknown) => Number.isInteger(value) && (value as number) >= -(2 ** 31) && (value as number) < 2 ** 31;
const TYPES: Readonly<Record<JsonType, (value: unknown) => boolean>> = {
  number: (value) => typeof value === 'number',
  int: isInt,
  double: (value) => typeof value === 'number' && !isInt(value),
  string: (value) => typeof value === 'string',
  bool: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isFields,
  date: (value) => value instanceof Date,
  never: () => false,
};

/** Cut to a whole number; what does not fit 64 bits has no remainder. */
const hasRemainder = (value: unknown, { divisor, remainder }: ModTest): boolean =>
  typeof value === 'number' && value >= -(2 ** 63) && value < 2 ** 63 && Math.trunc(value) % divisor === remainder;
