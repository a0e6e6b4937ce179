import { randomUUID } from 'node:crypto';
import { BOOTSTRAP_CLIENT, type PassportApp } from './passport-app';
import { type Caller, manager } from './tenancy';

export const SCIM = '/passportsvc/api/v1/scim';
export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

export interface ScimAnswer {
  readonly status: number;
  readonly headers: Headers;
  // What a test reads out of a body differs from test to test; the assertions are its types.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

export interface ScimRecord extends Record<string, unknown> {
  readonly id: string;
  readonly userName: string;
  readonly meta: { readonly version: string };
}

/** A provider's SCIM client, as far as HTTP goes. */
export class ScimClient {
  constructor(
    private readonly baseUrl: string,
    readonly token: string,
  ) {}

  get = (path: string, headers: Record<string, string> = {}) => this.send('GET', path, undefined, headers);
  post = (path: string, body: unknown, headers: Record<string, string> = {}) => this.send('POST', path, body, headers);
  put = (path: string, body: unknown, headers: Record<string, string> = {}) => this.send('PUT', path, body, headers);
  patch = (id: string, operations: readonly unknown[], headers: Record<string, string> = {}) =>
    this.send('PATCH', `/Users/${id}`, { schemas: [PATCH_OP], Operations: operations }, headers);
  delete = (path: string, headers: Record<string, string> = {}) => this.send('DELETE', path, undefined, headers);
  find = (filter: string, more = '') => this.get(`/Users?filter=${encodeURIComponent(filter)}${more}`);

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ScimAnswer> {
    const response = await fetch(this.baseUrl + SCIM + path, {
      method,
      headers: { authorization: `Bearer ${this.token}`, ...(body !== undefined && { 'content-type': 'application/scim+json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  }

  async newUser(changes: Record<string, unknown> = {}): Promise<ScimRecord> {
    const userName = `user.${randomUUID()}@example.com`;
    const { status, body } = await this.post('/Users', { schemas: [USER], userName, ...changes });
    if (status !== 201) throw new Error(`POST answered ${status} ${JSON.stringify(body)}`);
    return body as ScimRecord;
  }
}

async function tokenOf(passport: PassportApp, id: string, secret: string, scope: string): Promise<string> {
  const response = await fetch(`${passport.baseUrl}/passportsvc/api/v1/oauth/token`, {
    method: 'POST', headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** A client of the platform, which is no organization's. */
export const platformScim = async (passport: PassportApp, scope = 'scim') =>
  new ScimClient(passport.baseUrl, await tokenOf(passport, BOOTSTRAP_CLIENT.id, BOOTSTRAP_CLIENT.secret, scope));

/** The client of an organization, as a platform manager makes one for its provider. */
export async function organizationScim(passport: PassportApp, orgId: string, by?: Caller): Promise<ScimClient> {
  const { status, body } = await (by ?? (await manager(passport))).post('/clients', { _name: 'provider', _orgId: orgId, _scopes: ['scim', 'read'] });
  if (status !== 201) throw new Error(`POST /clients answered ${status}`);
  const { client_id: id, client_secret: secret } = body as { client_id: string; client_secret: string };
  return new ScimClient(passport.baseUrl, await tokenOf(passport, id, secret, 'scim'));
}
