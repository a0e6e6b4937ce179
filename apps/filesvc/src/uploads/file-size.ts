import { type ServiceError, tooLarge } from '@twinyard/conventions';

/** 413 with the figures: how many bytes a file may have, and how many there are, or at least. */
export function fileTooLarge(limit: number, requested: number): ServiceError {
  const details = Object.entries({ _limit: limit, _requested: requested }).map(([field, bytes]) => ({ field, issue: String(bytes) }));
  return tooLarge(`A file may have at most ${limit} bytes; here are ${requested} or more`, details);
}
