import { mailboxOf } from '@twinyard/conventions';
import { invalidValue } from '../protocol/scim-error';
import { type Attribute, findAttribute } from './attribute';
import { ENTERPRISE_SCHEMA, ENTERPRISE_SCHEMA_ID, ROOT_ATTRIBUTES } from './user-schema';

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject { readonly [name: string]: Json | undefined }

/** The attributes of a user under their own names, each as its type says; unassigned ones are missing. */
export type UserAttributes = JsonObject;

const MAX_TEXT = 4_096;
const MAX_VALUES = 100;

export const isAddress = (text: string) => mailboxOf(text) !== undefined;
export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A body of POST or PUT: names in any letter case; what is unknown or read-only is left out. */
export function readUser(body: JsonObject): UserAttributes {
  const attributes = readParts(ROOT_ATTRIBUTES, body, '');
  const extension = Object.entries(body).find(([name]) => name.toLowerCase() === ENTERPRISE_SCHEMA_ID.toLowerCase())?.[1];
  const enterprise = isObject(extension) ? readParts(ENTERPRISE_SCHEMA.attributes, extension, '') : {};
  return { ...attributes, ...(Object.keys(enterprise).length > 0 && { [ENTERPRISE_SCHEMA_ID]: enterprise }) };
}

/**
 * A value as the attribute has it, `undefined` when it is unassigned (RFC 7643 section 2.5; an empty text counts as one too).
 * Providers wrap single values in arrays, write booleans as texts, and give a text for what has a `value`.
 */
export function readValue(attribute: Attribute, given: Json | undefined, path = attribute.name): Json | undefined {
  if (given === undefined || given === null || given === '') return undefined;
  if (attribute.multiValued) return readValues(attribute, Array.isArray(given) ? (given as Json[]) : [given], path);
  if (!Array.isArray(given)) return readSingle(attribute, given, path);
  if (given.length > 1) throw invalidValue(`${path}: has one value`);
  return readSingle(attribute, (given as Json[])[0] ?? null, path);
}

function readValues(attribute: Attribute, given: readonly Json[], path: string): Json | undefined {
  if (given.length > MAX_VALUES) throw invalidValue(`${path}: has at most ${MAX_VALUES} values`);
  const values = given.flatMap((value) => readSingle(attribute, value, path) ?? []);
  if (values.filter((value) => isObject(value) && value['primary'] === true).length > 1) throw invalidValue(`${path}: at most one value is primary`);
  return values.length === 0 ? undefined : values;
}

function readSingle(attribute: Attribute, given: Json, path: string): Json | undefined {
  if (given === null || given === '') return undefined;
  if (attribute.type === 'complex') return readComplex(attribute, given, path);
  if (attribute.type === 'boolean') return readBoolean(given, path);
  return readText(given, path);
}

function readComplex({ subAttributes = [] }: Attribute, given: Json, path: string): JsonObject | undefined {
  const parts = typeof given === 'string' && findAttribute(subAttributes, 'value') ? { value: given } : given;
  if (!isObject(parts)) throw invalidValue(`${path}: has parts, such as ${subAttributes[0]?.name}`);
  const read = readParts(subAttributes, parts, `${path}.`);
  if (path === 'emails') return readEmail(read);
  return Object.keys(read).length === 0 ? undefined : read;
}

/** Without its address there is nothing of it. */
function readEmail(read: JsonObject): JsonObject | undefined {
  if (read['value'] === undefined) return undefined;
  if (!isAddress(String(read['value']))) throw invalidValue('emails.value: must be an e-mail address');
  return read;
}

function readParts(attributes: readonly Attribute[], given: JsonObject, prefix: string): JsonObject {
  const entries = Object.entries(given).flatMap(([name, value]) => {
    const attribute = findAttribute(attributes, name);
    if (attribute === undefined || attribute.mutability === 'readOnly') return [];
    const read = readValue(attribute, value, prefix + attribute.name);
    return read === undefined ? [] : [[attribute.name, read] as const];
  });
  return Object.fromEntries(entries);
}

function readBoolean(given: Json, path: string): boolean {
  if (typeof given === 'boolean') return given;
  const folded = typeof given === 'string' ? given.toLowerCase() : undefined;
  if (folded !== 'true' && folded !== 'false') throw invalidValue(`${path}: must be true or false`);
  return folded === 'true';
}

function readText(given: Json, path: string): string | undefined {
  const value = isObject(given) ? given['value'] : given;
  if (value === undefined || typeof value === 'object') throw invalidValue(`${path}: must be a text`);
  const text = String(value);
  if (text.length > MAX_TEXT) throw invalidValue(`${path}: has at most ${MAX_TEXT} characters`);
  return text === '' ? undefined : text;
}
