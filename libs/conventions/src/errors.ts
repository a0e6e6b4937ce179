/**
 * What can go wrong, as the contract's section 0.2 answers it. The status of an error is read from this table and nowhere else.
 */
export const ERROR_STATUS = {
  invalid: 400,
  limit_exceeded: 400,
  query_too_slow: 400,
  inexact_number: 400,
  instant_timeout: 400,
  unauthenticated: 401,
  forbidden: 403,
  quarantined: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  last_owner: 409,
  precondition_failed: 412,
  too_large: 413,
  quota_exceeded: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  unprocessable: 422,
  locked: 423,
  too_many_requests: 429,
  headers_too_large: 431,
  checksum_mismatch: 460,
  internal: 500,
  bad_gateway: 502,
  unavailable: 503,
  insufficient_storage: 507,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** One fault of a request: `field` is a path such as `_permissions[2]._irn`, or the name of a parameter. */
export interface FieldIssue {
  readonly field: string;
  readonly issue: string;
}

export interface ErrorBody {
  readonly message: string;
  readonly code: string;
  readonly details?: readonly FieldIssue[];
  readonly requestId: string;
}

export interface ServiceErrorOptions {
  readonly details?: readonly FieldIssue[];
  /** The true reason; logged, never sent. */
  readonly cause?: unknown;
  /** Seconds after which the caller may try again (`Retry-After`). */
  readonly retryAfter?: number;
  /** What the answer has to say besides. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The only error that services throw on purpose. `message` and `details` are public; `cause` is not. */
export class ServiceError extends Error {
  readonly details: readonly FieldIssue[] | undefined;
  readonly retryAfter: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(readonly code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.details = options.details;
    this.retryAfter = options.retryAfter;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** Clients compare this text (contract 0.1). */
export const UNAUTHENTICATED_MESSAGE = 'Full authentication is required to access this resource';

export const invalid = (message: string, details?: readonly FieldIssue[]) =>
  new ServiceError('invalid', message, details ? { details } : {});
/** Faults in one message. */
export const toldTogether = (issues: readonly FieldIssue[]) => issues.map(({ field, issue }) => `${field}: ${issue}`).join('; ');
/** All faults of a request at once. */
export const invalidFields = (issues: readonly FieldIssue[]) => invalid(toldTogether(issues), issues);
export const invalidField = (field: string, issue: string) => invalidFields([{ field, issue }]);
/** Details of a message that says all without the name of the field. */
const about = (field: string, message: string) => ({ details: [{ field, issue: message }] });
export const invalidAbout = (field: string, message: string) => new ServiceError('invalid', message, about(field, message));
/** What it throws as a fault of the request without saying of which field is a fault of this one. */
export function atField<T>(field: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== ERROR_STATUS.invalid || error.details !== undefined) throw error;
    throw new ServiceError(error.code, error.message, { ...about(field, error.message), cause: error.cause });
  }
}
/** `field`: what asks for too much, where it is one. */
export const limitExceeded = (message: string, field?: string) => new ServiceError('limit_exceeded', message, field === undefined ? {} : about(field, message));
/** `issue`: what is wrong with the header `Authorization`, as far as whoever has sent it may know. */
export const unauthenticated = (issue?: string, cause?: unknown) =>
  new ServiceError('unauthenticated', UNAUTHENTICATED_MESSAGE, { cause, ...(issue !== undefined && { details: [{ field: 'Authorization', issue }] }) });
export const FORBIDDEN_MESSAGE = 'You do not have the permission for this';
export const forbidden = (message = FORBIDDEN_MESSAGE) => new ServiceError('forbidden', message);
export const notFound = (noun: string, id: string) => new ServiceError('not_found', `There is no ${noun} ${JSON.stringify(id)}`);
/** `allowed`: the methods that are answered there (RFC 9110 section 15.5.6). */
export const methodNotAllowed = (method: string, allowed: readonly string[]) =>
  new ServiceError('method_not_allowed', `${method} is not answered here; ${allowed.join(', ')} ${allowed.length === 1 ? 'is' : 'are'}`, { headers: { Allow: allowed.join(', ') } });
export const conflict = (message: string, details?: readonly FieldIssue[]) =>
  new ServiceError('conflict', message, details ? { details } : {});
export const tooLarge = (message: string, details?: readonly FieldIssue[]) =>
  new ServiceError('too_large', message, details ? { details } : {});
export const unavailable = (message: string, cause?: unknown) =>
  new ServiceError('unavailable', message, { cause, retryAfter: 1 });

/** Of what was asked, so that it is sure that nothing was done. Of an outage it is not: the answer to a commit can be lost. */
export const isRefusal = (error: unknown): error is ServiceError => error instanceof ServiceError && error.status < 500;

/** What work gave, or its refusal; an outage is thrown. */
export const outcomeOf = <T>(work: Promise<T>): Promise<T | ServiceError> => work.catch((error: unknown) => {
  if (isRefusal(error)) return error;
  throw error;
});
