import { findInexactNumber, inexactFault, type InexactNumber, isNestedDeeper, MAX_BODY_LEVELS, refuseBrokenText, ServiceError } from '@twinyard/conventions';

/** Escapes for a NUL or half a surrogate pair, a key that none may have: only then is the value walked. */
const SUSPICIOUS = /\\u|__proto__/;

/** The JSON of a row, held to what is asked of a JSON body (contract 0.1); a fault in words otherwise. */
export function parseJsonText(text: string): { readonly value: unknown } | { readonly fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: 'is not valid JSON' };
  }
  const fault = SUSPICIOUS.test(text) ? brokenness(value) : undefined;
  const inexact = fault === undefined ? findInexactNumber(text) : undefined;
  if (inexact !== undefined) return { fault: inexactReason(inexact) };
  return fault === undefined ? { value } : { fault };
}

/** `at`: the column of a file that holds the text. */
export function inexactReason(found: InexactNumber, at?: string): string {
  const { field, issue } = inexactFault(found, at);
  return field === '' ? issue : `${field}: ${issue}`;
}

/** Why no store may hold this; `undefined`: nothing is wrong with it. */
export function brokenness(value: unknown): string | undefined {
  if (isNestedDeeper(value, MAX_BODY_LEVELS)) return `is nested deeper than ${MAX_BODY_LEVELS} levels`;
  try {
    refuseBrokenText(value, 'row');
  } catch (error) {
    if (error instanceof ServiceError) return error.message.replace(/^row[.:]? ?/, '');
    throw error;
  }
  return holdsProto(value) ? 'holds a forbidden key (__proto__)' : undefined;
}

function holdsProto(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(holdsProto);
}
