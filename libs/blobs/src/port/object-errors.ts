/** There is no object under the key (any more). */
export class ObjectNotFound extends Error {
  constructor(readonly key: string) {
    super(`there is no object ${key}`);
    this.name = 'ObjectNotFound';
  }
}

/** More bytes arrived than `maxSize` allows; nothing was stored. */
export class ObjectTooLarge extends Error {
  constructor(readonly maxSize: number) {
    super(`the object has more than ${maxSize} bytes`);
    this.name = 'ObjectTooLarge';
  }
}

/** What arrived is not what was announced; nothing was stored. */
export class ObjectMismatch extends Error {
  constructor(readonly of: 'size' | 'sha256', expected: string | number, actual: string | number) {
    super(`${of} is ${actual}, not ${expected}`);
    this.name = 'ObjectMismatch';
  }
}
