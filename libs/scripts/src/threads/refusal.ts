import type { Refusal } from './messages';

/** What a script is told of an error: of one that is meant to be told (it has a status) the message, and nothing of any other. */
export function refusalOf(error: unknown): Refusal {
  const { message, status, code } = error as { readonly message?: unknown; readonly status?: unknown; readonly code?: unknown };
  if (typeof status !== 'number' || typeof message !== 'string') return { message: 'The call failed because of an internal error' };
  return { message, status, ...(typeof code === 'string' && { code }) };
}
