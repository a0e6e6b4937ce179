import { randomUUID } from 'node:crypto';
import type { AppEntity } from '../src/apps/app.entity';
import { APP_REDIRECT_URI, registerApp } from './applications';
import { Browser, type BrowserResponse, newVerifier } from './browser';
import type { PassportApp } from './passport-app';
import { authorizeUrl, exchange, type Parameters, type Tokens } from './sign-in';
import { type Caller, newTenant, send, type Tenant } from './tenancy';
import type { HandMadeIssuer } from './upstream-issuer';

export interface Provider {
  readonly _id: string;
  readonly _usergroupId: string;
  readonly _redirectUri: string;
}

/** An organization with an application that people sign in to, and what it connects. */
export interface Realm {
  readonly passport: PassportApp;
  readonly tenant: Tenant;
  readonly app: AppEntity;
  connect(by: Caller, issuer: string, changes?: Record<string, unknown>): Promise<Provider>;
}

export async function newRealm(passport: PassportApp, name: string): Promise<Realm> {
  const tenant = await newTenant(passport, name);
  const app = await registerApp(passport, { name, orgId: tenant.organization._id });
  const path = `/organizations/${tenant.organization._id}/identityproviders`;
  return {
    passport, tenant, app,
    connect: async (by, issuer, changes = {}) => {
      const { status, body } = await by.post(path, { _name: `${name} ${randomUUID().slice(0, 8)}`, _issuer: issuer, _clientId: 'twinyard', _clientSecret: 'known to both', ...changes });
      if (status !== 201) throw new Error(`not connected: ${JSON.stringify(body)}`);
      return body as Provider;
    },
  };
}

/** One person at one browser who wants to sign in to the application of a realm. */
export class UpstreamVisit {
  readonly verifier = newVerifier();
  page: BrowserResponse | undefined;

  private constructor(readonly realm: Realm, readonly browser: Browser) {}

  static async begin(realm: Realm, changes: Parameters = {}, browser = new Browser(realm.passport.baseUrl)): Promise<UpstreamVisit> {
    const visit = new UpstreamVisit(realm, browser);
    const toPage = await browser.get(authorizeUrl(visit.verifier, { client_id: realm.app.id, redirect_uri: APP_REDIRECT_URI, ...changes }));
    visit.page = await browser.get(toPage.location as URL);
    visit.path = (toPage.location as URL).pathname;
    return visit;
  }

  /** Path of the sign-in page. */
  path = '';

  /** Follows the link of a provider: where the browser is sent. */
  async leave({ _id }: Pick<Provider, '_id'>): Promise<BrowserResponse> {
    return this.browser.get(`${this.path}/upstream/${_id}`);
  }

  /** To the provider, signed in there at once, and to where it sends the browser back. */
  async cross(provider: Provider, issuer: HandMadeIssuer): Promise<URL> {
    const { location, status, text } = await this.leave(provider);
    if (location === undefined) throw new Error(`not sent to the issuer: ${status} ${text}`);
    return issuer.authorize(location);
  }

  /** From the callback to the page, or the application, that follows. */
  async arrive(callback: URL): Promise<BrowserResponse> {
    const back = await this.browser.get(callback);
    return back.status === 303 && back.location !== undefined ? this.goOn(await this.browser.get(back.location)) : back;
  }

  /** Resumes the authorization request after a finished sign-in; pages are shown as they are. */
  async goOn(answer: BrowserResponse): Promise<BrowserResponse> {
    return answer.location !== undefined && answer.location.pathname.includes('/oauth/authorize/') ? this.browser.get(answer.location) : answer;
  }

  async signIn(provider: Provider, issuer: HandMadeIssuer): Promise<BrowserResponse> {
    return this.arrive(await this.cross(provider, issuer));
  }

  async tokens(answer: BrowserResponse): Promise<Tokens> {
    const code = answer.location?.searchParams.get('code');
    if (code === undefined || code === null) throw new Error(`no code: ${answer.status} ${answer.location?.href ?? answer.text}`);
    const response = await exchange(this.realm.passport.baseUrl, {
      grant_type: 'authorization_code', code, client_id: this.realm.app.id, redirect_uri: APP_REDIRECT_URI, code_verifier: this.verifier,
    });
    return (await response.json()) as Tokens;
  }

  /** Whom the application has got. */
  async who(answer: BrowserResponse): Promise<{ _id: string; _email: string; _emailVerified: boolean; _firstname: string; _lastname: string }> {
    const { access_token: token } = await this.tokens(answer);
    return (await send(this.realm.passport, 'GET', '/users/me', token)).body as never;
  }
}

/** A new visit that goes the whole way: whom the application has got. */
export async function signInThrough(realm: Realm, provider: Provider, issuer: HandMadeIssuer, browser?: Browser) {
  const visit = await UpstreamVisit.begin(realm, {}, browser);
  return visit.who(await visit.signIn(provider, issuer));
}

/** Fills in one of several forms of a page: the one whose action ends so. */
export async function fillForm(browser: Browser, page: BrowserResponse, ending: string, values: Record<string, string>): Promise<BrowserResponse> {
  const form = [...page.text.matchAll(/<form[^>]*action="([^"]+)"[^>]*>(.*?)<\/form>/gs)].find(([, action = '']) => action.endsWith(ending));
  if (form === undefined) throw new Error(`no form ending with ${ending} in ${page.text}`);
  const [, action = '', content = ''] = form;
  const hidden = [...content.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value] as const);
  return browser.submit(action, { ...(Object.fromEntries(hidden) as Record<string, string>), ...values });
}
