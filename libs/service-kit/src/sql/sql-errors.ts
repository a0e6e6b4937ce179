/** SQLSTATE of a PostgreSQL error, whichever library wrapped it (appendix A of the PostgreSQL manual). */
export function sqlState(error: unknown): string | undefined {
  if (error === null || typeof error !== 'object') return undefined;
  const { code, driverError } = error as { code?: unknown; driverError?: unknown };
  if (typeof code === 'string') return code;
  return driverError === undefined ? undefined : sqlState(driverError);
}

/** Name of the constraint that a statement broke. */
export function brokenConstraint(error: unknown): string | undefined {
  if (error === null || typeof error !== 'object') return undefined;
  const { constraint, driverError } = error as { constraint?: unknown; driverError?: unknown };
  if (typeof constraint === 'string') return constraint;
  return driverError === undefined ? undefined : brokenConstraint(driverError);
}

export const isUniqueViolation = (error: unknown) => sqlState(error) === '23505';

const RETRYABLE = new Set(['40001', '40P01']);
export const isRetryable = (error: unknown) => RETRYABLE.has(sqlState(error) ?? '');

const LOST = new Set(['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', '57P01', '57P02', '57P03', '53300', '08000', '08001', '08003', '08006']);
const LOST_MESSAGE = /connection (terminated|timeout)|timeout exceeded when trying to connect|client has encountered a connection error|not queryable/i;

/** TypeORM's words for a connection that went away under a transaction: before its next statement, before its commit. */
const LOST_NAMES = new Set(['QueryRunnerProviderAlreadyReleasedError', 'QueryRunnerAlreadyReleasedError']);

/** Whether the database could not be reached, as against having refused the statement. */
export function isSqlConnectionLost(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined && LOST.has(state)) return true;
  return error instanceof Error && (LOST_NAMES.has(error.name) || LOST_MESSAGE.test(error.message));
}

/** The pool has waited for a connection as long as it was told to; another try would wait as long. */
export const hasWaitedForConnection = (error: unknown): boolean =>
  error instanceof Error && /connection timeout|timeout exceeded when trying to connect/i.test(error.message);
