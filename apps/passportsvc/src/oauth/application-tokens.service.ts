import { Inject, Injectable } from '@nestjs/common';
import { derivedEnd, deriveScopes, type IssuableScopes, keptScopes } from '@twinyard/auth';
import { CONSOLE_APP_ID, forbidden, invalidField, newUuid, notFound, type QueryValues, textParameter } from '@twinyard/conventions';
import type { AppEntity } from '../apps/app.entity';
import { AppsRepository } from '../apps/apps.repository';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { belongsToNoUser } from '../users/no-user';
import { type AccessTokenDraft, AccessTokenSigner } from './access-token-signer';
import type { TokenDto } from './oauth.dto';
import type { Bearer } from './token-bearer';

/** Exchanges a user's token for the same user's token in another application (contract 1.1). */
@Injectable()
export class ApplicationTokens {
  constructor(
    private readonly apps: AppsRepository,
    private readonly signer: AccessTokenSigner,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  async issue(bearer: Bearer, query: QueryValues): Promise<TokenDto> {
    const { principal } = bearer;
    if (principal.type !== 'user') throw belongsToNoUser();
    const scopes = scopesOf(bearer);
    const appId = textParameter(query, 'appId');
    if (appId === undefined || appId === '') throw invalidField('appId', 'is required');
    const wanted = Math.min(this.lifetime(textParameter(query, 'expires_in')), this.settings.MAX_TOKEN_SECONDS);
    const endsAt = this.endOf(bearer);
    const app = await this.apps.findClient(appId);
    if (app === undefined) throw notFound('application', appId);
    if (!takesTokensOf(app, bearer)) throw forbidden('This application does not take the tokens of yours: its owner can add yours to its _whitelistedApps');

    const { token, tokenId, seconds } = await this.signer.sign({ subject: principal.id, clientId: appId, scopes, seconds: wanted, endsAt, claims: claimsOf(bearer) });
    return { access_token: token, token_type: 'bearer', expires_in: seconds, scope: scopes.join(' '), jti: tokenId };
  }

  private lifetime(text: string | undefined): number {
    if (text === undefined) return this.settings.ACCESS_TOKEN_SECONDS;
    const seconds = Number(text);
    if (!Number.isSafeInteger(seconds) || seconds < 1) throw invalidField('expires_in', 'must be a number of seconds');
    return seconds;
  }

  /**
   * In epoch seconds. The first exchange can ask for the longest lifetime there is; exchanging what came of it adds nothing to
   * that. Otherwise a stolen token could be renewed for ever.
   */
  private endOf({ authorizedAt, endsAt }: Bearer): number {
    const { ACCESS_TOKEN_SECONDS, MAX_TOKEN_SECONDS } = this.settings;
    const end = derivedEnd(authorizedAt + ACCESS_TOKEN_SECONDS + MAX_TOKEN_SECONDS, endsAt);
    if (end <= Math.floor(Date.now() / 1_000)) throw forbidden('This token comes of too old a sign-in: sign in again');
    return end;
  }
}

/** A key was derived when it was made: showing it is what it is for, also where it only reads. */
const scopesOf = ({ principal, byAccessKey }: Bearer): IssuableScopes => (byAccessKey ? keptScopes(principal.scopes) : deriveScopes(principal, 'applicationToken'));

/** A token by an access key has a session of its own, so that a logout ends it and leaves the key. */
function claimsOf({ principal: { sessionId, oauthGrantId, accessKeyId }, byAccessKey, authorizedAt }: Bearer): AccessTokenDraft['claims'] {
  const session = byAccessKey ? newUuid() : sessionId;
  return {
    authorized_at: authorizedAt,
    ...(session !== undefined && { sid: session }),
    ...(oauthGrantId !== undefined && { gid: oauthGrantId }),
    ...(accessKeyId !== undefined && { access_key: accessKeyId }),
  };
}

/** An access key counts as a token of the application that it was made in. Of old ones nobody knows which it was; these only read. */
function takesTokensOf(app: AppEntity, { principal, keyAppId }: Bearer): boolean {
  if (keyAppId === null) return true;
  const other = keyAppId ?? principal.appId;
  return other !== undefined && (other === CONSOLE_APP_ID || other === app.id || app.whitelistedApps.includes(other));
}
