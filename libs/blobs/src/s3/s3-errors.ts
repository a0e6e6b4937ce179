import { ServiceError, unavailable } from '@twinyard/conventions';
import type { Failure } from './s3-transport';

/** The store's own word for what went wrong (`NoSuchKey`, …). */
const codeOf = (error: unknown) => (error as { readonly code?: unknown } | null)?.code;

/** `NotFound` is what the client makes of a 404 without a body, as a HEAD has it. */
export const isMissing = (error: unknown) => codeOf(error) === 'NoSuchKey' || codeOf(error) === 'NotFound';
export const isMissingUpload = (error: unknown) => codeOf(error) === 'NoSuchUpload';
export const isBucketThere = (error: unknown) => codeOf(error) === 'BucketAlreadyOwnedByYou' || codeOf(error) === 'BucketAlreadyExists';

/** Passing states that the store tells of with a 4xx: the bucket is about to be made, say. */
const PASSING = new Set<unknown>(['NoSuchBucket', 'SlowDown', 'InternalError', 'ServiceUnavailable', 'RequestTimeout', 'OperationAborted']);
const FULL = new Set<unknown>(['XMinioStorageFull', 'QuotaExceeded', 'XMinioAdminBucketQuotaExceeded', 'InsufficientStorage']);

/** A store that is away is 503, a full one 507; the rest (a wrong key, say) is the operator's and stays what it is. */
export function toStorageError(error: unknown, failure: Failure | undefined): unknown {
  if (error instanceof ServiceError) return error;
  if (failure !== undefined || PASSING.has(codeOf(error))) return unavailable('The object store cannot be reached right now', error);
  if (FULL.has(codeOf(error))) return new ServiceError('insufficient_storage', 'There is no room left to store this', { cause: error });
  return error;
}
