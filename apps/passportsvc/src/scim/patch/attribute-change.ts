import { matchesValue, valueAskedFor } from '../filter/value-matcher';
import { invalidValue, notMutable, noTarget } from '../protocol/scim-error';
import { type Attribute, findAttribute } from '../schema/attribute';
import { isObject, type Json, type JsonObject, readValue } from '../schema/attribute-values';
import type { PatchTarget } from './patch-path';
import type { PatchVerb } from './patch-request';

/** What becomes of one attribute: its new value, `undefined` when it has none any more. */
export function changeAttribute({ attribute, filter, sub }: PatchTarget, current: Json | undefined, verb: PatchVerb, value: Json | undefined): Json | undefined {
  if (verb === 'remove' && attribute.required) throw notMutable(`${attribute.name} cannot be removed`);
  if (!attribute.multiValued) return changeSingle(attribute, sub, current, verb === 'remove' ? null : (value ?? null));
  const before = (current ?? []) as readonly JsonObject[];
  const change = { attribute, verb, value, ...(sub && { sub }) };
  const after = filter === undefined ? changeAll(change, before) : changeChosen(change, before, (one) => matchesValue(filter, one), valueAskedFor(filter));
  return readValue(attribute, withOnePrimary(attribute, before, after));
}

/** A complex attribute keeps the parts that are not named. */
function changeSingle(attribute: Attribute, sub: Attribute | undefined, current: Json | undefined, value: Json): Json | undefined {
  if (attribute.type !== 'complex') return readValue(attribute, value);
  const given = sub === undefined ? partsOf(attribute, value) : { [sub.name]: value };
  if (given === undefined) return undefined;
  const merged = merge(attribute, (current ?? {}) as JsonObject, given);
  return Object.keys(merged).length === 0 ? undefined : merged;
}

interface Change {
  readonly attribute: Attribute;
  readonly sub?: Attribute;
  readonly verb: PatchVerb;
  readonly value: Json | undefined;
}

function changeAll(change: Change, before: readonly JsonObject[]): readonly JsonObject[] {
  const { attribute, sub, verb, value } = change;
  if (sub !== undefined) return before.length === 0 && verb !== 'remove' ? [partOf(change, sub)] : before.flatMap((one) => changed(change, one));
  const given = (readValue(attribute, value) ?? []) as readonly JsonObject[];
  if (verb === 'replace') return given;
  if (verb === 'add') return [...before, ...given.filter((one) => !before.some((other) => isSame(one, other)))];
  return value === undefined ? [] : before.filter((one) => !given.some((gone) => has(one, gone)));
}

/** Entra ID sets `emails[type eq "work"].value` of users who have no such address yet: what the brackets ask for is then made. */
function changeChosen(change: Change, before: readonly JsonObject[], isChosen: (one: JsonObject) => boolean, asked: JsonObject | undefined): readonly JsonObject[] {
  const { attribute, sub, verb } = change;
  if (before.some(isChosen)) return before.flatMap((one) => (isChosen(one) ? changed(change, one) : [one]));
  if (verb === 'remove') return before;
  const canBeMade = asked !== undefined && (sub === undefined ? verb === 'add' : asked[sub.name] === undefined);
  if (!canBeMade) throw noTarget(`path: no value of ${attribute.name} is chosen by it`);
  return [...before, ...changed(change, asked)];
}

function changed(change: Change, one: JsonObject): JsonObject[] {
  const { attribute, sub, verb, value } = change;
  if (sub === undefined && verb === 'remove') return [];
  const given = sub === undefined ? partsOf(attribute, value ?? null) : partOf(change, sub);
  const merged = given === undefined ? {} : merge(attribute, one, given);
  return Object.keys(merged).length === 0 ? [] : [merged];
}

const partOf = ({ verb, value }: Change, sub: Attribute): JsonObject => ({ [sub.name]: verb === 'remove' ? null : (value ?? null) });

/** The parts that a value names, or `undefined` for none at all. */
function partsOf({ name, subAttributes = [] }: Attribute, value: Json): JsonObject | undefined {
  const only = unwrapped(value);
  if (only === null || only === '') return undefined;
  if (isObject(only)) return only;
  if (typeof only === 'string' && findAttribute(subAttributes, 'value') !== undefined) return { value: only };
  throw invalidValue(`${name}: has parts, such as ${subAttributes[0]?.name}`);
}

const unwrapped = (value: Json): Json => (Array.isArray(value) && value.length === 1 ? ((value as readonly Json[])[0] ?? null) : value);

function merge(attribute: Attribute, current: JsonObject, given: JsonObject): JsonObject {
  return Object.entries(given).reduce((parts, [name, value]) => {
    const sub = findAttribute(attribute.subAttributes, name);
    if (sub === undefined || sub.mutability === 'readOnly') return parts;
    const { [sub.name]: _before, ...others } = parts;
    const read = readValue(sub, value, `${attribute.name}.${sub.name}`);
    return read === undefined ? others : { ...others, [sub.name]: read };
  }, current);
}

/** RFC 7644 section 3.5.2: a value that becomes the primary one takes that from the others. */
function withOnePrimary(attribute: Attribute, before: readonly JsonObject[], after: readonly JsonObject[]): readonly JsonObject[] {
  const primaries = after.filter((one) => one['primary'] === true);
  if (primaries.length < 2) return after;
  const fresh = primaries.filter((one) => !before.includes(one));
  if (fresh.length !== 1) throw invalidValue(`${attribute.name}: at most one value is primary`);
  return after.map((one) => (primaries.includes(one) && one !== fresh[0] ? { ...one, primary: false } : one));
}

const has = (one: JsonObject, parts: JsonObject) => Object.entries(parts).every(([name, value]) => one[name] === value);
const isSame = (one: JsonObject, other: JsonObject) => has(one, other) && has(other, one);
