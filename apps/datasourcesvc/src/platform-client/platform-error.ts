import type { FieldIssue } from '@twinyard/conventions';

/** The platform refused, or cannot be reached. The message goes into the step's `_statusmsg`: it is what the caller of that operation would read. */
export class PlatformError extends Error {
  /** `code` and `details` of the answer's body: what is wrong with what was sent, each with its place. */
  constructor(message: string, readonly status?: number, readonly code?: string, readonly details: readonly FieldIssue[] = []) {
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
