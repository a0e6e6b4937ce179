import type { JsonObject } from '../src';
import { parsePath } from '../src/filter/path';

/**
 * MongoDB's matching and order, written down in the plainest way, without indexes or SQL: the vote that counts where mingo and sift
 * disagree. What they agree on is the judge of this file too.
 */
const MISSING = Symbol('missing');

type Steps = readonly string[];

/** What a test looks at: `each` has the elements of an array beside the array, `whole` has the array alone. */
interface Seen {
  readonly each: readonly unknown[];
  readonly whole: readonly unknown[];
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isObject = (value: unknown): value is JsonObject => isContainer(value) && !Array.isArray(value);
const at = (holder: object, step: string): unknown => (Object.hasOwn(holder, step) ? (holder as JsonObject)[step] : MISSING);

/** MongoDB looks into one array a step; a number is the place in the array, or a name in its elements. */
function* walk(holder: object, [step = '', ...rest]: Steps, intoLeaf: boolean): Generator<unknown> {
  const value = at(holder, step);
  if (Array.isArray(value)) yield* walkArray(value, rest, intoLeaf);
  else if (rest.length === 0) yield value;
  else if (isContainer(value)) yield* walk(value, rest, intoLeaf);
  else yield MISSING;
}

function* walkArray(array: readonly unknown[], rest: Steps, intoLeaf: boolean): Generator<unknown> {
  if (rest.length === 0) {
    if (intoLeaf) yield* array;
    yield array;
    return;
  }
  for (const [index, element] of array.entries()) {
    if (isObject(element)) yield* walk(element, rest, intoLeaf);
    if (String(index) === rest[0]) yield* walkPlace(element, rest.slice(1), intoLeaf);
  }
}

/** The end of the path in a place of an array is the value itself, and nothing in it. */
function* walkPlace(element: unknown, rest: Steps, intoLeaf: boolean): Generator<unknown> {
  if (rest.length === 0) yield element;
  else if (isContainer(element)) yield* walk(element, rest, intoLeaf);
}

const see = (document: object, path: Steps): Seen => ({ each: [...walk(document, path, true)], whole: [...walk(document, path, false)] });

export type SplitPath = (path: string) => Steps;
const asCallersWrite: SplitPath = (path) => parsePath(path, 'query');

export const matches = (document: object, filter: JsonObject, split: SplitPath = asCallersWrite): boolean => new Matcher(split).matches(document, filter);

const isOperators = (operand: unknown): operand is JsonObject => isObject(operand) && Object.keys(operand).some((key) => key.startsWith('$'));

type Operator = (seen: Seen, operand: unknown) => boolean;

class Matcher {
  constructor(private readonly split: SplitPath) {}

  matches(document: object, filter: JsonObject): boolean {
    return Object.entries(filter).every(([key, operand]) => {
      const of = operand as readonly JsonObject[];
      if (key === '$and') return of.every((inner) => this.matches(document, inner));
      if (key === '$or') return of.some((inner) => this.matches(document, inner));
      if (key === '$nor') return !of.some((inner) => this.matches(document, inner));
      return this.holds(see(document, this.split(key)), operand);
    });
  }

  private holds(seen: Seen, operand: unknown): boolean {
    if (!isOperators(operand)) return some(seen, (value) => equal(value, operand));
    const { $options, ...operators } = operand;
    return Object.entries(operators).every(([operator, value]) =>
      operator === '$regex' ? some(seen, (text) => typeof text === 'string' && toRegExp(value, $options).test(text)) : (this.operators[operator] as Operator)(seen, value));
  }

  private readonly operators: Readonly<Record<string, Operator>> = {
    $eq: (seen, operand) => some(seen, (value) => equal(value, operand)),
    $ne: (seen, operand) => !some(seen, (value) => equal(value, operand)),
    $in: (seen, operand) => (operand as unknown[]).some((one) => some(seen, (value) => equal(value, one))),
    $nin: (seen, operand) => !(operand as unknown[]).some((one) => some(seen, (value) => equal(value, one))),
    $gt: (seen, operand) => some(seen, (value) => isAlike(value, operand) && compare(value, operand) > 0),
    $gte: (seen, operand) => some(seen, (value) => equal(value, operand) || (isAlike(value, operand) && compare(value, operand) > 0)),
    $lt: (seen, operand) => some(seen, (value) => isAlike(value, operand) && compare(value, operand) < 0),
    $lte: (seen, operand) => some(seen, (value) => equal(value, operand) || (isAlike(value, operand) && compare(value, operand) < 0)),
    $exists: (seen, operand) => some(seen, (value) => value !== MISSING) === Boolean(operand),
    $type: (seen, operand) => [operand].flat().some((type) => some(seen, (value) => (TYPES[String(type)] as (value: unknown) => boolean)(value))),
    $size: ({ whole }, operand) => whole.some((value) => Array.isArray(value) && value.length === operand),
    $mod: (seen, operand) => {
      const [divisor, remainder] = (operand as number[]).map(Math.trunc) as [number, number];
      return some(seen, (value) => typeof value === 'number' && Math.abs(value) < 2 ** 63 && Math.trunc(value) % divisor === remainder);
    },
    $not: (seen, operand) => !this.holds(seen, operand),
    $all: (seen, operand) => (operand as unknown[]).length > 0 && (operand as unknown[]).every((one) => this.holds(seen, isOperators(one) ? one : { $eq: one })),
    $elemMatch: ({ whole }, operand) => whole.some((value) => Array.isArray(value) && value.some((element) => this.meets(element, operand as JsonObject))),
  };

