import { Inject, Injectable } from '@nestjs/common';
import { CONSOLE_APP_ID, forbidden, invalidField, notFound, type QueryValues, textParameter } from '@twinyard/conventions';
import type { AppEntity } from '../apps/app.entity';
import { AppsRepository } from '../apps/apps.repository';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { AccessTokenSigner } from './access-token-signer';
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

  async issue({ principal, byAccessKey }: Bearer, query: QueryValues): Promise<TokenDto> {
    if (principal.type !== 'user') throw forbidden('This token belongs to no user');
    const appId = textParameter(query, 'appId');
    if (appId === undefined || appId === '') throw invalidField('appId', 'is required');
    const seconds = this.lifetime(textParameter(query, 'expires_in'));
    const app = await this.apps.findClient(appId);
    if (app === undefined) throw notFound('application', appId);
    if (!byAccessKey && !takesTokensOf(app, principal.appId)) throw forbidden('This application does not take the tokens of yours');

    const { sessionId, oauthGrantId, scopes, profileId } = principal;
    const { token, tokenId } = await this.signer.sign({
      subject: principal.id, clientId: appId, scopes, seconds,
      claims: {
        ...(sessionId !== undefined && { sid: sessionId }),
        ...(oauthGrantId !== undefined && { gid: oauthGrantId }),
        ...(profileId !== undefined && { profile_id: profileId }),
      },
    });
    return { access_token: token, token_type: 'bearer', expires_in: seconds, scope: scopes.join(' '), jti: tokenId };
  }

  private lifetime(text: string | undefined): number {
    if (text === undefined) return this.settings.ACCESS_TOKEN_SECONDS;
    const seconds = Number(text);
    if (!Number.isSafeInteger(seconds) || seconds < 1) throw invalidField('expires_in', 'must be a number of seconds');
    return Math.min(seconds, this.settings.MAX_TOKEN_SECONDS);
  }
}

const takesTokensOf = (app: AppEntity, other: string | undefined) =>
  other !== undefined && (other === CONSOLE_APP_ID || other === app.id || app.whitelistedApps.includes(other));
