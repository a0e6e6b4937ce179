import { eventually } from '@twinyard/testing';
import type { FakeMailServer } from '@twinyard/testing/mail-server';
import type { Email } from 'postal-mime';
import { DataSource } from 'typeorm';
import { Passwords } from '../src/accounts/passwords';
import { Browser, type BrowserResponse, newVerifier } from './browser';
import { type PassportApp, REDIRECT_URI } from './passport-app';
import { authorizeUrl, exchange, type Parameters, type Tokens } from './sign-in';

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
export const unescapeHtml = (text: string) => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);

/** Sends the form of a page whose address ends so, with its hidden fields. */
export async function submitForm(browser: Browser, page: BrowserResponse, action: string, values: Record<string, string> = {}): Promise<BrowserResponse> {
  const forms = [...page.text.matchAll(/<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(([, address = '', content = '']) => ({ address: unescapeHtml(address), content }));
  const form = forms.find(({ address }) => address.split('?')[0]?.endsWith(action));
  if (form === undefined) throw new Error(`no form for ${action} on: ${page.text}`);
  const hidden = [...form.content.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, unescapeHtml(value)]);
  return browser.submit(form.address, { ...(Object.fromEntries(hidden) as Record<string, string>), ...values });
}

/** Follows redirects within the service, and stops at what leads elsewhere. */
export async function follow(browser: Browser, answer: BrowserResponse, baseUrl: string): Promise<BrowserResponse> {
  let last = answer;
  for (let hops = 0; hops < 10 && last.location?.origin === baseUrl; hops += 1) last = await browser.get(last.location);
  return last;
}

/** A browser that an application has sent to sign in, at the first page that it meets. */
export class Visitor {
  readonly browser: Browser;
  readonly verifier = newVerifier();

  /** `servers` and `headers`: as a browser takes them. */
  constructor(private readonly passport: PassportApp, servers: readonly string[] = [passport.baseUrl], headers: Record<string, string> = {}) {
    this.browser = new Browser(passport.baseUrl, [...servers], headers);
  }

  async open(changes: Parameters = {}, headers: Record<string, string> = {}): Promise<BrowserResponse> {
    const { location } = await this.browser.get(authorizeUrl(this.verifier, changes), headers);
    return this.browser.get(location as URL, headers);
  }

  get(url: string | URL): Promise<BrowserResponse> {
    return this.browser.get(url);
  }

  async submit(page: BrowserResponse, action: string, values: Record<string, string> = {}): Promise<BrowserResponse> {
    return follow(this.browser, await submitForm(this.browser, page, action, values), this.passport.baseUrl);
  }

  link(page: BrowserResponse, end: string): string {
    const links = [...page.text.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, address = '']) => unescapeHtml(address));
    const found = links.find((address) => address.split('?')[0]?.endsWith(end));
    if (found === undefined) throw new Error(`no link to ${end} among ${links.join(' ')}`);
    return found;
  }

  /** What the console gets for the code of an answer. */
  async tokens({ location }: BrowserResponse): Promise<Tokens> {
    const code = location?.searchParams.get('code') ?? undefined;
    const form = { grant_type: 'authorization_code', code, client_id: 'console', redirect_uri: REDIRECT_URI, code_verifier: this.verifier };
    return (await (await exchange(this.passport.baseUrl, form)).json()) as Tokens;
  }
}

export const headingOf = ({ text }: BrowserResponse) => unescapeHtml(/<h1>(.*?)<\/h1>/s.exec(text)?.[1] ?? '');

/** Of the mails to an address whose subject begins so, the last one. */
export const mailTo = (mail: FakeMailServer, email: string, subject: string): Promise<Email & { subject: string }> =>
  eventually(() => mail.find((message) => message.to?.[0]?.address === email && message.subject.startsWith(subject)));

export async function linkTo(mail: FakeMailServer, email: string, subject: string): Promise<string> {
  const { text } = await mailTo(mail, email, subject);
  return /^https?:\S+$/m.exec(text ?? '')?.[0] ?? '';
}

/** What no request can bring about, such as time that has gone by. */
export const query = <Row>({ app }: PassportApp, sql: string, parameters: unknown[] = []): Promise<Row[]> => app.get(DataSource, { strict: false }).query<Row[]>(sql, parameters);

/** More sign-ins wait than may, until the answer is called. */
export function fillQueue({ app }: PassportApp): () => Promise<void> {
  const passwords = app.get(Passwords, { strict: false });
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => { open = resolve; });
  const turns = Array.from({ length: 250 }, () => passwords.inTurn(() => gate).catch(() => undefined));
  return async () => {
    open();
    await Promise.all(turns);
  };
}
