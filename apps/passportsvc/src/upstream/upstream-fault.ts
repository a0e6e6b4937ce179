import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';

/** Why a sign-in at an issuer came to nothing. */
export const UPSTREAM_FAULTS = ['cancelled', 'refused', 'unreachable', 'private', 'other-issuer', 'unsafe', 'rejected-us', 'clock', 'protocol'] as const;
export type UpstreamFault = (typeof UPSTREAM_FAULTS)[number];

/** `cause` is for the log alone. */
export class UpstreamRefusal extends Error {
  constructor(readonly fault: UpstreamFault, cause?: unknown) {
    super(`upstream sign-in: ${fault}`, { cause });
    this.name = 'UpstreamRefusal';
  }
}

const MAX_LINKS = 6;
const CANCELLED = ['access_denied', 'login_required', 'interaction_required', 'consent_required', 'account_selection_required'];
const UNAVAILABLE = ['server_error', 'temporarily_unavailable'];
const LOST = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EPIPE', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT', 'UND_ERR_SOCKET', 'OAUTH_TIMEOUT', 'ABORT_ERR',
]);

/** What the library, or the network under it, has thrown, in our words. */
export function faultOf(error: unknown): UpstreamRefusal {
  if (error instanceof UpstreamRefusal) return error;
  if (error instanceof AuthorizationResponseError) return new UpstreamRefusal(faultOfAnswer(error.error), error);
  if (error instanceof ResponseBodyError) return new UpstreamRefusal(UNAVAILABLE.includes(error.error) ? 'unreachable' : 'rejected-us', error);
  return new UpstreamRefusal(faultOfChain(chainOf(error)), error);
}

function faultOfAnswer(code: string): UpstreamFault {
  if (CANCELLED.includes(code)) return 'cancelled';
  return UNAVAILABLE.includes(code) ? 'unreachable' : 'refused';
}

function faultOfChain(chain: readonly Error[]): UpstreamFault {
  if (chain.some(({ name }) => name === 'PrivateAddressRefused')) return 'private';
  if (chain.some(({ name }) => name === 'TimeoutError' || name === 'AbortError') || codesOf(chain).some((code) => LOST.has(code))) return 'unreachable';
  if (chain.some(isBadGateway)) return 'unreachable';
  if (codesOf(chain).includes('OAUTH_JWT_TIMESTAMP_CHECK_FAILED')) return 'clock';
  return chain.some(isOtherIssuer) ? 'other-issuer' : 'protocol';
}

const codesOf = (chain: readonly Error[]) => chain.map((error) => String((error as { code?: unknown }).code));

/** The answer that an error of the library was made of. */
function isBadGateway({ cause }: Error): boolean {
  return cause instanceof Response && cause.status >= 500;
}

function isOtherIssuer(error: Error): boolean {
  const { attribute, expected } = (error.cause ?? {}) as { attribute?: unknown; expected?: unknown };
  return error instanceof ClientError && attribute === 'issuer' && expected !== undefined;
}

/** An error and what it was caused by. Errors of Node itself are told by their shape: tests run code in a realm of its own. */
export function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let link: unknown = error; isError(link) && chain.length < MAX_LINKS; link = link.cause) chain.push(link);
  return chain;
}

const isError = (value: unknown): value is Error => typeof value === 'object' && value !== null && 'message' in value && 'name' in value;
