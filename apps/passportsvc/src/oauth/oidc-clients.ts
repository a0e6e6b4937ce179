import { Inject, Injectable } from '@nestjs/common';
import { CONSOLE_APP_ID } from '@twinyard/conventions';
import type { AdapterPayload } from 'oidc-provider';
import type { AppEntity } from '../apps/app.entity';
import { AppsRepository } from '../apps/apps.repository';
import type { ClientEntity } from '../clients/client.entity';
import { secretGeneration } from '../clients/client-secrets';
import { KnownClients } from '../clients/known-clients';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { withAndWithoutSlash } from './redirect-uris';

/** What every application may ask for in its users' name. */
export const USER_SCOPES = ['openid', 'profile', 'email', 'read', 'write'] as const;
/** What a client of the platform may be given besides (contract 1.1). */
export const CLIENT_SCOPES = ['scim', 'download-secrets'] as const;
/** Our own client metadata, which oidc-provider carries along. */
export const CLIENT_METADATA = ['allowed_scopes', 'default_response_mode', 'first_party', 'secret_generation', 'takes_implicit', 'organization_id'] as const;

/** No application has it: theirs are UUIDs, or `console`. */
export const ACCOUNT_CLIENT_ID = 'account';
export const ACCOUNT_PATH = '/passportsvc/api/accounts';

const CLIENT_ID = /^[\w.-]{1,128}$/;
const APPLICATION_GRANTS = ['authorization_code', 'refresh_token', 'client_credentials'];

/** Applications and clients, both of them OAuth clients, as oidc-provider's metadata. */
@Injectable()
export class OidcClients {
  constructor(
    private readonly apps: AppsRepository,
    private readonly clients: KnownClients,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  async find(id: string): Promise<AdapterPayload | undefined> {
    if (id === ACCOUNT_CLIENT_ID) return accountPage(this.settings.BASE_URL);
    if (!CLIENT_ID.test(id)) return undefined;
    // A client asks for a token of its own often, an application's user now and then.
    const client = id === CONSOLE_APP_ID ? undefined : await this.clients.find(id);
    if (client !== undefined) return knownClient(client);
    const application = await this.apps.findClient(id);
    return application && fromApplication(application);
  }
}

/** Our own account page. It gets no code and no token: all that it asks for is that the browser has a session when it comes back. */
const accountPage = (baseUrl: string): AdapterPayload => ({
  client_id: ACCOUNT_CLIENT_ID,
  redirect_uris: [baseUrl + ACCOUNT_PATH],
  response_types: ['none'],
  grant_types: [],
  token_endpoint_auth_method: 'none',
  allowed_scopes: 'openid',
  default_response_mode: 'query',
  first_party: true,
});

function fromApplication(application: AppEntity): AdapterPayload {
  const { clientSecretHash, redirectUris } = application;
  const isConfidential = clientSecretHash !== null;
  const uris = withAndWithoutSlash(redirectUris);
  return {
    client_id: application.id,
    client_name: application.name,
    redirect_uris: uris,
    post_logout_redirect_uris: application.postLogoutRedirectUris,
    response_types: uris.length > 0 ? ['code'] : [],
    grant_types: grantTypesOf(application, isConfidential, uris.length > 0),
    ...(isConfidential && { client_secret: clientSecretHash, secret_generation: secretGeneration(clientSecretHash) }),
    token_endpoint_auth_method: isConfidential ? 'client_secret_basic' : 'none',
    ...(uris.some(isCustomScheme) && { application_type: 'native' }),
    allowed_scopes: USER_SCOPES.join(' '),
    default_response_mode: application.responseMode,
    first_party: application.firstParty,
    takes_implicit: application.authorizedGrantTypes.includes('implicit'),
    ...(application.orgId !== null && { organization_id: application.orgId }),
  };
}

function grantTypesOf({ authorizedGrantTypes }: AppEntity, isConfidential: boolean, redirects: boolean): string[] {
  const listed = APPLICATION_GRANTS.filter((grant) => authorizedGrantTypes.includes(grant) && (isConfidential || grant !== 'client_credentials'));
  return [...new Set(redirects ? ['authorization_code', ...listed] : listed.filter((grant) => grant === 'client_credentials'))];
}

const isCustomScheme = (uri: string) => !/^https?:/.test(uri);

/** A client that is kept asks again and again, and the library keys what it has made of this by its text. */
const knownPayloads = new WeakMap<ClientEntity, AdapterPayload>();

function knownClient(client: ClientEntity): AdapterPayload {
  const known = knownPayloads.get(client);
  if (known !== undefined) return known;
  const payload = Object.freeze(fromClient(client));
  knownPayloads.set(client, payload);
  return payload;
}

const fromClient = (client: ClientEntity): AdapterPayload => ({
  client_id: client.id,
  client_name: client.name,
  redirect_uris: [],
  response_types: [],
  grant_types: ['client_credentials'],
  client_secret: client.secretHash,
  secret_generation: secretGeneration(client.secretHash),
  token_endpoint_auth_method: 'client_secret_basic',
  allowed_scopes: client.scopes.join(' '),
  ...(client.orgId !== null && { organization_id: client.orgId }),
});
