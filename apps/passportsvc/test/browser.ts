import { createHash, randomBytes } from 'node:crypto';

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

export interface BrowserResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly location: URL | undefined;
}

/** A browser as far as sign-in goes: it keeps cookies by path and sends forms, and it follows redirects only when told. */
export class Browser {
  private cookies: Cookie[] = [];

  /** `servers`: what really answers, in turn, like replicas behind one address. `headers` go with every request, such as where it comes from. */
  constructor(private readonly baseUrl: string, private readonly servers: string[] = [baseUrl], private readonly headers: Record<string, string> = {}) {}

  /** The value of a cookie; `undefined` when there is none. */
  cookie(name: string): string | undefined {
    return this.cookies.find((cookie) => cookie.name === name)?.value;
  }

  /** A browser with the cookies of this one: what somebody has who planted or stole them. */
  copy(): Browser {
    const other = new Browser(this.baseUrl, [...this.servers], this.headers);
    other.cookies = [...this.cookies];
    return other;
  }

  plant(name: string, value: string, path = '/'): void {
    this.cookies = [...this.cookies.filter((cookie) => cookie.name !== name || cookie.path !== path), { name, value, path }];
  }

  async get(url: string | URL, headers: Record<string, string> = {}): Promise<BrowserResponse> {
    return this.send(url, { headers });
  }

  async submit(url: string | URL, form: Record<string, string>): Promise<BrowserResponse> {
    return this.send(url, { method: 'POST', body: new URLSearchParams(form) });
  }

  /** Sends the form that a page shows, as somebody does who fills in the named inputs. */
  async fill(page: BrowserResponse, values: Record<string, string>): Promise<BrowserResponse> {
    const form = /<form[^>]*action="([^"]+)"/.exec(page.text)?.[1];
    // Or an error that was answered in the page's place would show as the 404 of an address that is none.
    if (form === undefined) throw new Error(`no form on a page that was answered with ${page.status}: ${page.text}`);
    const action = unescape(form);
    const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value] as const);
    return this.submit(new URL(action, this.baseUrl), { ...(Object.fromEntries(hidden) as Record<string, string>), ...values });
  }

  private async send(url: string | URL, init: RequestInit): Promise<BrowserResponse> {
    const target = new URL(url, this.baseUrl);
    const cookie = this.cookies.filter(({ path }) => target.pathname.startsWith(path)).map(({ name, value }) => `${name}=${value}`).join('; ');
    const response = await fetch(this.serverOf(target), { ...init, redirect: 'manual', headers: { ...this.headers, ...(init.headers as Record<string, string>), cookie } });
    response.headers.getSetCookie().forEach((text) => this.keep(text));
    const location = response.headers.get('location');
    return { status: response.status, headers: response.headers, text: await response.text(), location: location === null ? undefined : new URL(location, target) };
  }

  private serverOf(target: URL): URL {
    const server = this.servers.shift() ?? this.baseUrl;
    this.servers.push(server);
    return new URL(target.pathname + target.search, server);
  }

  private keep(text: string): void {
    const [pair = '', ...attributes] = text.split(';').map((part) => part.trim());
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const path = attributes.find((attribute) => attribute.toLowerCase().startsWith('path='))?.slice(5) ?? '/';
    const isOver = attributes.some((attribute) => attribute.toLowerCase().startsWith('expires=thu, 01 jan 1970'));
    this.cookies = this.cookies.filter((cookie) => cookie.name !== name || cookie.path !== path);
    if (!isOver) this.cookies.push({ name, value, path });
  }
}

export const newVerifier = (length = 43) => randomBytes(length).toString('base64url').slice(0, length);
export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');
