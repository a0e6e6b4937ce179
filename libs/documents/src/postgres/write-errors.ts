import { conflict, invalid, type ServiceError } from '@twinyard/conventions';
import { brokenConstraint, isUniqueViolation, sqlState, translateStoreError } from '@twinyard/service-kit';

/** program_limit_exceeded: an index of an earlier version, which is not made anew yet, has an entry of 2,704 bytes at most. */
const TOO_LONG_FOR_INDEX = '54000';

export const translateWriteError = (error: unknown): unknown => translateStoreError(translateRefusal(error));

/** What the server has against the documents; all else is left as it is, for whoever tries again. */
export function translateRefusal(error: unknown): unknown {
  if (isUniqueViolation(error)) return duplicate(error);
  if (sqlState(error) === TOO_LONG_FOR_INDEX) return invalid('A value on an indexed path is too long for the index', [{ field: 'index', issue: 'does not take so long a value' }]);
  return error;
}

/** PostgreSQL's wording, of a write and of the making of an index. */
const DUPLICATE = /=\((.*)\) (?:already exists|(is duplicated))/s;

/** Names what is there already. The first part of a key is the version. */
function duplicate(error: unknown): ServiceError {
  const [, key = '', twice] = DUPLICATE.exec(detailOf(error)) ?? [];
  const value = key.slice(key.indexOf(', ') + 2);
  if (brokenConstraint(error)?.endsWith('_pkey')) return because(error, '_id', '_id', `${JSON.stringify(value)} is there already`);
  const issue = twice === undefined ? `a unique index holds ${value} already` : `two documents hold ${value}`;
  return because(error, 'index', 'There is one already', issue);
}

const because = (cause: unknown, field: string, what: string, issue: string): ServiceError =>
  Object.assign(conflict(`${what}: ${issue}`, [{ field, issue }]), { cause });

function detailOf(error: unknown): string {
  const { detail, driverError } = error as { detail?: unknown; driverError?: unknown };
  if (typeof detail === 'string') return detail;
  return driverError === undefined ? '' : detailOf(driverError);
}
