import { ServiceError, unavailable } from '@twinyard/conventions';
import { isMongoConnectionLost } from './mongo/mongo-errors';
import { isSqlConnectionLost } from './sql/sql-errors';

/** Whether a database could not be reached, whichever it is, as against having refused what it was asked. */
export const isConnectionLost = (error: unknown): boolean => isSqlConnectionLost(error) || isMongoConnectionLost(error);

/** A lost database becomes 503 with `Retry-After`; everything else is returned as it is. */
export function translateStoreError(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  return isConnectionLost(error) ? unavailable('The database cannot be reached right now', error) : error;
}

/** The same of an operation that is under way. */
export async function translated<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    throw translateStoreError(error);
  }
}
