import { invalid } from '@twinyard/conventions';
import type { Scalar } from './ast';

/** Equality with a scalar, or with an exact array of scalars. `null` matches a missing field too. */
export interface EqualTest {
  readonly kind: 'equal';
  readonly value: Scalar | readonly Scalar[];
}

export interface CompareTest {
  readonly kind: 'compare';
  readonly operator: '$gt' | '$gte' | '$lt' | '$lte';
  readonly value: Scalar;
}

/** One of the values; arrays among them are exact arrays of scalars. */
export interface InTest {
  readonly kind: 'in';
  readonly scalars: readonly Scalar[];
  readonly arrays: readonly (readonly Scalar[])[];
}

export const isScalar = (value: unknown): value is Scalar =>
  value === null || typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));

export function parseEqual(value: unknown, operator: string, path: string): EqualTest {
  return Object.freeze({ kind: 'equal', value: parseOperand(value, operator, path) });
}

export function parseCompare(operator: CompareTest['operator'], value: unknown, path: string): CompareTest {
  if (!isScalar(value)) throw invalid(`${path}: ${operator} compares with a number, a text, a boolean or null`);
  return Object.freeze({ kind: 'compare', operator, value });
}

export function parseIn(values: readonly unknown[], operator: string, path: string): InTest {
  const operands = values.map((value) => parseOperand(value, operator, path));
  return Object.freeze({
    kind: 'in',
    scalars: Object.freeze(operands.filter(isScalar)),
    arrays: Object.freeze(operands.filter((operand): operand is readonly Scalar[] => Array.isArray(operand))),
  });
}

/** Contract 2.3: whole objects and arrays as operands are refused, except an exact array of scalars. */
function parseOperand(value: unknown, operator: string, path: string): Scalar | readonly Scalar[] {
  if (isScalar(value)) return value;
  if (Array.isArray(value) && value.every(isScalar)) return Object.freeze([...(value as Scalar[])]);
  throw invalid(`${path}: ${operator} cannot compare with an object or with an array of them; compare their fields`);
}
