import { isObject } from '../storage/filters';
import type { Issues } from '../storage/issues';
import { type Properties, PROPERTY_TYPES, type PropertySchema, type PropertyType } from './schema-definition';

const MAX_DEPTH = 32;
const MAX_PROPERTIES = 2_000;
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export function parseProperties(value: unknown, at: string, issues: Issues, depth = 1): Properties {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) return refused(at, 'must be an object', issues);
  if (depth > MAX_DEPTH) return refused(at, `is nested deeper than ${MAX_DEPTH} levels`, issues);
  const entries = Object.entries(value);
  if (entries.length > MAX_PROPERTIES) return refused(at, `must have at most ${MAX_PROPERTIES} properties`, issues);
  return Object.fromEntries(entries.map(([name, schema]): [string, PropertySchema] => {
    const place = `${at}.${name}`;
    if (name.startsWith('$')) issues.add(place, 'a property name must not start with $');
    if (FORBIDDEN_NAMES.has(name)) issues.add(place, 'is not allowed as a property name');
    return [name, parseProperty(schema, place, issues, depth)];
  }));
}

function refused(at: string, issue: string, issues: Issues): Properties {
  issues.add(at, issue);
  return {};
}

function parseProperty(value: unknown, at: string, issues: Issues, depth: number): PropertySchema {
  if (!isObject(value)) {
    issues.add(at, 'must be an object');
    return { _type: 'string' };
  }
  const type = parseType(value, at, issues);
  const description = issues.text(value, '_description', `${at}.`, { required: false });
  return {
    _type: type ?? 'string',
    ...partOf(value, at, { name: '_properties', of: 'object', type }, issues, (part) => ({ _properties: parseProperties(part, `${at}._properties`, issues, depth + 1) })),
    ...partOf(value, at, { name: '_items', of: 'array', type }, issues, (part) => ({ _items: parseProperty(part, `${at}._items`, issues, depth + 1) })),
    ...partOf(value, at, { name: '_enum', of: 'string', type }, issues, (part) => ({ _enum: parseEnum(part, `${at}._enum`, issues) })),
    ...(description !== undefined && { _description: description }),
  };
}

function parseType(source: Record<string, unknown>, at: string, issues: Issues): PropertyType | undefined {
  const text = issues.text(source, '_type', `${at}.`);
  const type = PROPERTY_TYPES.find((name) => name === text);
  if (text !== undefined && type === undefined) issues.add(`${at}._type`, `must be one of ${PROPERTY_TYPES.join(', ')}`);
  return type;
}

interface Part {
  readonly name: string;
  /** The type that may have it. */
  readonly of: PropertyType;
  /** The type that the property has, where it is a known one. */
  readonly type: PropertyType | undefined;
}

function partOf<T extends object>(source: Record<string, unknown>, at: string, { name, of, type }: Part, issues: Issues, parse: (part: unknown) => T): T | object {
  const part = source[name];
  if (part === undefined || part === null) return {};
  if (type !== undefined && type !== of) issues.add(`${at}.${name}`, `only a property of type ${of} has it`);
  return parse(part);
}

function parseEnum(value: unknown, at: string, issues: Issues): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) {
    issues.add(at, 'must be an array of at least one text');
    return [];
  }
  const seen = new Set<unknown>();
  value.forEach((text, index) => {
    if (typeof text !== 'string') issues.add(`${at}[${index}]`, 'must be a text');
    else if (seen.has(text)) issues.add(`${at}[${index}]`, `${text} stands twice`);
    seen.add(text);
  });
  return value as string[];
}
