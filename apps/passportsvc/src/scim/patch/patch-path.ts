import { parseValueFilter } from '../filter/filter-parser';
import type { ValueFilter } from '../filter/filter';
import { invalidPath, ScimError } from '../protocol/scim-error';
import { type Attribute, findAttribute } from '../schema/attribute';
import { ENTERPRISE_SCHEMA_ID, findTarget, USER_SCHEMA_ID } from '../schema/user-schema';

/** What an operation of PATCH is about. */
export interface PatchTarget {
  readonly extension?: string;
  readonly attribute: Attribute;
  readonly filter?: ValueFilter;
  readonly sub?: Attribute;
}

const PATH = /^([^[\]]+)(?:\[([\s\S]+)\](?:\.([\w$-]+))?)?$/;

/** `name.givenName`, `emails[type eq "work"].value`, `urn:…:User:department`; `undefined` when there is no such attribute. */
export function findPatchTarget(path: string): PatchTarget | undefined {
  const [, name = '', brackets, subName] = PATH.exec(path) ?? [];
  const target = findTarget(name.trim());
  if (target === undefined || brackets === undefined) return target;
  const { attribute } = target;
  if (!attribute.multiValued || target.sub !== undefined) throw invalidPath(`path: ${attribute.name} has no values to choose from`);
  const chosen = { ...target, filter: filterIn(brackets, attribute) };
  if (subName === undefined) return chosen;
  const sub = findAttribute(attribute.subAttributes, subName);
  return sub && { ...chosen, sub };
}

/** Of an extension, known or not: what it has that nobody here knows is left out, as it is in a value (contract 1.6). */
export const isInExtension = (path: string) => /^urn:/i.test(path) && !path.toLowerCase().startsWith(`${USER_SCHEMA_ID.toLowerCase()}:`);

export const isExtension = (path: string) => path.toLowerCase() === ENTERPRISE_SCHEMA_ID.toLowerCase();

function filterIn(brackets: string, attribute: Attribute): ValueFilter {
  try {
    return parseValueFilter(brackets, attribute);
  } catch (error) {
    throw error instanceof ScimError ? invalidPath(`path: ${error.message}`) : error;
  }
}
