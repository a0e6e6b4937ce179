import { conflict, invalid, type ServiceError } from '@twinyard/conventions';
import { brokenConstraint, isUniqueViolation, sqlState, translateStoreError } from '@twinyard/service-kit';

/** program_limit_exceeded: a value on an indexed path is longer than an index entry may be (2,704 bytes). */
const TOO_LONG_FOR_INDEX = '54000';

export function translateWriteError(error: unknown): unknown {
  if (isUniqueViolation(error)) return duplicate(error);
  if (sqlState(error) === TOO_LONG_FOR_INDEX) return invalid('A value on an indexed path is too long for the index');
  return translateStoreError(error);
}

/** Names what is there already. `Key (part, id)=(v1, abc) already exists.` is PostgreSQL's wording. */
function duplicate(error: unknown): ServiceError {
  const key = /=\((.*)\) already exists/s.exec(detailOf(error))?.[1] ?? '';
  const value = key.slice(key.indexOf(', ') + 2);
  const isId = brokenConstraint(error)?.endsWith('_pkey') ?? false;
  const issue = isId ? `${JSON.stringify(value)} is there already` : `a unique index holds ${value} already`;
  const translated = conflict(isId ? `_id: ${issue}` : `There is one already: ${issue}`, [{ field: isId ? '_id' : 'index', issue }]);
  return Object.assign(translated, { cause: error });
}

function detailOf(error: unknown): string {
  const { detail, driverError } = error as { detail?: unknown; driverError?: unknown };
  if (typeof detail === 'string') return detail;
  return driverError === undefined ? '' : detailOf(driverError);
}
