import { invalidField, isNestedDeeper, MAX_BODY_LEVELS, parseObjectParameter, type QueryValues, refuseBrokenText } from '@twinyard/conventions';

/** What clients keep with a file, as `_userAttributes`; nothing here looks into it. */
export type UserAttributes = object;

const FIELD = '_userAttributes';
/** Of the JSON: each list of files has them. */
const MAX_CHARACTERS = 2_000;

/** What is wrong with attributes; nothing when they are good. */
export function faultOfAttributes(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object';
  return JSON.stringify(value).length > MAX_CHARACTERS ? `must not have more than ${MAX_CHARACTERS} characters as JSON` : undefined;
}

/** A query has them as a text of JSON, which may hold what a body may. */
export function attributesOf(query: QueryValues): UserAttributes | undefined {
  const value = parseObjectParameter(query, FIELD);
  if (isNestedDeeper(value, MAX_BODY_LEVELS)) throw invalidField(FIELD, `is nested deeper than ${MAX_BODY_LEVELS} levels`);
  refuseBrokenText(value, FIELD);
  return value;
}
