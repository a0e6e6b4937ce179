import type { Type } from '@nestjs/common';
import { invalidField } from '@twinyard/conventions';
import { toInvalid } from '@twinyard/service-kit';
import { plainToInstance } from 'class-transformer';
import { validateSync, ValidationError } from 'class-validator';

/** More than this many records in one request are refused. */
const MAX_ENTRIES = 1_000;

/** A body that must be an array of `type`; every bad field of every entry is named, as `[3]._name`. */
export function parseArrayBody<T extends object>(body: unknown, type: Type<T>): T[] {
  const entries = requireArray(body);
  const found = entries.map((entry, index) => checkEntry(entry, index, type));
  const errors = found.flatMap(({ error }) => (error === undefined ? [] : [error]));
  if (errors.length > 0) throw toInvalid(errors);
  return found.flatMap(({ value }) => (value === undefined ? [] : [value]));
}

export function requireArray(body: unknown): unknown[] {
  if (!Array.isArray(body)) throw invalidField('body', 'must be an array');
  if (body.length > MAX_ENTRIES) throw invalidField('body', `must hold at most ${MAX_ENTRIES} entries`);
  return body as unknown[];
}

function checkEntry<T extends object>(entry: unknown, index: number, type: Type<T>): { value?: T; error?: ValidationError } {
  const error = Object.assign(new ValidationError(), { property: String(index) });
  if (entry === null || typeof entry !== 'object' || Array.isArray(entry)) {
    return { error: Object.assign(error, { constraints: { isObject: 'must be an object' } }) };
  }
  const value = plainToInstance(type, entry);
  const children = validateSync(value, { whitelist: false, forbidUnknownValues: false });
  return children.length === 0 ? { value } : { error: Object.assign(error, { children }) };
}
