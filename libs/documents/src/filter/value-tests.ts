import { invalid } from '@twinyard/conventions';

export interface ExistsTest {
  readonly kind: 'exists';
}

export type JsonType = 'number' | 'int' | 'double' | 'string' | 'object' | 'array' | 'bool' | 'null' | 'date' | 'never';

export interface TypeTest {
  readonly kind: 'type';
  readonly types: readonly JsonType[];
}

export interface RegexTest {
  readonly kind: 'regex';
  /** RE2 syntax, checked. */
  readonly source: string;
  /** Of `i`, `m`, `s`. */
  readonly flags: string;
}

export interface SizeTest {
  readonly kind: 'size';
  readonly size: number;
}

export interface ModTest {
  readonly kind: 'mod';
  readonly divisor: number;
  readonly remainder: number;
}

/** BSON's names and numbers; JSON holds only some of the types, the others match nothing. */
export const TYPE_NAMES: ReadonlyMap<unknown, JsonType> = new Map<unknown, JsonType>([
  ['number', 'number'], ['int', 'int'], [16, 'int'], ['double', 'double'], [1, 'double'], ['string', 'string'], [2, 'string'],
  ['object', 'object'], [3, 'object'], ['array', 'array'], [4, 'array'], ['bool', 'bool'], [8, 'bool'], ['null', 'null'], [10, 'null'],
  ['date', 'date'], [9, 'date'],
  ...[5, 6, 7, 11, 12, 13, 14, 15, 17, 18, 19, -1, 127].map((code): [number, JsonType] => [code, 'never']),
  ...['binData', 'undefined', 'objectId', 'regex', 'dbPointer', 'javascript', 'symbol', 'javascriptWithScope', 'timestamp', 'long',
    'decimal', 'minKey', 'maxKey'].map((name): [string, JsonType] => [name, 'never']),
]);

/** MongoDB reads the operand of `$exists` as a truth value. */
export const isTruthy = (value: unknown) => value !== false && value !== 0 && value !== null && value !== undefined;

export function parseType(operand: unknown, path: string): TypeTest {
  const names: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  if (names.length === 0) throw invalid(`${path}: $type needs at least one type`);
  const types = names.map((name) => {
    const type = TYPE_NAMES.get(name);
    if (type === undefined) throw invalid(`${path}: $type does not know ${JSON.stringify(name)}`);
    return type;
  });
  return Object.freeze({ kind: 'type', types: Object.freeze([...new Set(types)]) });
}

export function parseSize(operand: unknown, path: string): SizeTest {
  if (!Number.isSafeInteger(operand) || (operand as number) < 0) throw invalid(`${path}: $size needs a whole number, 0 or more`);
  return Object.freeze({ kind: 'size', size: operand as number });
}

/** Divisor and remainder are cut to whole numbers, as MongoDB does. */
export function parseMod(operand: unknown, path: string): ModTest {
  const numbers: readonly unknown[] = Array.isArray(operand) ? operand : [];
  if (numbers.length !== 2 || !numbers.every((number) => Number.isSafeInteger(Math.trunc(number as number)) && typeof number === 'number')) {
    throw invalid(`${path}: $mod needs [divisor, remainder]`);
  }
  const [divisor, remainder] = numbers.map((number) => Math.trunc(number as number)) as [number, number];
  if (divisor === 0) throw invalid(`${path}: $mod cannot divide by 0`);
  return Object.freeze({ kind: 'mod', divisor, remainder });
}
