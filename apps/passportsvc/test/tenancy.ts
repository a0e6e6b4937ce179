import { randomUUID } from 'node:crypto';
import { keptScopes } from '@twinyard/auth';
import type { SentAnswer } from '@twinyard/testing';
import { DataSource } from 'typeorm';
import { AccessTokenSigner } from '../src/oauth/access-token-signer';
import { UsersRepository } from '../src/users/users.repository';
import { ADMIN, type PassportApp } from './passport-app';

export const API = '/passportsvc/api/v1';

export interface Answer {
  readonly status: number;
  // What a test reads out of a body differs from test to test; the assertions are its types.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

/** One person with one token. */
export class Caller {
  constructor(
    readonly id: string,
    readonly email: string,
    private readonly passport: PassportApp,
    private readonly appId: string,
    private readonly token: string,
  ) {}

  get = (path: string) => this.send('GET', path);
  post = (path: string, body?: unknown) => this.send('POST', path, body);
  put = (path: string, body?: unknown) => this.send('PUT', path, body);
  patch = (path: string, body?: unknown) => this.send('PATCH', path, body);
  delete = (path: string, body?: unknown) => this.send('DELETE', path, body);

  /** An answer with the address that a 202 or 201 names. */
  full = (method: string, path: string, body?: unknown) => sendFull(this.passport, method, path, this.token, body);

  /** With headers of one's own, and as it is answered on the wire. */
  async wire(method: string, path: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<SentAnswer> {
    const response = await fetchApi(this.passport, method, path, { token: this.token, body, headers });
    return { status: response.status, text: await response.text(), headers: Object.fromEntries(response.headers) };
  }

  /** The same token at another replica. */
  at = (baseUrl: string) => new Caller(this.id, this.email, { ...this.passport, baseUrl }, this.appId, this.token);

  /** The same person with a token of another application, or with fewer scopes. */
  in(appId: string, scopes?: readonly string[]): Promise<Caller> {
    return callerOf(this.passport, this.id, this.email, appId, scopes);
  }

  private async send(method: string, path: string, body?: unknown): Promise<Answer> {
    return send(this.passport, method, path, this.token, body);
  }
}

export async function send(passport: PassportApp, method: string, path: string, token?: string, body?: unknown): Promise<Answer> {
  const { status, body: answered } = await sendFull(passport, method, path, token, body);
  return { status, body: answered };
}

async function sendFull(passport: PassportApp, method: string, path: string, token?: string, body?: unknown): Promise<Answer & { location: string | null }> {
  const response = await fetchApi(passport, method, path, { token, body });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown), location: response.headers.get('location') };
}

interface Sent {
  readonly token: string | undefined;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const fetchApi = (passport: PassportApp, method: string, path: string, { token, body, headers }: Sent) => fetch(passport.baseUrl + API + path, {
  method,
  headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
  ...(body !== undefined && { body: JSON.stringify(body) }),
});

async function callerOf(passport: PassportApp, id: string, email: string, appId: string, scopes: readonly string[] = ['read', 'write']): Promise<Caller> {
  const signer = passport.app.get(AccessTokenSigner, { strict: false });
  const { token } = await signer.sign({ subject: id, clientId: appId, scopes: keptScopes(scopes), seconds: 3_600, claims: {} });
  return new Caller(id, email, passport, appId, token);
}

/** Somebody new who signed up and has a token of the console. */
export async function newPerson(passport: PassportApp, name: string): Promise<Caller> {
  const email = `${name.toLowerCase()}.${randomUUID().slice(0, 8)}@example.com`;
  const { status, body } = await send(passport, 'POST', '/accounts', undefined, { _email: email, _password: 'a long enough one', _firstname: name, _lastname: 'Tester' });
  if (status !== 201) throw new Error(`sign-up answered ${status}`);
  return callerOf(passport, (body as { _id: string })._id, email, 'console');
}

/** As by the link of the mail that comes with a new account. */
export const confirmAddress = async ({ app }: PassportApp, email: string): Promise<void> => {
  await app.get(DataSource, { strict: false }).query('UPDATE app_user SET email_verified = true WHERE email = $1', [email]);
};

/** The platform manager in the console. */
export async function manager(passport: PassportApp): Promise<Caller> {
  const admin = await passport.app.get(UsersRepository, { strict: false }).findByEmail(ADMIN.email);
  if (admin === undefined) throw new Error('there is no platform manager');
  return callerOf(passport, admin.id, ADMIN.email, 'console');
}

export interface Tenant {
  readonly owner: Caller;
  readonly organization: { readonly _id: string; readonly _namespaces: string[] };
  readonly app: { readonly _id: string; readonly _namespaces: string[] };
  /** The owner with a token of the application. */
  readonly inApp: Caller;
}

export async function newTenant(passport: PassportApp, name: string): Promise<Tenant> {
  const owner = await newPerson(passport, name);
  await confirmAddress(passport, owner.email);
  const made = await (await manager(passport)).post('/organizations', { _name: `${name} ${randomUUID().slice(0, 8)}`, _orgOwner: owner.email });
  const organization = made.body as Tenant['organization'];
  const app = (await owner.post('/apps', { _name: `${name} App`, _orgId: organization._id })).body as Tenant['app'];
  return { owner, organization, app, inApp: await owner.in(app._id) };
}

/** Gives actions on an IRN pattern in a namespace that `owner` owns. */
export async function grant(owner: Caller, user: { _type: string; _id: string }, namespace: string, irn: string, actions: readonly string[]): Promise<void> {
  const { body } = await owner.put('/permissions', [{ _namespace: namespace, _actions: actions, _resourceDesc: { _irn: irn }, _user: user }]);
  const { _failures } = body as { _failures: unknown[] };
  if (_failures.length > 0) throw new Error(`not granted: ${JSON.stringify(_failures)}`);
}
