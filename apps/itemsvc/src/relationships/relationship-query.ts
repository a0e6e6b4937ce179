import { invalidField } from '@twinyard/conventions';
import { type JsonObject, parseFilter } from '@twinyard/documents';
import { isObject } from '../storage/filters';
import type { Direction } from './relations.repository';

/** Where a stored relation holds the fields of the wire, seen from either end. */
const PATHS: Readonly<Record<Direction, Readonly<Record<string, string>>>> = {
  outgoing: { _relatedFromId: 'fromId', _relatedToIds: 'toId', _relatedUserItemDbId: 'toItem', _relatedUserItemVersionId: 'toVersion' },
  inverse: { _relatedFromId: 'fromId', _relatedToIds: 'toId', _relatedUserItemDbId: 'fromItem', _relatedUserItemVersionId: 'fromVersion' },
};

/** Fields of the other collection, which relations do not repeat. */
const OTHER_FIELDS: Readonly<Record<string, string>> = {
  _relatedUserItemId: '_userItemId', _relatedUserItemClass: '_itemClass', _relatedUserType: '_userType',
};

/** Ids of this end, of which a filter lets no other relation through than theirs; `undefined`: of any. They are what an index can be asked for. */
export function ownIdsIn(filter: JsonObject, direction: Direction): readonly string[] | undefined {
  const among = Array.isArray(filter['$and']) ? filter['$and'].filter(isObject) : [];
  const operands = [filter, ...among].map((term) => term[direction === 'outgoing' ? '_relatedFromId' : '_relatedToIds']);
  return operands.map(idsNamedBy).find((ids) => ids !== undefined);
}

function idsNamedBy(operand: unknown): readonly string[] | undefined {
  if (!isObject(operand)) return typeof operand === 'string' ? [operand] : undefined;
  const ids = Object.hasOwn(operand, '$eq') ? [operand['$eq']] : operand['$in'];
  return Array.isArray(ids) && ids.every((id) => typeof id === 'string') ? ids : undefined;
}

/** Looks up which collections, or versions, meet a condition; the condition is then one on their ids. */
export interface OtherEnds {
  itemsWhere(condition: JsonObject): Promise<readonly string[]>;
  versionsWhere(condition: JsonObject): Promise<readonly string[]>;
}

/** The caller's filter on relation records as one on stored relations. */
export function toStoredFilter(filter: JsonObject, direction: Direction, others: OtherEnds): Promise<JsonObject> {
  parseFilter(filter); // what is too much is refused before anything is looked up for it
  return translated(filter, direction, others);
}

async function translated(filter: JsonObject, direction: Direction, others: OtherEnds): Promise<JsonObject> {
  const parts: JsonObject[] = [];
  for (const [key, operand] of Object.entries(filter)) parts.push(await translate(key, operand, direction, others));
  return parts.length === 1 ? (parts[0] as JsonObject) : { $and: parts.length === 0 ? [{}] : parts };
}

async function translate(key: string, operand: unknown, direction: Direction, others: OtherEnds): Promise<JsonObject> {
  const otherItem = PATHS[direction]['_relatedUserItemDbId'] as string;
  const otherVersion = PATHS[direction]['_relatedUserItemVersionId'] as string;
  if (['$and', '$or', '$nor'].includes(key) && Array.isArray(operand)) {
    const branches: JsonObject[] = [];
    // One after the other: a filter has a thousand of them, and the store so many connections.
    for (const branch of operand as readonly JsonObject[]) branches.push(await translated(branch, direction, others));
    return { [key]: branches };
  }
  const field = OTHER_FIELDS[key];
  if (field !== undefined) return { [otherItem]: { $in: await others.itemsWhere({ [field]: operand }) } };
  if (key === '_relatedUserItemVersion') return { [otherVersion]: { $in: await others.versionsWhere({ _version: operand }) } };
  if (key === '_isInverse') return saysInverse(operand) === (direction === 'inverse') ? {} : { _id: { $in: [] } };
  return { [PATHS[direction][key] ?? key]: operand };
}

/** Which of the two a condition asks for. */
function saysInverse(operand: unknown): boolean {
  const [[operator, value] = [], ...others] = isObject(operand) ? Object.entries(operand) : [['$eq', operand]];
  if (typeof value !== 'boolean' || others.length > 0 || (operator !== '$eq' && operator !== '$ne')) throw invalidField('query', '_isInverse takes true or false');
  return value === (operator === '$eq');
}
