import { ServiceError } from '@twinyard/conventions';

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException | null)?.code;

export const isMissing = (error: unknown) => codeOf(error) === 'ENOENT';

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** A full disk is the operator's to mend and the caller's to know (507); the rest stays what it is. */
export const toStorageError = (error: unknown): unknown =>
  FULL.has(codeOf(error) ?? '') ? new ServiceError('insufficient_storage', 'There is no room left to store this', { cause: error }) : error;
