import type { ErrorBody } from './errors';

/** Userinfo is a resource that tokens open (RFC 6750): it refuses as all others do. */
const OAUTH_PATH = /^\/passportsvc\/api\/v[12]\/oauth(?!\/userinfo(?:[/?]|$))(?:[/?]|$)/;

/** RFC 6749 section 5.2. */
export interface OAuthErrorBody {
  readonly error: string;
  readonly error_description: string;
}

/** Of an endpoint whose refusals are those of RFC 6749, whoever makes them: relying parties read nothing else. `url`: with or without a query. */
export const isOAuthEndpoint = (url: string): boolean => OAUTH_PATH.test(url);

export const toOAuthError = (status: number, message: string): OAuthErrorBody => ({ error: errorOf(status), error_description: describable(message) });

/** In the shape that is read at `url`. */
export const refusalAt = (url: string, status: number, body: ErrorBody): ErrorBody | OAuthErrorBody => (isOAuthEndpoint(url) ? toOAuthError(status, body.message) : body);

/** Of the registered errors (RFC 6749 section 11.4): what a library can act on. */
function errorOf(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}

/** `%x20-21 / %x23-5B / %x5D-7E` is all that a description may hold. */
const describable = (text: string) => text.replaceAll('"', "'").replaceAll(/[^\x20-\x5b\x5d-\x7e]/g, '?');
