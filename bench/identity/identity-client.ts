import { createHash, randomBytes } from 'node:crypto';
import { Pool } from 'undici';

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly location: string | undefined;
  readonly cookies: readonly string[];
}

interface Sent {
  readonly token?: string;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** HTTP at one address, on a fixed number of connections. */
export class IdentityClient {
  private readonly pool: Pool;

  constructor(origin: string, connections: number) {
    this.pool = new Pool(origin, { connections, pipelining: 1 });
  }

  async send(method: 'GET' | 'POST' | 'PUT', path: string, { token, json, form, headers }: Sent = {}): Promise<Reply> {
    const body = form === undefined ? json && JSON.stringify(json) : new URLSearchParams(form).toString();
    const answer = await this.pool.request({
      method, path,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      ...(typeof body === 'string' && { body }),
    });
    const { location, 'set-cookie': cookies = [] } = answer.headers;
    return { status: answer.statusCode, text: await answer.body.text(), location: location?.toString(), cookies: [cookies].flat() };
  }

  /** @throws unless the answer is a success. */
  async ask<T>(method: 'GET' | 'POST' | 'PUT', path: string, sent: Sent = {}): Promise<T> {
    const { status, text } = await this.send(method, path, sent);
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  }

  async close(): Promise<void> {
    await this.pool.close();
  }
}

const REDIRECT = '/console/callback';

/** A sign-in whose form is filled in and not sent yet. */
export class PreparedSignIn {
  private readonly verifier = randomBytes(32).toString('base64url');
  private readonly cookies = new Map<string, string>();
  private action = '';
  private csrf = '';

  constructor(private readonly client: IdentityClient, private readonly baseUrl: string, private readonly headers: Readonly<Record<string, string>> = {}) {}

  async prepare(): Promise<this> {
    const parameters = new URLSearchParams({
      response_type: 'code', client_id: 'console', redirect_uri: this.baseUrl + REDIRECT, scope: 'read write', state: 'bench',
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'), code_challenge_method: 'S256',
    });
    const toPage = await this.visit('GET', `/passportsvc/api/v2/oauth/authorize?${parameters}`);
    const page = await this.visit('GET', pathOf(toPage.location));
    this.action = /<form[^>]*action="([^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    this.csrf = /name="csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
    return this;
  }

  /** The one request that costs a password hash. */
  async submit(email: string, password: string): Promise<Reply> {
    return this.visit('POST', this.action, { csrf: this.csrf, email, password });
  }

  /** Goes on after the form, to a token. */
  async token(submitted: Reply): Promise<string> {
    if (submitted.status !== 303) throw new Error(`signing in answered ${submitted.status}`);
    const resumed = await this.visit('GET', pathOf(submitted.location));
    const code = new URL(resumed.location ?? '', this.baseUrl).searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, client_id: 'console', redirect_uri: this.baseUrl + REDIRECT, code_verifier: this.verifier };
    return (await this.client.ask<{ access_token: string }>('POST', '/passportsvc/api/v2/oauth/token', { form })).access_token;
  }

  private async visit(method: 'GET' | 'POST', path: string, form?: Record<string, string>): Promise<Reply> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await this.client.send(method, path, { headers: { ...this.headers, cookie }, ...(form && { form }) });
    for (const line of reply.cookies) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s);
      this.cookies.set(name, value);
    }
    return reply;
  }
}

const pathOf = (location: string | undefined) => {
  if (location === undefined) throw new Error('no redirect to the sign-in page');
  const { pathname, search } = new URL(location, 'http://bench');
  return pathname + search;
};
