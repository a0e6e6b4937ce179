import { BINARY, INTEGER, REAL } from 'web-ifc';
import type { IfcScalar, IfcScalarType } from './ifc-model';
import { type IfcFile, toToken } from './ifc-file';

export interface ScalarValue {
  readonly val: IfcScalar;
  readonly type: IfcScalarType;
  /** `IFCLENGTHMEASURE`: decides the unit. */
  readonly measure?: string;
}

const NOTHING: ScalarValue = { val: null, type: 'null' };

/** One value of the file (an IfcValue, or an attribute of a plain type) as JSON can hold it. */
export function toScalar(file: IfcFile, raw: unknown): ScalarValue {
  const token = toToken(raw);
  if (!token) return isScalar(raw) ? { val: raw, type: kindOf(raw) } : NOTHING;
  if (token.name === 'IFCLOGICAL') return { val: typeof token.value === 'boolean' ? token.value : null, type: 'logical' };
  const measure = token.name !== undefined && { measure: token.name };
  if (typeof token.value === 'number') return { ...toNumber(token.value, token.type, raw), ...measure };
  if (typeof token.value === 'string') return { val: text(file, token.value, token.type), type: 'string', ...measure };
  if (typeof token.value === 'boolean') return { val: token.value, type: 'boolean' };
  return Array.isArray(token.value) ? { val: JSON.stringify(token.value), type: 'string', ...measure } : NOTHING;
}

/** An integer that a double does not hold is kept as the file writes it (it comes as a text); JSON has no infinity. */
function toNumber(value: number, token: number, raw: unknown): ScalarValue {
  const written = (raw as { readonly _internalValue?: unknown })._internalValue;
  if (typeof written === 'string' && INTEGER_TEXT.test(written) && !Number.isSafeInteger(value)) return { val: written, type: 'integer' };
  if (Number.isFinite(value)) return { val: value, type: token === INTEGER ? 'integer' : 'number' };
  return { val: String(written), type: token === REAL ? 'string' : 'null' };
}

const INTEGER_TEXT = /^-?\d+$/;

const text = (file: IfcFile, value: string, token: number) => (token === BINARY ? value : file.decode(value));

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'boolean'].includes(typeof value) || (typeof value === 'number' && Number.isFinite(value));

function kindOf(value: string | number | boolean): IfcScalarType {
  if (typeof value !== 'number') return typeof value as 'string' | 'boolean';
  return Number.isInteger(value) ? 'integer' : 'number';
}
