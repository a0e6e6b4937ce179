import type { PassportApp } from './passport-app';
import { exchange } from './sign-in';
import { type Answer, API, type Caller, manager } from './tenancy';

export interface ClientTerms {
  readonly _scopes?: readonly string[];
  readonly _trusted?: boolean;
  readonly _orgId?: string;
}

/** A program that signs in as itself; `download` asks for a secret with the token of the client. */
export interface DownloadClient {
  readonly id: string;
  readonly token: string;
  download(name: string, nsfilter: string, baseUrl?: string): Promise<Answer>;
}

export async function newClient(passport: PassportApp, terms: ClientTerms = {}, admin?: Caller): Promise<DownloadClient> {
  const { body } = await (admin ?? (await manager(passport))).post('/clients', { _name: 'importer', _scopes: ['download-secrets', 'read'], _trusted: true, ...terms });
  const form = { grant_type: 'client_credentials', client_id: String(body.client_id), client_secret: String(body.client_secret) };
  const { access_token: token } = (await (await exchange(passport.baseUrl, form, `${API}/oauth/token`)).json()) as { access_token: string };
  return { id: form.client_id, token, download: (name, nsfilter, baseUrl = passport.baseUrl) => download(baseUrl, token, name, nsfilter) };
}

export async function download(baseUrl: string, token: string | undefined, name: string, nsfilter: string): Promise<Answer> {
  const response = await fetch(`${baseUrl}${API}/secrets/${encodeURIComponent(name)}/download?nsfilter=${nsfilter}`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  return { status: response.status, body: (await response.json()) as unknown };
}
