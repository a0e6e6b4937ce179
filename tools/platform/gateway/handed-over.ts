import type { IncomingMessage } from 'node:http';

/** RFC 9110, 9.2.2. */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);
/** What fails in these happens before the first byte of a request. */
const BEFORE_SENDING = new Set<unknown>(['connect', 'getaddrinfo']);

/** Whether it is sure that the service got no part of the request: there was no connection. What broke later may have been done. */
export function nothingWasHandedOver(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(nothingWasHandedOver);
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code === 'UND_ERR_CONNECT_TIMEOUT' || BEFORE_SENDING.has(syscall);
}

/** "A client should not automatically retry a request with a non-idempotent method unless it has some means to know" (9.2.2): with a key the service knows. */
export const mayBeDoneTwice = ({ method = '', headers }: IncomingMessage): boolean => IDEMPOTENT.has(method) || headers['idempotency-key'] !== undefined;
