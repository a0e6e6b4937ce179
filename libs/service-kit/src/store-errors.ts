import { ServiceError, unavailable } from '@twinyard/conventions';
import { isMongoConnectionLost } from './mongo/mongo-errors';
import { sqlState, isSqlConnectionLost } from './sql/sql-errors';
import { StoreRoom } from './store-room';

/** Whether a database could not be reached, whichever it is, as against having refused what it was asked. */
export const isConnectionLost = (error: unknown): boolean => isSqlConnectionLost(error) || isMongoConnectionLost(error);

/** A lost database becomes 503 with `Retry-After`, one whose disk is full 507; everything else is returned as it is. */
export function translateStoreError(error: unknown): unknown {
  if (error instanceof ServiceError) return noted(error);
  if (isDiskFull(error)) return noted(new ServiceError('insufficient_storage', 'There is no room left to store this', { cause: error }));
  return isConnectionLost(error) ? unavailable('The database cannot be reached right now', error) : error;
}

/** The disk is full on which a process works for the moment. What it stores lies elsewhere, so that it stays ready. */
export class ScratchDiskFull extends ServiceError {
  constructor(cause: unknown) {
    super('insufficient_storage', 'There is no room left to work at this', { cause });
  }
}

/** Of a file that a process has for the moment: a full disk becomes 507; everything else is returned as it is. */
export const translateScratchError = (error: unknown): unknown => (isDiskFull(error) ? new ScratchDiskFull(error) : error);

/** PostgreSQL's `disk_full`, MongoDB's `OutOfDiskSpace`, and what a file system says (errno(3)). */
const DISK_FULL: ReadonlySet<unknown> = new Set(['53100', 14_031, 'ENOSPC', 'EDQUOT']);

const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && (DISK_FULL.has(sqlState(error)) || DISK_FULL.has((error as { readonly code?: unknown }).code) || isDiskFull(error.cause));

function noted(error: ServiceError): ServiceError {
  if (error.code === 'insufficient_storage' && !(error instanceof ScratchDiskFull)) StoreRoom.ofProcess.refused();
  return error;
}

/** The same of an operation that is under way. */
export async function translated<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    throw translateStoreError(error);
  }
}