  private meets(element: unknown, operand: JsonObject): boolean {
    const keys = Object.keys(operand);
    const isOfValues = keys.length > 0 && keys.every((key) => key.startsWith('$') && !['$and', '$or', '$nor'].includes(key));
    if (isOfValues) return this.holds({ each: [element], whole: [element] }, operand);
    // An array is a document of its places.
    return isContainer(element) && this.matches(element, operand);
  }
}

const some = ({ each }: Seen, test: (value: unknown) => boolean) => each.some(test);

/** PCRE's spelling of a character and of the ends is what MongoDB is sent. */
const toRegExp = (source: unknown, options: unknown = ''): RegExp =>
  new RegExp((source as string).replace(/\\x\{/g, '\\u{').replace(/\\A/g, '^').replace(/\\z/g, '$'), `${options as string}u`);

const isInt = (value: unknown) => Number.isInteger(value) && (value as number) >= -(2 ** 31) && (value as number) < 2 ** 31;
const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  number: (value) => typeof value === 'number',
  int: isInt,
  double: (value) => typeof value === 'number' && !isInt(value),
  string: (value) => typeof value === 'string',
  bool: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isObject,
};

const isAlike = (one: unknown, other: unknown) => typeof one === typeof other && typeof one !== 'object';

function equal(value: unknown, operand: unknown): boolean {
  if (operand === null) return value === null || value === MISSING;
  if (Array.isArray(operand)) return Array.isArray(value) && JSON.stringify(value) === JSON.stringify(operand);
  return value === operand;
}

const RANKS = ['symbol', 'null', 'number', 'string', 'object', 'array', 'boolean'];
const rankOf = (value: unknown): number => {
  if (value === null || value === MISSING) return 1;
  if (Array.isArray(value)) return value.length === 0 ? 0 : 5;
  return RANKS.indexOf(typeof value);
};

/** Texts by code point, which is the order of their bytes. */
function compare(one: unknown, other: unknown): number {
  if (typeof one === 'string' && typeof other === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return typeof one === 'number' || typeof one === 'boolean' ? Number(one) - Number(other) : 0;
}

const compareInOrder = (one: unknown, other: unknown): number => rankOf(one) - rankOf(other) || compare(one, other);

/** The values among which a sort chooses: elements in place of an array, `[]` for an empty one at the end of the path. */
function* sortValues(value: unknown, steps: Steps): Generator<unknown> {
  const [step = '', ...rest] = steps;
  if (Array.isArray(value)) yield* sortValuesOfArray(value, steps);
  else if (steps.length === 0) yield value;
  else if (isObject(value)) yield* sortValues(at(value, step), rest);
  else yield null;
}

function* sortValuesOfArray(array: readonly unknown[], steps: Steps): Generator<unknown> {
  const [step, ...rest] = steps;
  if (step === undefined) return yield* array.length === 0 ? [array] : array;
  const place = /^(0|[1-9]\d*)$/.test(step) ? at(array, step) : MISSING;
  if (place !== MISSING) return yield* sortValues(place, rest);
  if (array.length === 0) yield null;
  for (const element of array) yield* isObject(element) ? sortValues(element, steps) : [null];
}

/** In the order asked for, ties by `_id`. */
export function sorted<T extends { readonly _id: string }>(documents: readonly T[], sort: Readonly<Record<string, unknown>>): T[] {
  const keys = Object.entries(sort).map(([key, direction]) => ({ path: parsePath(key, 'sort'), direction: direction as 1 | -1 }));
  const keyed = documents.map((document) => ({ document, values: keys.map(({ path, direction }) => [...sortValues(document, path)].sort((one, other) => direction * compareInOrder(one, other))[0]) }));
  const order = keyed.sort((one, other) => {
    for (const [index, { direction }] of keys.entries()) {
      const by = direction * compareInOrder(one.values[index], other.values[index]);
      if (by !== 0) return by;
    }
    return Buffer.compare(Buffer.from(one.document._id), Buffer.from(other.document._id));
  });
  return order.map(({ document }) => document);
}
