import { createHash, randomBytes } from 'node:crypto';
import { patientFetch } from '../../tour/api';
import { authorizeUrl, type Browser, visit, type VisitedPage } from '../../tour/sign-in';

/** "Forgot your password?" at the page of a sign-in to the console, as a browser asks it. */
export async function forgetPassword(baseUrl: string, email: string): Promise<void> {
  const browser: Browser = { send: patientFetch, cookies: new Map() };
  const challenge = createHash('sha256').update(randomBytes(32)).digest('base64url');
  const signIn = await arrive(authorizeUrl({ baseUrl, clientId: 'console', redirectUri: `${baseUrl}/console/callback` }, challenge), browser);
  const asking = await arrive(new URL(plain(found(signIn, /<a [^>]*href="([^"]*\/reset(?:\?[^"]*)?)"/)), signIn.url), browser);
  const action = found(asking, /<form[^>]*action="([^"]*\/reset(?:\?[^"]*)?)"/);
  const hidden = [...asking.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name = '', value = '']): [string, string] => [name, plain(value)]);
  const sent = await visit(new URL(plain(action), asking.url), browser, new URLSearchParams([...hidden, ['email', email]]));
  if (sent.status !== 200) throw new Error(`asking for a new password was answered ${sent.status}`);
}

async function arrive(url: URL, browser: Browser): Promise<VisitedPage> {
  let page = await visit(url, browser);
  for (let hops = 0; hops < 10 && page.location !== undefined; hops += 1) page = await visit(page.location, browser);
  return page;
}

function found({ url, status, text }: VisitedPage, wanted: RegExp): string {
  const [, part] = wanted.exec(text) ?? [];
  if (part === undefined) throw new Error(`${wanted} is not on the page ${url.pathname} (${status})`);
  return part;
}

const plain = (markup: string) => markup.replaceAll('&amp;', '&');
