import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import type { PassportSettings } from '../config';
import type { OidcLibrary } from './oidc-library';

const SIGN_IN_SECONDS = 3_600;

export function tokenLifetimes(settings: PassportSettings, errors: OidcLibrary['errors']): NonNullable<Configuration['ttl']> {
  const whole = (text: string) => {
    const seconds = Number(text);
    if (!Number.isSafeInteger(seconds) || seconds < 1) throw new errors.InvalidRequest('expiresIn must be a number of seconds');
    return seconds;
  };
  return {
    AccessToken: settings.ACCESS_TOKEN_SECONDS,
    ClientCredentials: (ctx) => Math.min(whole(askedSeconds(ctx) ?? String(settings.CLIENT_TOKEN_SECONDS)), settings.MAX_TOKEN_SECONDS),
    IdToken: settings.ACCESS_TOKEN_SECONDS,
    RefreshToken: (ctx) => restOfFamily(ctx) ?? settings.REFRESH_TOKEN_SECONDS,
    Interaction: SIGN_IN_SECONDS,
    Session: settings.SESSION_SECONDS,
    Grant: Math.max(settings.SESSION_SECONDS, settings.REFRESH_TOKEN_SECONDS) + settings.ACCESS_TOKEN_SECONDS,
  };
}

/** However often it is rotated, a refresh token ends when the first one of its family would have (ASVS 10.4.8). */
function restOfFamily(ctx: KoaContextWithOIDC): number | undefined {
  const rotated = ctx.oidc.entities.RotatedRefreshToken;
  return rotated && Math.max(1, rotated.remainingTTL);
}

/** Query parameter `expiresIn` (contract 1.1). */
function askedSeconds(ctx: KoaContextWithOIDC): string | undefined {
  const value = ctx.query['expiresIn'];
  return Array.isArray(value) ? value[0] : value;
}
