import { invalid, limitExceeded } from '@twinyard/conventions';
import type { Path } from './ast';

const FORBIDDEN_NAMES = new Set(['__proto__', 'constructor', 'prototype']);
const PATH_LIMITS = { characters: 1_000, steps: 64, indexes: 4 } as const;

/** Contract 0.1: neither a NUL character nor half a surrogate pair in any text. */
export function refuseBrokenText(text: string, what: string): void {
  if (text.includes('\0') || !text.isWellFormed()) throw invalid(`${what} holds a NUL character or half a surrogate pair`);
}

/**
 * Splits at dots. A name may itself start with a dot (contract 2.3), so an empty step belongs to the name after it:
 * `.secret` is one name, `a..b` is `.b` inside `a`.
 */
export function parsePath(text: string, what: string): Path {
  refuseBrokenText(text, what);
  if (text.length > PATH_LIMITS.characters) throw limitExceeded(`${what}: a path has at most ${PATH_LIMITS.characters} characters`);
  const steps: string[] = [];
  let dots = '';
  for (const part of text.split('.')) {
    if (part === '') dots += '.';
    else steps.push(takeName(dots + part, what));
    if (part !== '') dots = '';
  }
  if (dots !== '' || steps.length === 0) throw invalid(`${what}: ${JSON.stringify(text)} is not a path`);
  if (steps.length > PATH_LIMITS.steps) throw limitExceeded(`${what}: a path has at most ${PATH_LIMITS.steps} steps`);
  if (steps.slice(1).filter(isIndex).length > PATH_LIMITS.indexes) {
    throw limitExceeded(`${what}: a path has at most ${PATH_LIMITS.indexes} numbers in it`);
  }
  return Object.freeze(steps);
}

function takeName(name: string, what: string): string {
  if (name.startsWith('$')) throw invalid(`${what}: ${name} is not allowed here`);
  if (FORBIDDEN_NAMES.has(name)) throw invalid(`${what}: ${name} is not allowed as a name`);
  return name;
}

/** A step that may index an array as well as name a field. */
export const isIndex = (step: string) => /^(0|[1-9]\d{0,5})$/.test(step);

/** A step that PostgreSQL's `#>` takes for a place in an array. `-1`, `01` and ` 1` are names to MongoDB, and to us. */
export const isPlace = (step: string) => /^\s*[+-]?\d+$/.test(step);
