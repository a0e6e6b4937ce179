const SEGMENT = '[a-z0-9][a-z0-9_-]{0,99}';
const KEY = new RegExp(`^${SEGMENT}(/${SEGMENT}){0,5}$`);

/** A key that no store is asked about: a fault of the program, since keys are made by services and never by callers. */
export class InvalidObjectKey extends Error {
  constructor(key: string) {
    super(`not an object key: ${JSON.stringify(key.slice(0, 100))}`);
    this.name = 'InvalidObjectKey';
  }
}

/**
 * One to six segments of small letters, digits, `_` and `-`, joined by `/`. There are no dots and no capital letters, so a key
 * neither climbs out of a folder nor meets another one on a file system that folds letter case.
 */
export function requireObjectKey(key: string): string {
  if (!KEY.test(key)) throw new InvalidObjectKey(key);
  return key;
}
