import { isNestedDeeper } from '@twinyard/conventions';
import type { Issues } from './issues';

/** Levels of nesting that a value may have, as in MongoDB. */
const MAX_DEPTH = 100;
const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** A property that somebody gave a related item or a reading: its name, and all that is in it. */
export function checkProperty(entry: Readonly<Record<string, unknown>>, key: string, at: string, issues: Issues): void {
  checkKey(key, at, issues);
  const value = entry[key];
  if (value !== null && typeof value === 'object') checkKeys(value, at === '' ? key : `${at}.${key}`, issues, 1);
}

/** What a version holds is any JSON, in which names are free. */
export function checkDepth(value: unknown, field: string, issues: Issues): void {
  if (isNestedDeeper(value, MAX_DEPTH)) issues.add(field, TOO_DEEP);
}

/** Contract 2.3: property names never start with `$`, nor are they names that JavaScript reserves. */
function checkKey(key: string, path: string, issues: Issues): void {
  if (key.startsWith('$')) issues.add(path === '' ? key : `${path}.${key}`, 'a property name must not start with $');
  if (FORBIDDEN_KEYS.has(key)) issues.add(path === '' ? key : `${path}.${key}`, 'is not allowed as a property name');
}

function checkKeys(value: object, path: string, issues: Issues, depth: number): void {
  if (depth > MAX_DEPTH) return issues.add(path, TOO_DEEP);
  const isArray = Array.isArray(value);
  for (const key of Object.keys(value)) {
    if (!isArray) checkKey(key, path, issues);
    const child = (value as Record<string, unknown>)[key];
    if (child !== null && typeof child === 'object') checkKeys(child, isArray ? `${path}[${key}]` : `${path}.${key}`, issues, depth + 1);
  }
}
