import { ServiceError, unavailable } from '@twinyard/conventions';
import { sqlState, translateStoreError } from '@twinyard/service-kit';

const CANCELLED = '57014';
/** A pattern grows too big for the engine. */
const INVALID_REGEX = '2201B';

/** undefined_table */
const NO_TABLE = '42P01';

export const isOfDropped = (error: unknown): boolean => sqlState(error) === NO_TABLE;

/** A collection that is dropped while it is asked for holds nothing any more. */
export function unlessDropped<T>(answer: Promise<T>, nothing: T): Promise<T> {
  return answer.catch((error: unknown) => {
    if (isOfDropped(error)) return nothing;
    throw error;
  });
}

/** numeric_value_out_of_range */
const TOO_LARGE = '22003';

/** A sum, or the square of a deviation, that no double holds is infinite in memory, and an error in SQL. `undefined`: compute it there. */
export function unlessTooLarge<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (sqlState(error) === TOO_LARGE) return undefined;
    throw error;
  });
}

/** Of a transaction whose reads have told theirs: it has waited too long for the end of another one. */
export const translateWaitError = (error: unknown): unknown =>
  (sqlState(error) === CANCELLED ? unavailable('Another change of the same records takes too long', error) : error);

export function translateReadError(error: unknown, usesRegex: boolean): unknown {
  const state = sqlState(error);
  if (state === CANCELLED) return new ServiceError('query_too_slow', usesRegex ? 'The regular expression takes too long' : 'The query takes too long', { cause: error });
  if (state === INVALID_REGEX) return new ServiceError('invalid', 'The regular expression is too complex', { cause: error });
  return translateStoreError(error);
}
