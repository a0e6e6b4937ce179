import { invalidField } from '@twinyard/conventions';
import { RE2JS } from 're2js';
import { normaliseName } from './file-name';

const MAX_LENGTH = 1_000;
const LITERAL = /^(\^?)((?:[^\\.+*?()|[\]{}^$]|\\[^A-Za-z0-9\u0080-\u{10ffff}])*)(\$?)$/u;

export type NamePattern =
  | { readonly kind: 'equals' | 'startsWith' | 'endsWith' | 'contains'; readonly text: string }
  | { readonly kind: 'expression'; readonly matches: (name: string) => boolean };

/**
 * `_name` of a list: a regular expression in RE2's language (contract 0.1). One that is mere text, with or without anchors, is told
 * apart, since the database can look for text itself.
 */
export function parseNamePattern(source: string, field = '_name'): NamePattern {
  if (source.length > MAX_LENGTH) throw invalidField(field, `must have at most ${MAX_LENGTH} characters`);
  const pattern = normaliseName(source);
  const literal = LITERAL.exec(pattern);
  if (literal) return toText(literal[1] !== '', (literal[2] ?? '').replace(/\\(.)/gu, '$1'), literal[3] !== '');
  const expression = compile(pattern, field);
  return { kind: 'expression', matches: (name) => expression.test(name) };
}

function toText(fromStart: boolean, text: string, toEnd: boolean): NamePattern {
  if (fromStart && toEnd) return { kind: 'equals', text };
  if (fromStart) return { kind: 'startsWith', text };
  return { kind: toEnd ? 'endsWith' : 'contains', text };
}

function compile(pattern: string, field: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch {
    throw invalidField(field, "must be a regular expression in RE2's language (no look-around, no back-references)");
  }
}
