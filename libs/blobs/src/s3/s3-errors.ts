import { ServiceError, unavailable } from '@twinyard/conventions';
import type { Failure } from './s3-transport';

interface S3Fault {
  readonly code?: unknown;
  /** Of an error that came with the status 200, as `CompleteMultipartUpload` may: the client throws the bare element. */
  readonly Code?: unknown;
}

/** The store's own word for what went wrong (`NoSuchKey`, …). */
const codeOf = (error: unknown) => (error as S3Fault | null)?.code ?? (error as S3Fault | null)?.Code;

/** `NotFound` is what the client makes of a 404 without a body, as a HEAD has it. */
export const isMissing = (error: unknown) => codeOf(error) === 'NoSuchKey' || codeOf(error) === 'NotFound';
export const isMissingUpload = (error: unknown) => codeOf(error) === 'NoSuchUpload';
/** Some stores take parts of an upload that was just aborted, and miss the earlier ones when it is completed. */
export const isSwept = (error: unknown) => isMissingUpload(error) || codeOf(error) === 'InvalidPart';
export const isBucketThere = (error: unknown) => codeOf(error) === 'BucketAlreadyOwnedByYou' || codeOf(error) === 'BucketAlreadyExists';

/** Passing states that the store tells of with a 4xx: the bucket is about to be made, say. */
const PASSING = new Set<unknown>(['NoSuchBucket', 'SlowDown', 'InternalError', 'ServiceUnavailable', 'RequestTimeout', 'OperationAborted']);
const FULL = new Set<unknown>(['XMinioStorageFull', 'QuotaExceeded', 'XMinioAdminBucketQuotaExceeded', 'InsufficientStorage']);

/** A store that is away is 503, a full one 507; the rest (a wrong key, say) is the operator's and stays what it is. */
export function toStorageError(error: unknown, failure: Failure | undefined): unknown {
  if (error instanceof ServiceError) return error;
  if (failure !== undefined || PASSING.has(codeOf(error))) return unavailable('The object store cannot be reached right now', error);
  if (FULL.has(codeOf(error))) return new ServiceError('insufficient_storage', 'There is no room left to store this', { cause: error });
  return error instanceof Error ? error : Object.assign(new Error(`S3 says ${String(codeOf(error))}`, { cause: error }), { code: codeOf(error) });
}
