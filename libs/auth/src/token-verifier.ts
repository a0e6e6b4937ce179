import { type Principal, type RunBounds, unauthenticated, unavailable } from '@twinyard/conventions';
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { EXPIRED_TOKEN, FOREIGN_TOKEN } from './unusable-tokens';

/** Only this algorithm and type are taken (RFC 8725 section 3.1, RFC 9068 section 4). */
const ALGORITHM = 'ES256';
const TOKEN_TYPE = 'at+jwt';

export interface TokenVerifierOptions {
  /** `BASE_URL` of the platform: the audience of every token. */
  readonly baseUrl: string;
  readonly keys: JWTVerifyGetKey;
}

/** `iss` of every token: passportsvc behind the public origin. */
export const issuerOf = (baseUrl: string) => `${baseUrl}/passportsvc`;

/**
 * passportsvc's published keys; an unknown `kid` fetches them anew, at most every ten seconds. Keys that cannot be fetched
 * say nothing about the token: that is 503, not 401.
 */
export function remoteKeys(passportUrl: string): JWTVerifyGetKey {
  const url = new URL('/passportsvc/api/v1/oauth/jwks', passportUrl);
  const keys = createRemoteJWKSet(url, { cooldownDuration: 10_000, cacheMaxAge: 600_000, timeoutDuration: 5_000 });
  return async (header, token) => {
    // Every token of ours names its key. While two are published one without a name could be of either.
    if (header?.kid === undefined) throw new errors.JWKSNoMatchingKey();
    try {
      return await keys(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JOSENotSupported) throw error;
      throw unavailable('The identity service cannot be reached right now', error);
    }
  };
}

interface VerifiedToken {
  readonly principal: Principal;
  /** Epoch milliseconds: when the token expires, or is to be verified again. */
  readonly until: number;
}

const MAX_VERIFIED = 2_000;
/** A key that passportsvc withdraws before its tokens expire is believed no longer than this. */
const BELIEVED_MS = 300_000;

/** Checks an access token (RFC 9068) and tells whose it is. What it may do is asked of `GrantSource`. */
export class TokenVerifier {
  /** Clients send the same token many times, and a signature costs more to check than all the rest of a small request. */
  private readonly verified = new Map<string, VerifiedToken>();

  constructor(private readonly options: TokenVerifierOptions) {}

  /** @throws ServiceError `unauthenticated` for a token that is malformed, expired, or not ours. */
  async verify(token: string): Promise<Principal> {
    const known = this.known(token);
    if (known !== undefined) return known;
    const payload = await this.check(token);
    const principal = toPrincipal(payload);
    this.remember(token, { principal, until: Math.min((payload.exp ?? 0) * 1000, Date.now() + BELIEVED_MS) });
    return principal;
  }

  /** Whose a token is that was verified a while ago; of others says `verify`. */
  known(token: string): Principal | undefined {
    const verified = this.verified.get(token);
    return verified !== undefined && Date.now() < verified.until ? verified.principal : undefined;
  }

  private async check(token: string): Promise<JWTPayload> {
    const { baseUrl, keys } = this.options;
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: [ALGORITHM], typ: TOKEN_TYPE, issuer: issuerOf(baseUrl), audience: baseUrl, requiredClaims: ['sub', 'exp', 'jti', 'client_id'],
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw unauthenticated(EXPIRED_TOKEN, error);
      if (error instanceof errors.JOSEError) throw unauthenticated(FOREIGN_TOKEN, error);
      throw error;
    }
  }

  private remember(token: string, verified: VerifiedToken): void {
    if (this.verified.size >= MAX_VERIFIED) this.verified.delete(this.verified.keys().next().value as string);
    this.verified.set(token, verified);
  }
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** Optional claims that are texts, by what `Principal` calls them. */
const TEXT_CLAIMS = { sessionId: 'sid', oauthGrantId: 'gid', profileId: 'profile_id', accessKeyId: 'access_key' } as const;

const textClaims = (payload: JWTPayload): Partial<Record<keyof typeof TEXT_CLAIMS, string>> =>
  Object.fromEntries(Object.entries(TEXT_CLAIMS).flatMap(([name, claim]) => (text(payload[claim]) === undefined ? [] : [[name, payload[claim]]])));

/** A run's token that names no namespace opens none. */
function runOf(payload: JWTPayload): RunBounds | undefined {
  const id = text(payload['run_id']);
  const namespaces = payload['run_namespaces'];
  if (id === undefined) return undefined;
  return { id, namespaces: Array.isArray(namespaces) ? namespaces.filter((name): name is string => typeof name === 'string') : [] };
}

/** Claims: `sub` the user, or the client itself; `client_id` the application; `sid`, `gid` session and authorization. */
function toPrincipal(payload: JWTPayload): Principal {
  const id = text(payload.sub) as string;
  const clientId = text(payload['client_id']) as string;
  const isClient = payload['principal_type'] === 'client';
  const run = runOf(payload);
  return {
    type: isClient ? 'client' : 'user',
    id,
    tokenId: text(payload.jti) as string,
    scopes: (text(payload['scope']) ?? '').split(' ').filter((scope) => scope !== ''),
    ...(!isClient && { appId: clientId }),
    ...textClaims(payload),
    ...(run !== undefined && { run }),
  };
}
