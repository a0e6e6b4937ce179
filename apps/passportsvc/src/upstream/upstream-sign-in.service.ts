import { Inject, Injectable } from '@nestjs/common';
import { newUuid } from '@twinyard/conventions';
import { LOGGER, type Logger } from '@twinyard/service-kit';
import { authorizationCodeGrant, buildAuthorizationUrl, calculatePKCECodeChallenge, type Configuration, fetchUserInfo, type IDToken } from 'openid-client';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import type { IdentityProviderEntity } from '../identityproviders/identity-provider.entity';
import { callbackUri } from './callback-uri';
import { UpstreamAttemptsRepository } from './upstream-attempts.repository';
import { chainOf, faultOf, UpstreamRefusal } from './upstream-fault';
import { UpstreamIssuers } from './upstream-issuers';
import { type Claims, toProfile, type UpstreamProfile } from './upstream-profile';
import { hashOf, UpstreamStates } from './upstream-state';

/** What an authorization request at the issuer is made of, beside what protects it. */
export interface Departure {
  readonly interactionUid: string;
  readonly browser: string;
  /** Parameters that go along when they say something: `login_hint`, `ui_locales`, `prompt`. */
  readonly hints: Readonly<Record<string, string>>;
}

export interface Return {
  readonly providerId: string;
  readonly browser: string | undefined;
  readonly state: string;
  /** As the browser was sent to it, from the question mark on. */
  readonly search: string;
}

/** OpenID Connect with an organization's issuer: code, PKCE, state and nonce (RFC 9700). */
@Injectable()
export class UpstreamSignIn {
  constructor(
    private readonly issuers: UpstreamIssuers,
    private readonly attempts: UpstreamAttemptsRepository,
    private readonly states: UpstreamStates,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Where the browser goes. @throws UpstreamRefusal */
  async depart(provider: IdentityProviderEntity, { interactionUid, browser, hints }: Departure): Promise<URL> {
    const configuration = await this.issuers.discover(provider).catch((error: unknown) => this.refuse(provider, error));
    const state = this.states.newState();
    await this.attempts.insert({ id: newUuid(), providerId: provider.id, interactionUid, stateHash: hashOf(state), browserHash: hashOf(browser) });
    return buildAuthorizationUrl(configuration, {
      ...hints, redirect_uri: callbackUri(this.settings.BASE_URL, provider.id), scope: provider.scopes.join(' '), state, nonce: this.states.nonceOf(state),
      code_challenge: await calculatePKCECodeChallenge(this.states.verifierOf(state)), code_challenge_method: 'S256',
    });
  }

  /** The sign-in that a browser comes back to; `undefined` for a state that is not (any more) this browser's and this provider's. */
  async take({ providerId, browser, state }: Return): Promise<{ readonly id: string; readonly interactionUid: string } | undefined> {
    if (browser === undefined || state === '') return undefined;
    return this.attempts.take({ providerId, stateHash: hashOf(state), browserHash: hashOf(browser) });
  }

  /** Exchanges the code, and keeps who it is, or why not, for the page that follows. */
  async arrive(attemptId: string, provider: IdentityProviderEntity, { state, search }: Return): Promise<void> {
    try {
      const profile = await this.exchange(provider, state, search);
      await this.attempts.keep(attemptId, { profile });
    } catch (error) {
      const { fault } = faultOf(error);
      this.logger.warn({ providerId: provider.id, fault, err: redacted(error) }, 'a sign-in at an identity provider failed');
      await this.attempts.keep(attemptId, { fault });
    }
  }

  private async exchange(provider: IdentityProviderEntity, state: string, search: string): Promise<UpstreamProfile> {
    const configuration = await this.issuers.discover(provider);
    const url = new URL(callbackUri(this.settings.BASE_URL, provider.id));
    url.search = search;
    const tokens = await authorizationCodeGrant(configuration, url, {
      expectedState: state, expectedNonce: this.states.nonceOf(state), pkceCodeVerifier: this.states.verifierOf(state), idTokenExpected: true,
    });
    const idToken = tokens.claims();
    const profile = idToken === undefined ? undefined : toProfile(await withAddress(configuration, tokens.access_token, idToken));
    if (profile === undefined) throw new UpstreamRefusal('protocol');
    return profile;
  }

  private refuse(provider: IdentityProviderEntity, error: unknown): never {
    const refusal = faultOf(error);
    this.logger.warn({ providerId: provider.id, fault: refusal.fault, err: redacted(error) }, 'an identity provider could not be asked');
    throw refusal;
  }
}

/** Many issuers tell the address at their userinfo endpoint alone. What both say, the signed one says. */
async function withAddress(configuration: Configuration, accessToken: string, idToken: IDToken): Promise<Claims> {
  if (idToken['email'] !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined) return idToken;
  return { ...(await fetchUserInfo(configuration, accessToken, idToken.sub)), ...idToken };
}

/** Answers of issuers, which hang on the library's errors as causes, hold tokens and addresses: names and codes are told alone. */
function redacted(error: unknown): Record<string, unknown> {
  const reasons = chainOf(error).map((link) => {
    const { code, error: oauthError } = link as { code?: unknown; error?: unknown };
    return [link.name, code, oauthError].filter((part) => typeof part === 'string').join(' ');
  });
  return { message: reasons.join(' < ') };
}
