import { eventually } from '@twinyard/testing';
import { FakeMailServer } from '@twinyard/testing/mail-server';
import { headingOf, linkTo, mailTo, query, submitForm } from './pages';
import { Browser, type BrowserResponse } from './browser';
import { type PassportApp, startPassport } from './passport-app';
import { tokensOf } from './sign-in';
import { type Caller, confirmAddress, manager, newPerson, newTenant, send } from './tenancy';

const PASSWORD = 'a long enough one';

describe('an owner named by an address that nobody has proved', () => {
  let mail: FakeMailServer;
  let passport: PassportApp;
  let admin: Caller;
  beforeAll(async () => {
    mail = await FakeMailServer.start();
    passport = await startPassport({ SMTP_URL: mail.url });
    admin = await manager(passport);
  });
  afterAll(async () => {
    await passport?.stop();
    await mail?.stop();
  });

  const organize = async (name: string, owner: string) => (await admin.post('/organizations', { _name: name, _orgOwner: owner })).body as { _id: string; _namespaces: string[] };
  const open = (link: string): Promise<BrowserResponse> => new Browser(passport.baseUrl).get(link);
  const submit = (link: string, values: Record<string, string>): Promise<BrowserResponse> => new Browser(passport.baseUrl).submit(link, values);
  const ownedBy = async (email: string, password = PASSWORD) => {
    const { access_token: token } = await tokensOf(passport.baseUrl, { email, password });
    return (await send(passport, 'GET', '/organizations', token)).body._list.map(({ _name }: { _name: string }) => _name) as string[];
  };

  /** On the account page. */
  const changePassword = async (email: string, wanted: string) => {
    const browser = new Browser(passport.baseUrl);
    await tokensOf(passport.baseUrl, { email, password: PASSWORD }, browser);
    const page = await browser.get('/passportsvc/api/accounts');
    expect((await submitForm(browser, page, '/accounts/password', { current: PASSWORD, password: wanted })).status).toBe(303);
  };

  it('gets a mail whose link leads through sign-up, and owns the organization when it is done', async () => {
    const email = 'orla@guild.example';
    const organization = await organize('Guild & <Co>', 'Orla@Guild.example');
    const message = await mailTo(mail, email, 'You are the owner of Guild & <Co>');
    expect(message.text).toContain(passport.baseUrl);
    const link = await linkTo(mail, email, 'You are the owner');
    const page = await open(link);
    expect([page.status, headingOf(page)]).toEqual([200, 'Create your account']);
    expect(page.text).toContain('Guild &amp; &lt;Co&gt;');
    expect(page.text).toMatch(/name="email"[^>]* value="orla@guild.example"[^>]* readonly/);
    const faulty = await submit(link, { password: 'short', email: 'other@guild.example' });
    expect([faulty.status, faulty.text.includes('href="#password"')]).toEqual([400, true]);
    const done = await submit(link, { password: PASSWORD, firstname: 'Orla', lastname: 'O', email: 'other@guild.example' });
    expect([done.status, headingOf(done)]).toEqual([200, 'Welcome']);
    expect(await ownedBy(email)).toEqual(['Guild & <Co>']);
    const { access_token: token } = await tokensOf(passport.baseUrl, { email, password: PASSWORD });
    expect((await send(passport, 'POST', '/apps', token, { _name: 'First', _orgId: organization._id })).status).toBe(201);
    expect((await send(passport, 'GET', '/users/me', token)).body).toMatchObject({ _emailVerified: true, _firstname: 'Orla' });
    for (const again of [await open(link), await submit(link, { password: 'a password of a finder' })]) expect(again.status).toBe(400);
  });

  it('takes an account over that somebody has made with its address meanwhile, and puts out whoever did', async () => {
    const email = 'max@guild.example';
    await organize('Mill', email);
    const link = await linkTo(mail, email, 'You are the owner of Mill');
    await send(passport, 'POST', '/accounts', undefined, { _email: email, _password: PASSWORD });
    expect(await ownedBy(email)).toEqual([]);
    // Whatever else is done with the account while its address is not confirmed.
    const squatted = 'another long enough one';
    await changePassword(email, squatted);
    const { access_token: token } = await tokensOf(passport.baseUrl, { email, password: squatted });
    const key = (await send(passport, 'POST', '/users/me/accesskeys', token, { _name: 'left behind' })).body as { _id: string; _secret: string };
    expect(headingOf(await open(link))).toBe('Accept ownership?');
    for (const password of ['', 'short']) expect((await submit(link, { password })).status).toBe(400);
    expect(await ownedBy(email, squatted)).toEqual([]);
    expect((await submit(link, { password: 'of who reads the mail' })).status).toBe(200);
    expect(await ownedBy(email, 'of who reads the mail')).toEqual(['Mill']);
    expect((await send(passport, 'GET', '/organizations', token)).status).toBe(401);
    const byKey = await fetch(`${passport.baseUrl}/passportsvc/api/v1/auth/token?appId=console`, { method: 'POST', headers: { authorization: `Basic ${btoa(`${key._id}:${key._secret}`)}` } });
    expect(byKey.ok).toBe(false);
    expect((await tokensOf(passport.baseUrl, { email, password: squatted })).access_token).toBeUndefined();
  });

  it('owns nothing while its account has not confirmed the address, and all of it from then on', async () => {
    const person = await newPerson(passport, 'Unproven');
    const organization = await organize('Kiln', person.email);
    const tenant = await newTenant(passport, 'Loft');
    const app = (await tenant.owner.post('/apps', { _name: 'Attic', _orgId: tenant.organization._id, _appOwner: person.email })).body as { _id: string; _appOwner: string; _namespaces: string[] };
    expect(app._appOwner).toBe(person.email);
    expect((await person.get(`/organizations/${organization._id}`)).status).toBe(404);
    expect((await person.get(`/apps/${app._id}`)).status).toBe(404);
    for (const namespace of [...organization._namespaces, ...app._namespaces]) expect((await person.get(`/permissions?_namespace=${namespace}`)).body._total).toBe(0);
    expect((await person.get('/usergroups?includeAll=true')).body._total).toBe(0);
    for (const place of ['Kiln', 'Attic']) await mailTo(mail, person.email, `You are the owner of ${place}`);
    // The mail that came when it signed up.
    const confirmation = await linkTo(mail, person.email, 'Confirm');
    expect((await submit(confirmation, {})).status).toBe(200);
    expect((await person.get(`/organizations/${organization._id}`)).body._orgOwner).toBe(person.id);
    expect((await person.get(`/apps/${app._id}`)).body._appOwner).toBe(person.id);
    expect((await open(await linkTo(mail, person.email, 'You are the owner of Kiln'))).status).toBe(400);
  });

  it('gets one for an application as well, in the language of whoever names it', async () => {
    const tenant = await newTenant(passport, 'Barn');
    await tenant.owner.put(`/users/${tenant.owner.id}`, { _locale: 'de-CH' });
    await tenant.owner.post('/apps', { _name: 'Stall', _orgId: tenant.organization._id, _appOwner: 'lena@barn.example' });
    expect((await mailTo(mail, 'lena@barn.example', 'Stall gehört Ihnen')).text).toContain('öffnen Sie bis zum');
  });

  it('is let in by no other link: changed, too old, or for somebody who waits no more', async () => {
    const email = 'paul@guild.example';
    await organize('Port', email);
    const link = await linkTo(mail, email, 'You are the owner of Port');
    const [head = '', mac = ''] = link.split('.').slice(-2);
    const path = link.slice(0, link.length - mac.length - head.split('/').at(-1)!.length - 1);
    const forged = `${path}${Buffer.from(JSON.stringify(['admin@example.com', 'Port', Date.now() + 1e9])).toString('base64url')}.${mac}`;
    const confirmation = `${passport.baseUrl}/passportsvc/accounts/confirmations/${link.split('/').at(-1)}`;
    for (const wrong of [forged, `${link}x`, confirmation, `${passport.baseUrl}/passportsvc/accounts/invitations/x`]) {
      expect([(await open(wrong)).status, (await submit(wrong, { password: PASSWORD })).status]).toEqual([400, 400]);
    }
    expect(await query(passport, 'SELECT id FROM app_user WHERE email = $1', [email])).toEqual([]);
    const gone = await linkTo(mail, email, 'You are the owner of Port');
    await send(passport, 'POST', '/accounts', undefined, { _email: email, _password: PASSWORD });
    await query(passport, 'UPDATE app_user SET disabled = true WHERE email = $1', [email]);
    expect([(await open(gone)).status, (await submit(gone, {})).status]).toEqual([400, 400]);
    const hasty = await startPassport({ SMTP_URL: mail.url, INVITE_TTL_SECONDS: 1 });
    await (await manager(hasty)).post('/organizations', { _name: 'Pond', _orgOwner: 'pia@pond.example' });
    const short = await linkTo(mail, 'pia@pond.example', 'You are the owner');
    await eventually(async () => expect((await fetch(short)).status).toBe(400));
    await hasty.stop();
  });

  it('gets none when it has an account that has confirmed the address', async () => {
    const person = await newPerson(passport, 'Known');
    await confirmAddress(passport, person.email);
    await organize('Kiln', person.email);
    await eventually(async () => expect(await query(passport, `SELECT id FROM job WHERE kind = 'passportsvc.mail'`)).toEqual([]));
    expect(mail.count(({ to, subject }) => to?.[0]?.address === person.email && subject.startsWith('You are the owner'))).toBe(0);
  });
});
