import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@twinyard/service-kit';
import {
  allowInsecureRequests, type ClientAuth, ClientSecretBasic, ClientSecretPost, type Configuration, customFetch, discovery, enableNonRepudiationChecks, None,
} from 'openid-client';
import type { IdentityProviderEntity } from '../identityproviders/identity-provider.entity';
import { ProviderSecrets } from '../identityproviders/provider-secrets';
import { isSecure } from './issuer-address';
import { faultOf, type UpstreamFault, UpstreamRefusal } from './upstream-fault';
import { UpstreamTransport } from './upstream-transport.adapter';

/** What the check of a new issuer has found. */
export type IssuerCheck = { readonly outcome: 'good' } | { readonly outcome: 'unreachable' } | { readonly outcome: 'wrong'; readonly issue: string };

const ISSUES: Partial<Record<UpstreamFault, string>> = {
  'other-issuer': 'its discovery document names another issuer',
  private: 'is at a private address',
  unsafe: 'its discovery document names an address that is not https',
};

/**
 * What issuers say of themselves, asked anew for each step of a sign-in: so addresses and keys that they change are in force at
 * once, and an answer is never taken for another issuer's.
 */
@Injectable()
export class UpstreamIssuers {
  constructor(
    private readonly transport: UpstreamTransport,
    private readonly secrets: ProviderSecrets,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws UpstreamRefusal */
  async discover(provider: IdentityProviderEntity): Promise<Configuration> {
    const secret = provider.sealedSecret === null ? undefined : this.secrets.open(provider.sealedSecret, provider.id);
    const configuration = await this.ask(provider.issuer, provider.clientId, (as, client, body, headers) =>
      authenticationFor(secret, as.token_endpoint_auth_methods_supported)(as, client, body, headers));
    // OpenID Connect Core 3.1.3.7 would be content with TLS; a signature says the same whoever stands between.
    enableNonRepudiationChecks(configuration);
    return configuration;
  }

  /** Told when it is saved rather than when the first person signs in. One that cannot be reached now may be later. */
  async check(issuer: string): Promise<IssuerCheck> {
    try {
      await this.ask(issuer, 'check', None());
      return { outcome: 'good' };
    } catch (error) {
      const { fault, cause } = faultOf(error);
      this.logger.info({ fault, err: cause }, 'an issuer was not found as it was named');
      if (fault === 'unreachable') return { outcome: 'unreachable' };
      return { outcome: 'wrong', issue: ISSUES[fault] ?? 'has no OpenID Connect discovery document' };
    }
  }

  private async ask(issuer: string, clientId: string, authentication: ClientAuth): Promise<Configuration> {
    const { fetch, timeoutSeconds, allowPrivate } = this.transport;
    try {
      const configuration = await discovery(new URL(issuer), clientId, undefined, authentication, {
        [customFetch]: fetch, timeout: timeoutSeconds, ...(allowPrivate && { execute: [allowInsecureRequests] }),
      });
      requireSound(configuration, issuer, allowPrivate);
      return configuration;
    } catch (error) {
      throw faultOf(error);
    }
  }
}

/** What the library leaves to us: issuers for many tenants, which name another issuer than they are asked by, and the addresses. */
function requireSound(configuration: Configuration, issuer: string, allowPrivate: boolean): void {
  const server = configuration.serverMetadata();
  if (new URL(server.issuer).href !== new URL(issuer).href) throw new UpstreamRefusal('other-issuer');
  const { authorization_endpoint: authorization, token_endpoint: token, jwks_uri: keys, userinfo_endpoint: userinfo } = server;
  if (authorization === undefined || token === undefined || keys === undefined) throw new UpstreamRefusal('protocol');
  const addresses = [authorization, token, keys, ...(userinfo === undefined ? [] : [userinfo])];
  if (!addresses.every((address) => URL.canParse(address) && isSecure(new URL(address), allowPrivate))) throw new UpstreamRefusal('unsafe');
}

/** In the header, as OpenID Connect has it where an issuer says nothing (Discovery section 3), else in the form. */
function authenticationFor(secret: string | undefined, methods: readonly string[] | undefined): ClientAuth {
  if (secret === undefined) return None();
  return methods === undefined || methods.includes('client_secret_basic') ? ClientSecretBasic(secret) : ClientSecretPost(secret);
}
