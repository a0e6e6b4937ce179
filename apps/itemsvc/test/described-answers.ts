import type { Json } from './item-service';

/** What an answer holds that its operation does not describe, and what it lacks of that; records with properties of their own are free. */
export function notAsDescribed(document: Json, operation: Json, status: number, body: unknown): string[] {
  const schema = operation['responses'][status]?.content?.['application/json']?.schema as Json | undefined;
  if (schema === undefined) return ['is not described'];
  return faultsOf(document['components'].schemas as Json, schema, body, '$');
}

const FREE = new Set(['RelatedItemDto', 'ReadingDto']);

function faultsOf(schemas: Json, schema: Json, value: unknown, at: string): string[] {
  const { $ref, allOf, anyOf, type } = schema as { $ref?: string; allOf?: Json[]; anyOf?: Json[]; type?: string | string[] };
  if ($ref !== undefined) return faultsOfNamed(schemas, $ref.split('/').at(-1) ?? '', value, at);
  if (allOf !== undefined) return allOf.flatMap((one) => faultsOf(schemas, one, value, at));
  if (anyOf !== undefined) return anyOf.some((one) => faultsOf(schemas, one, value, at).length === 0) ? [] : [`${at} fits none`];
  if (type === undefined) return [];
  return [type].flat().includes(typeOf(value)) ? faultsInside(schemas, schema, value, at) : [`${at} is ${typeOf(value)}, described as ${String(type)}`];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function faultsInside(schemas: Json, schema: Json, value: unknown, at: string): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => faultsOf(schemas, schema['items'] as Json, one, `${at}[]`));
  return typeof value === 'object' && schema['properties'] !== undefined ? faultsOfFields(schemas, schema, value as Json, at) : [];
}

function faultsOfNamed(schemas: Json, name: string, value: unknown, at: string): string[] {
  const schema = schemas[name] as Json;
  return faultsOf(schemas, FREE.has(name) ? { ...schema, additionalProperties: true } : schema, value, at);
}

function faultsOfFields(schemas: Json, { properties, required = [], additionalProperties }: Json, value: Json, at: string): string[] {
  const missing = (required as string[]).filter((name) => value[name] === undefined).map((name) => `${at}.${name} is missing`);
  const faults = Object.entries(value).flatMap(([name, field]) => {
    if (properties[name] !== undefined) return faultsOf(schemas, properties[name] as Json, field, `${at}.${name}`);
    return additionalProperties === true ? [] : [`${at}.${name} is not described`];
  });
  return [...missing, ...faults];
}
