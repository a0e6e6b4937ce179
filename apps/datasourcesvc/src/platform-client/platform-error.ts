/** The platform refused, or cannot be reached. The message goes into the step's `_statusmsg`: it is what the caller of that operation would read. */
export class PlatformError extends Error {
  constructor(message: string, readonly status?: number) {
    super(message);
    this.name = 'PlatformError';
  }
}

/** May be over at the next try: the network, 429, 502, 503, 504. */
export class PassingFailure extends Error {
  constructor(message: string, readonly retryAfterMs?: number, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PassingFailure';
  }
}
