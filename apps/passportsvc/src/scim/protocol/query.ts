import { type QueryValues, textParameter } from '@twinyard/conventions';
import { parseUserFilter } from '../filter/filter-parser';
import { isObject } from '../schema/attribute-values';
import { type AttributeTarget, findTarget } from '../schema/user-schema';
import type { UserListing } from '../users/scim-users.repository';
import { invalidPath, invalidSyntax, invalidValue } from './scim-error';

export const DEFAULT_COUNT = 100;
export const MAX_COUNT = 1_000;
const LAST_INDEX = 2 ** 31;

/** RFC 7644 section 3.4.2, as parameters of a GET. */
export function parseListing(query: QueryValues): UserListing {
  const filter = textParameter(query, 'filter')?.trim();
  const sortBy = textParameter(query, 'sortBy')?.trim();
  return {
    ...(filter && { filter: parseUserFilter(filter) }),
    ...(sortBy && { sortBy: sortTarget(sortBy) }),
    descending: textParameter(query, 'sortOrder')?.toLowerCase() === 'descending',
    offset: Math.min(Math.max(integer(query, 'startIndex', 1), 1), LAST_INDEX) - 1,
    limit: Math.min(Math.max(integer(query, 'count', DEFAULT_COUNT), 0), MAX_COUNT),
  };
}

function sortTarget(name: string): AttributeTarget {
  const target = findTarget(name);
  const leaf = target?.sub ?? target?.attribute;
  const isSortable = target !== undefined && (leaf?.type !== 'complex' || target.attribute.multiValued || leaf.subAttributes?.some((sub) => sub.name === 'value'));
  if (!isSortable) throw invalidPath(`sortBy: users cannot be sorted by ${name}`);
  return target;
}

function integer(query: QueryValues, name: string, fallback: number): number {
  const text = textParameter(query, name)?.trim();
  if (text === undefined || text === '') return fallback;
  if (!/^[+-]?\d{1,15}$/.test(text)) throw invalidValue(`${name}: must be a whole number`);
  return Number(text);
}

/** RFC 7644 section 3.4.3: the same parameters as members of a body, lists as arrays. */
export function searchParameters(body: unknown): QueryValues {
  if (!isObject(body)) throw invalidSyntax('The body must be an object');
  const entries = Object.entries(body).flatMap(([name, value]) => {
    if (value === null || value === undefined) return [];
    return [[name, Array.isArray(value) ? value.map(String) : String(value as string | number | boolean)] as const];
  });
  return Object.fromEntries(entries);
}
