import type { JsonObject } from '@twinyard/documents';
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

/** The caller's filter on relation records as one on stored relations. Its operators are checked by the store's own parser. */
export async function toStoredFilter(filter: JsonObject, direction: Direction, others: OtherEnds): Promise<JsonObject> {
  const parts: JsonObject[] = [];
  for (const [key, operand] of Object.entries(filter)) parts.push(await translate(key, operand, direction, others));
  return parts.length === 1 ? (parts[0] as JsonObject) : { $and: parts.length === 0 ? [{}] : parts };
}

async function translate(key: string, operand: unknown, direction: Direction, others: OtherEnds): Promise<JsonObject> {
  const otherItem = PATHS[direction]['_relatedUserItemDbId'] as string;
  const otherVersion = PATHS[direction]['_relatedUserItemVersionId'] as string;
  if (['$and', '$or', '$nor'].includes(key) && Array.isArray(operand)) {
    const branches = operand.map((branch: unknown) => (isObject(branch) ? toStoredFilter(branch, direction, others) : Promise.resolve(branch as JsonObject)));
    return { [key]: await Promise.all(branches) };
  }
  const field = OTHER_FIELDS[key];
  if (field !== undefined) return { [otherItem]: { $in: await others.itemsWhere({ [field]: operand }) } };
  if (key === '_relatedUserItemVersion') return { [otherVersion]: { $in: await others.versionsWhere({ _version: operand }) } };
  if (key === '_isInverse') return operand === (direction === 'inverse') ? {} : { _id: { $in: [] } };
  return { [PATHS[direction][key] ?? key]: operand };
}
