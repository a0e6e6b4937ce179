import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from './json-schemas';

/**
 * What a released schema may not do: anything but gain optional fields. Readers of today must understand events of tomorrow, and
 * readers of tomorrow the events that are in the log today. Each fault names its path; none: the change is safe.
 */
export function breakingChanges(released: JsonSchema, next: JsonSchema, path = ''): string[] {
  if (!released.properties) return isDeepStrictEqual(meaningOf(released), meaningOf(next)) ? [] : [`${path || 'the schema'}: its meaning changed`];
  if (!next.properties) return [`${path || 'the schema'}: is no object any more`];
  const others = isDeepStrictEqual(keywordsOf(released), keywordsOf(next)) ? [] : [`${path || 'the schema'}: its meaning changed`];
  const names = new Set([...Object.keys(released.properties), ...Object.keys(next.properties)]);
  return [...others, ...[...names].flatMap((name) => fieldChanges(released, next, name, path))];
}

function fieldChanges(released: JsonSchema, next: JsonSchema, name: string, path: string): string[] {
  const at = path ? `${path}.${name}` : name;
  const [before, after] = [released.properties?.[name], next.properties?.[name]];
  if (!after) return [`${at}: was removed`];
  if (!before) return isRequired(next, name) ? [`${at}: is new and required`] : [];
  return [...demandChanges(isRequired(released, name), isRequired(next, name), at), ...breakingChanges(before, after, at)];
}

function demandChanges(before: boolean, after: boolean, at: string): string[] {
  if (before === after) return [];
  return [`${at}: ${after ? 'became required' : 'became optional'}`];
}

const isRequired = (schema: JsonSchema, name: string) => schema.required?.includes(name) ?? false;

const without = (schema: JsonSchema, keywords: readonly string[]) =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));

/** Words for people may change. */
const meaningOf = (schema: JsonSchema) => without(schema, ['title', 'description']);
const keywordsOf = (schema: JsonSchema) => without(schema, ['title', 'description', 'properties', 'required']);
