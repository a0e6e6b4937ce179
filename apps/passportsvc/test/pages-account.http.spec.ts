import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { eventually } from '@twinyard/testing';
import { FakeMailServer } from '@twinyard/testing/mail-server';
import { registerApp } from './applications';
import { Browser, type BrowserResponse, newVerifier } from './browser';
import { headingOf, linkTo, query, submitForm, unescapeHtml, Visitor } from './pages';
import { type PassportApp, startPassport } from './passport-app';
import { authorizeUrl, signInAt, tokensOf } from './sign-in';
import { API, type Caller, confirmAddress, newPerson, send } from './tenancy';

const ACCOUNT = '/passportsvc/api/accounts';
const PASSWORD = 'a long enough one';
const NEW = 'another long enough one';

describe('the account page', () => {
  let mail: FakeMailServer;
  let passport: PassportApp;
  beforeAll(async () => {
    mail = await FakeMailServer.start();
    passport = await startPassport({ SMTP_URL: mail.url });
    await registerApp(passport, { redirectUris: ['https://viewer.example.com/callback'] });
  });
  afterAll(async () => {
    await passport?.stop();
    await mail?.stop();
  });

  const signInThrough = async (person: Caller, query = ''): Promise<{ readonly visitor: Visitor; readonly page: BrowserResponse }> => {
    const visitor = new Visitor(passport);
    const landing = await visitor.get(ACCOUNT + query);
    const form = await visitor.get((await visitor.get(visitor.link(landing, '/oauth/authorize'))).location as URL);
    const page = await visitor.submit(form, new URL(form.text.match(/action="([^"]+)"/)?.[1] ?? '', passport.baseUrl).pathname, { email: person.email, password: PASSWORD });
    return { visitor, page };
  };
  const after = (visitor: Visitor, page: BrowserResponse, part: string, values: Record<string, string> = {}) => visitor.submit(page, `/accounts/${part}`, values);
  const recorded = ({ id }: Caller, action: string) => query(passport, 'SELECT irn, namespace, address FROM audit_entry WHERE by_id = $1 AND action = $2', [id, action]);
  const me = async (person: Caller) => (await person.get('/users/me')).body;

  it('leads through sign-in and back, with the way back to the application that asked for it', async () => {
    const person = await newPerson(passport, 'Ann');
    const landing = await fetch(`${passport.baseUrl}${ACCOUNT}?returnUrl=${encodeURIComponent('https://viewer.example.com/home?x=1&y=2')}`);
    expect([landing.status, await landing.text()]).toEqual([200, expect.stringContaining('Sign in to see and change your account')]);
    const { page } = await signInThrough(person, `?returnUrl=${encodeURIComponent('https://viewer.example.com/home?x=1&y=2')}`);
    expect([page.status, headingOf(page)]).toEqual([200, 'Your account']);
    expect(unescapeHtml(page.text)).toContain('href="https://viewer.example.com/home?x=1&y=2"');
    expect(page.text).toContain('Back to viewer.example.com');
    expect(page.text).toContain(person.email);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self';.* form-action 'self';/);
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it.each(['https://evil.example/', '//evil.example', 'javascript:alert(1)', 'https://viewer.example.com@evil.example/', 'https://viewer.example.com.evil.example', 'data:text/html,x', '/relative'])('shows no way to %s, which nobody registered, and leads nobody there', async (returnUrl) => {
    const visitor = new Visitor(passport);
    const landing = await visitor.get(`${ACCOUNT}?${new URLSearchParams({ returnUrl })}`);
    expect([landing.status, landing.location]).toEqual([200, undefined]);
    expect(unescapeHtml(landing.text)).not.toContain(returnUrl);
    expect(landing.text).not.toContain('evil');
  });

  it('comes back from sign-in with a session, and with no code or token', async () => {
    const person = await newPerson(passport, 'Cody');
    const visitor = new Visitor(passport);
    const authorize = await visitor.get(visitor.link(await visitor.get(ACCOUNT), '/oauth/authorize'));
    const form = await visitor.get(authorize.location as URL);
    const answer = await visitor.get((await submitForm(visitor.browser, form, authorize.location?.pathname ?? '', { email: person.email, password: PASSWORD })).location as URL);
    expect([...(answer.location?.searchParams.keys() ?? [])]).toEqual(['iss']);
    expect([answer.location?.pathname, answer.location?.hash]).toEqual([ACCOUNT, '']);
    const code = await visitor.get(authorizeUrl(newVerifier(), { client_id: 'account', redirect_uri: `${passport.baseUrl}${ACCOUNT}`, response_type: 'code' }));
    expect(code.location?.searchParams.get('code') ?? null).toBeNull();
  });

  it('changes names and language, and speaks the chosen one from then on', async () => {
    const person = await newPerson(passport, 'Bea');
    const { visitor, page } = await signInThrough(person);
    const saved = await after(visitor, page, 'profile', { firstname: ' Beate ', lastname: '<Muster>', locale: 'de' });
    expect([saved.status, headingOf(saved)]).toEqual([200, 'Ihr Konto']);
    expect(saved.text).toContain('Gespeichert.');
    expect(saved.text).toContain('value="&lt;Muster&gt;"');
    expect(await me(person)).toMatchObject({ _firstname: 'Beate', _lastname: '<Muster>', _locale: 'de' });
    const refused = await after(visitor, saved, 'profile', { firstname: 'x'.repeat(129), lastname: '', locale: 'xx' });
    expect([refused.status, (await me(person))._firstname]).toEqual([400, 'Beate']);
    expect(refused.text).toContain('href="#firstname"');
    await after(visitor, saved, 'profile', { firstname: '', lastname: '', locale: '' });
    expect((await me(person))._locale).toBeUndefined();
  });

  it('changes the password with the old one: here the session stays, everywhere else it ends', async () => {
    const person = await newPerson(passport, 'Carl');
    const elsewhere = new Browser(passport.baseUrl);
    const { access_token: other } = await tokensOf(passport.baseUrl, { email: person.email, password: PASSWORD }, elsewhere);
    const { visitor, page } = await signInThrough(person);
    const { access_token: own } = await visitor.tokens(await signInAt(visitor.browser, authorizeUrl(visitor.verifier)));
    const key = (await person.post('/users/me/accesskeys', { _name: 'script' })).body;
    expect((await after(visitor, page, 'password', { current: 'wrong', password: NEW })).text).toContain('This is not your current password');
    expect((await after(visitor, page, 'password', { current: PASSWORD, password: 'short' })).status).toBe(400);
    const changed = await after(visitor, page, 'password', { current: PASSWORD, password: NEW });
    expect(changed.text).toContain('Your password is changed');
    const status = async (token: string) => (await send(passport, 'GET', '/users/me', token)).status;
    expect([await status(other), await status(own)]).toEqual([401, 200]);
    expect((await elsewhere.get(authorizeUrl(newVerifier()))).location?.pathname).toMatch(/\/sign-in\//);
    expect(headingOf(await visitor.get(ACCOUNT))).toBe('Your account');
    expect((await person.get('/users/me/accesskeys')).body._list.map(({ _id }: { _id: string }) => _id)).toEqual([key._id]);
    await eventually(async () => expect(await recorded(person, 'CHANGE_PASSWORD')).toEqual([{ irn: `passportsvc:user:${person.id}`, namespace: 'platform', address: '127.0.0.1' }]));
    expect((await signInAt(new Browser(passport.baseUrl), authorizeUrl(newVerifier()), { email: person.email, password: PASSWORD })).status).toBe(401);
    expect((await tokensOf(passport.baseUrl, { email: person.email, password: NEW })).access_token).toEqual(expect.any(String));
  });

  it('slows guesses at the old password down as the sign-in page does', async () => {
    const { visitor, page } = await signInThrough(await newPerson(passport, 'Guess'));
    const statuses: number[] = [];
    const guess = async () => statuses.push((await after(visitor, page, 'password', { current: `wrong ${statuses.length}`, password: NEW })).status);
    for (let guesses = 0; guesses < 5; guesses += 1) await guess();
    // The wait is a second, which a slow test outlasts.
    await query(passport, `UPDATE sign_in_failure SET last_failed_at = last_failed_at + interval '1 minute'`);
    await guess();
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
  });

  it('lists access keys, escaped, and deletes one with its tokens; not one of somebody else', async () => {
    const [person, other] = [await newPerson(passport, 'Dan'), await newPerson(passport, 'Eve')];
    const key = (await person.post('/users/me/accesskeys', { _name: '<b>nightly</b>' })).body;
    const foreign = (await other.post('/users/me/accesskeys', { _name: 'theirs' })).body;
    const basic = `Basic ${Buffer.from(`${key._id}:${key._secret}`).toString('base64')}`;
    const token = ((await (await fetch(`${passport.baseUrl}${API}/auth/token?appId=console`, { method: 'POST', headers: { authorization: basic } })).json()) as { access_token: string }).access_token;
    const { visitor, page } = await signInThrough(person);
    expect(page.text).toContain('&lt;b&gt;nightly&lt;/b&gt;');
    expect(page.text).not.toContain('theirs');
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    expect((await visitor.browser.submit(`${ACCOUNT}/access-keys/${foreign._id}`, { csrf })).status).toBe(303);
    expect((await other.get('/users/me/accesskeys')).body._total).toBe(1);
    const deleted = await after(visitor, page, `access-keys/${key._id}`);
    expect(deleted.text).toContain('You have no access keys');
    expect((await send(passport, 'GET', '/users/me', token)).status).toBe(401);
  });

  it('makes an access key, shows its secret this once, and how it is used', async () => {
    const person = await newPerson(passport, 'Jan');
    const { visitor, page } = await signInThrough(person);
    const made = await after(visitor, page, 'access-keys', { keyname: ' <i>nightly</i> ', keylife: '30', keypower: 'read' });
    expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(made.text).toContain('The access key &lt;i&gt;nightly&lt;/i&gt; is made.');
    const [line = '', id = '', secret = ''] = /curl -X POST -u '([^':]+):([^']+)' '[^']+'/.exec(unescapeHtml(made.text)) ?? [];
    const { stdout } = await promisify(execFile)('bash', ['-c', `${line} -sS --fail-with-body`]);
    const token = JSON.parse(stdout) as { access_token: string; scope: string };
    expect([token.scope, (await send(passport, 'GET', '/users/me', token.access_token)).body._id]).toEqual(['read', person.id]);
    const { _list: [key] } = (await person.get('/users/me/accesskeys')).body;
    expect(key).toMatchObject({ _id: id, _name: '<i>nightly</i>', _scopes: ['read'] });
    expect(Math.abs(key._expireTime - (Date.now() + 30 * 86_400_000))).toBeLessThan(3_600_000);
    const again = await visitor.get(ACCOUNT);
    expect([again.text.includes('&lt;i&gt;nightly&lt;/i&gt;'), again.text.includes(secret)]).toEqual([true, false]);
    await eventually(async () => expect(await recorded(person, 'CREATE')).toContainEqual({ irn: `passportsvc:accesskey:${id}`, namespace: 'platform', address: '127.0.0.1' }));
  });

  it('has an address that leads to the sign-in at once, and back', async () => {
    const person = await newPerson(passport, 'Lea');
    const browser = new Browser(passport.baseUrl);
    const { status, location } = await browser.get(`${ACCOUNT}/sign-in`);
    expect([status, location?.pathname, location?.searchParams.get('redirect_uri')]).toEqual([303, '/passportsvc/api/v2/oauth/authorize', `${passport.baseUrl}${ACCOUNT}`]);
    await signInAt(browser, location?.href ?? '', { email: person.email, password: 'a long enough one' });
    expect((await browser.get(ACCOUNT)).text).toContain('Lea');
  });

  it('makes no access key without a name, of what it does not offer, or beyond fifty', async () => {
    const person = await newPerson(passport, 'Kim');
    const { visitor, page } = await signInThrough(person);
    const wrong = await after(visitor, page, 'access-keys', { keyname: ' ', keylife: '31', keypower: 'all' });
    expect(wrong.status).toBe(400);
    for (const field of ['keyname', 'keylife', 'keypower']) expect(wrong.text).toContain(`href="#${field}"`);
    expect((await person.get('/users/me/accesskeys')).body._total).toBe(0);
    for (let keys = 0; keys < 50; keys += 1) await person.post('/users/me/accesskeys', { _name: `key ${keys}` });
    const full = await after(visitor, page, 'access-keys', { keyname: 'one more', keylife: '', keypower: 'write' });
    expect([full.status, full.text.includes('Delete one first'), full.text.includes('value="one more"')]).toEqual([400, true, true]);
    expect((await person.get('/users/me/accesskeys')).body._total).toBe(50);
  });

  it('signs out here, or everywhere', async () => {
    const person = await newPerson(passport, 'Finn');
    const [first, second, third] = [await signInThrough(person), await signInThrough(person), await signInThrough(person)];
    const { access_token: token } = await third.visitor.tokens(await signInAt(third.visitor.browser, authorizeUrl(third.visitor.verifier)));
    expect(headingOf(await after(first.visitor, first.page, 'sign-out'))).toBe('You are signed out');
    expect((await first.visitor.get(ACCOUNT)).text).toContain('Sign in to see and change your account');
    expect(headingOf(await second.visitor.get(ACCOUNT))).toBe('Your account');
    const out = await after(second.visitor, second.page, 'sign-out-everywhere');
    expect(out.text).toContain('You are signed out everywhere');
    for (const { visitor } of [second, third]) expect((await visitor.get(ACCOUNT)).text).toContain('Sign in to see and change your account');
    const place = { namespace: 'platform', address: '127.0.0.1' };
    await eventually(async () => expect([await recorded(person, 'SIGN_OUT'), await recorded(person, 'SIGN_OUT_EVERYWHERE')])
      .toEqual([[{ ...place, irn: 'passportsvc:app:account' }], [{ ...place, irn: `passportsvc:user:${person.id}` }]]));
    expect((await send(passport, 'GET', '/users/me', token)).status).toBe(401);
  });

  it('sends the mail that confirms the address once more, and says what is confirmed', async () => {
    const person = await newPerson(passport, 'Gwen');
    const { visitor, page } = await signInThrough(person);
    expect(page.text).toContain('Not confirmed yet');
    expect((await after(visitor, page, 'confirmation')).text).toContain('We have sent you a mail');
    await fetch(await linkTo(mail, person.email, 'Confirm'), { method: 'POST' });
    expect((await visitor.get(ACCOUNT)).text).toContain('>Confirmed<');
    await confirmAddress(passport, person.email);
  });

  it('takes no form of another session, of another page, or of none', async () => {
    const [person, thief] = [await newPerson(passport, 'Hal'), await newPerson(passport, 'Thief')];
    const [own, other] = [await signInThrough(person), await signInThrough(thief)];
    const csrfOf = ({ text }: BrowserResponse) => /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const signInForm = await own.visitor.get((await own.visitor.get(authorizeUrl(newVerifier(), { prompt: 'login' }))).location as URL);
    for (const csrf of [csrfOf(other.page), csrfOf(signInForm), '', 'guess']) {
      for (const part of ['profile', 'password', 'confirmation', 'sign-out', 'sign-out-everywhere', 'access-keys', 'access-keys/x']) {
        expect((await own.visitor.browser.submit(`${ACCOUNT}/${part}`, { csrf, firstname: 'Stolen', current: PASSWORD, password: NEW })).status).toBe(403);
      }
    }
    expect((await me(person))._firstname).toBe('Hal');
    const nobody = await fetch(`${passport.baseUrl}${ACCOUNT}/sign-out-everywhere`, { method: 'POST', body: new URLSearchParams({ csrf: csrfOf(own.page) }) });
    expect(await nobody.text()).toContain('Sign in to see and change your account');
    expect(headingOf(await own.visitor.get(ACCOUNT))).toBe('Your account');
  });

  it('shows nothing to a session that was planted, nor to somebody who was put out', async () => {
    const person = await newPerson(passport, 'Ivy');
    const planted = new Browser(passport.baseUrl);
    planted.plant('passport_session', 'planted', '/passportsvc');
    planted.plant('passport_session.sig', 'planted', '/passportsvc');
    expect((await planted.get(ACCOUNT)).text).toContain('Sign in to see and change your account');
    const { visitor } = await signInThrough(person);
    await query(passport, 'UPDATE app_user SET disabled = true WHERE id = $1', [person.id]);
    expect((await visitor.get(ACCOUNT)).text).toContain('Sign in to see and change your account');
  });
});
