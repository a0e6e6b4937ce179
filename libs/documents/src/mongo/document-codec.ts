import type { JsonObject } from '../document';
import { decodeName, encodeName } from './field-names';

/**
 * Documents as BSON holds them. They mean what `JSON.stringify` says of them, as their size does: no `undefined`, no `-0`, dates as text.
 * Whole numbers of 32 bits become `int`, all others `double`. Names are in order, so that equal objects are equal to MongoDB too,
 * which minds the order ("Key order of objects is not kept").
 */
export function encodeDocument(document: JsonObject, except?: string): Record<string, unknown> {
  const names = Object.keys(document).filter((name) => name !== except && isJson(document[name])).sort();
  return Object.fromEntries(names.map((name) => [encodeName(name), encodeValue(document[name])]));
}

function encodeValue(value: unknown): unknown {
  if (typeof value === 'number') return encodeNumber(value);
  if (Array.isArray(value)) return value.map((element) => (isJson(element) ? encodeValue(element) : null));
  if (typeof value !== 'object' || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' ? encodeValue(toJSON.call(value)) : encodeDocument(value as JsonObject);
}

function encodeNumber(value: number): number | null {
  if (!Number.isFinite(value)) return null;
  return value === 0 ? 0 : value;
}

const isJson = (value: unknown) => value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';

/** Back to plain JSON; dates (of readings) become ISO text, and the 64-bit whole numbers that sums may be become numbers. */
export function decodeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decodeValue);
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'object' || value === null) return value;
  const { _bsontype: type } = value as { _bsontype?: unknown };
  return type === 'Long' ? Number(value) : decodeDocument(value as JsonObject);
}

export const decodeDocument = (document: JsonObject): Record<string, unknown> =>
  Object.fromEntries(Object.entries(document).map(([name, value]) => [decodeName(name), decodeValue(value)]));
