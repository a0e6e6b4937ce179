import { invalid, invalidField } from './errors';
import { refuseInexactNumbers } from './exact-numbers';

/** The query string as Fastify gives it: a repeated key is an array. */
export type QueryValues = Readonly<Record<string, unknown>>;

/** All values of a repeated parameter, in order; `undefined` when it is missing. */
export function repeatedParameter(query: QueryValues, name: string): string[] | undefined {
  const value = query[name];
  if (value === undefined) return undefined;
  return (Array.isArray(value) ? value : [value]).map(String);
}

const WORD = /^\w+$/;

/** A parameter that the specification calls comma-separated: a repeated key or one text with commas. */
export function listParameter(query: QueryValues, name: string): string[] | undefined {
  const value = query[name];
  // Nearly always one word.
  if (typeof value === 'string' && WORD.test(value)) return [value];
  return repeatedParameter(query, name)
    ?.flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

export function textParameter(query: QueryValues, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || typeof value === 'string') return value;
  return repeatedParameter(query, name)?.[0];
}

/** The value of a parameter that takes one of these words. @throws ServiceError `invalid` that names them */
export function oneOfWords<W extends string>(words: readonly W[], name: string, value: string): W {
  const word = words.find((each) => each === value);
  if (word === undefined) throw invalidField(name, `must be one of ${words.join(', ')}`);
  return word;
}

/** `true` for `true` in any letter case or `1`; anything else is false. */
export function booleanParameter(query: QueryValues, name: string): boolean {
  const text = textParameter(query, name)?.toLowerCase();
  return text === 'true' || text === '1';
}

/** A parameter that holds JSON text. Missing or empty: `undefined`. Bad JSON: 400 naming the parameter. */
export function parseJsonParameter(query: QueryValues, name: string): unknown {
  const text = textParameter(query, name);
  if (text === undefined || text === '') return undefined;
  const value = parseJson(text, name);
  if (!MAY_NAME_PROTOTYPE.test(text)) return value;
  if (isNestedDeeper(value, MAX_BODY_LEVELS)) throw invalidField(name, `is nested deeper than ${MAX_BODY_LEVELS} levels`);
  if (namesPrototype(value)) throw invalidField(name, 'holds the key __proto__, which is not allowed');
  return value;
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalidField(name, 'is not valid JSON');
  }
}

/** The key may be written with escapes. */
const MAY_NAME_PROTOTYPE = /__proto__|\\u00/;

function namesPrototype(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(namesPrototype);
}

/** A JSON parameter that must be an object, such as `query` and `sort`. A number that would not be kept as it is sent: 400 naming its path. */
export function parseObjectParameter(query: QueryValues, name: string): Record<string, unknown> | undefined {
  const value = parseJsonParameter(query, name);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw invalidField(name, 'must be a JSON object');
  refuseInexactNumbers(textParameter(query, name) ?? '', { at: name });
  return value as Record<string, unknown>;
}

/** Parameters of the form `_userAttributes.<key>=<value>`. */
export function prefixedParameters(query: QueryValues, prefix: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of Object.keys(query)) {
    const text = name.startsWith(prefix) ? textParameter(query, name) : undefined;
    if (text !== undefined) found[name.slice(prefix.length)] = text;
  }
  return found;
}

/** Contract 0.1: a NUL character or a lone surrogate in any text is refused; so is a number that no store can hold. */
export function refuseBrokenText(value: unknown, path = 'body'): void {
  const issue = brokennessOf(value);
  if (issue !== undefined) throw invalid(`${path}: ${issue}`, [{ field: path, issue }]);
  if (value === null || typeof value !== 'object') return;
  for (const [key, child] of Object.entries(value)) {
    refuseBrokenText(key, path);
    refuseBrokenText(child, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`);
  }
}

/** Levels that a JSON body, or a row of a file, may have: more is nobody's data, and whoever walks it would run out of stack. */
export const MAX_BODY_LEVELS = 150;

/** Whether a value has objects or arrays in each other on more levels than that. Looks no deeper itself, so a hostile text costs no stack. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((child) => isNestedDeeper(child, levels - 1));
}

/** `[0].spec.__proto__`: the first key that whoever copies the object would take for its prototype. Of a value that is not nested too deep. */
export function pathOfPrototypeKey(value: unknown, path = ''): string | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  if (Object.hasOwn(value, '__proto__')) return `${path}.__proto__`.replace(/^\./, '');
  for (const [key, child] of Object.entries(value)) {
    const found = pathOfPrototypeKey(child, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`.replace(/^\./, ''));
    if (found !== undefined) return found;
  }
  return undefined;
}

function brokennessOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? 'holds a NUL character or half a surrogate pair' : undefined;
  // `1e400` is JSON and is read as infinity, which would be kept as null.
  return typeof value === 'number' && !Number.isFinite(value) ? 'is too large a number' : undefined;
}
