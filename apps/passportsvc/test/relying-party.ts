import { Browser, type BrowserResponse } from './browser';
import { ADMIN, type PassportApp } from './passport-app';
import type { Caller, Tenant } from './tenancy';

export const RP_CALLBACK = 'https://rp.example.com/callback';

/** Somebody at a browser: follows redirects, signs in when asked, answers the question for consent, and stops where it is sent back to the application. */
export class Person {
  readonly asked: string[] = [];

  constructor(
    readonly browser: Browser,
    private readonly origin: string,
    private readonly credentials = ADMIN,
    private readonly decision: 'allow' | 'deny' = 'allow',
  ) {}

  static of(passport: PassportApp, credentials = ADMIN, decision: 'allow' | 'deny' = 'allow'): Person {
    return new Person(new Browser(passport.baseUrl), passport.baseUrl, credentials, decision);
  }

  /** Where the browser ends up outside of the platform. */
  async visit(url: string | URL): Promise<URL> {
    let answer = await this.browser.get(url);
    for (let step = 0; step < 12; step += 1) {
      if (answer.location !== undefined && answer.location.origin !== this.origin) return answer.location;
      answer = answer.location === undefined ? await this.answer(answer) : await this.browser.get(answer.location);
    }
    throw new Error(`still at the platform: ${answer.status} ${answer.text.slice(0, 300)}`);
  }

  private async answer(page: BrowserResponse): Promise<BrowserResponse> {
    if (page.text.includes('name="password"')) {
      this.asked.push('sign-in');
      return this.browser.fill(page, this.credentials);
    }
    if (page.text.includes('name="decision"')) {
      this.asked.push('consent');
      return this.browser.fill(page, { decision: this.decision });
    }
    throw new Error(`a page that asks for nothing: ${page.status} ${page.text.slice(0, 600)}`);
  }
}

/** An application of a tenant, made and changed through the API as its owner would. */
export async function register({ owner, app }: Tenant, fields: object = {}): Promise<string> {
  const { status, body } = await owner.put(`/apps/${app._id}`, { _redirectUris: RP_CALLBACK, _authorizedOrigins: new URL(RP_CALLBACK).origin, ...fields });
  if (status !== 200) throw new Error(`the application was not changed: ${JSON.stringify(body)}`);
  return app._id;
}

export async function secretOf(owner: Caller, appId: string): Promise<string> {
  return ((await owner.post(`/apps/${appId}/secret`)).body as { client_secret: string }).client_secret;
}
