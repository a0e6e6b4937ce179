import { type ServiceError, tooLarge } from '@twinyard/conventions';

const figures = (limit: number, requested: number) => Object.entries({ _limit: limit, _requested: requested }).map(([field, bytes]) => ({ field, issue: String(bytes) }));

/** 413 with the figures: how many bytes a file may have, and how many there are, or at least. */
export const fileTooLarge = (limit: number, requested: number): ServiceError =>
  tooLarge(`A file may have at most ${limit} bytes; here are ${requested} or more`, figures(limit, requested));

/** The same of an upload in pieces, which may have what it has announced. */
export const uploadTooLong = (announced: number, requested: number): ServiceError =>
  tooLarge(`The upload was announced with ${announced} bytes; with these it would have ${requested}`, figures(announced, requested));
