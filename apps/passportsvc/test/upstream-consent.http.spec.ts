import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@twinyard/testing';
import { DataSource } from 'typeorm';
import { Browser, type BrowserResponse } from './browser';
import { type PassportApp, startPassport } from './passport-app';
import { organizationScim } from './scim-client';
import { type Caller, manager, newPerson } from './tenancy';
import { HandMadeIssuer } from './upstream-issuer';
import { fillForm, newRealm, type Provider, type Realm, signInThrough, UpstreamVisit } from './upstream-visit';

const PASSWORD = 'a long enough one';

describe('an account that an issuer nobody trusts wants to sign in to', () => {
  let passport: PassportApp;
  let issuer: HandMadeIssuer;
  let platform: Caller;
  let realm: Realm;
  let provider: Provider;

  beforeAll(async () => {
    issuer = await HandMadeIssuer.start();
    passport = await startPassport({ UPSTREAM_ALLOW_PRIVATE: true });
    platform = await manager(passport);
    realm = await newRealm(passport, 'House');
    provider = await realm.connect(realm.tenant.owner, issuer.url, { _name: 'House staff', _provision: true });
  });
  afterAll(async () => {
    await passport?.stop();
    await issuer?.stop();
  });

  const database = () => passport.app.get(DataSource, { strict: false });
  const prove = (email: string) => database().query('UPDATE app_user SET email_verified = true WHERE email = $1', [email]);
  const identitiesOf = (email: string) => database().query<{ agreed: boolean }[]>('SELECT agreed FROM user_identity i JOIN app_user u ON u.id = i.user_id WHERE u.email = $1', [email]);
  const claim = (email: string, changes: Record<string, unknown> = {}) => { issuer.subject = { sub: `claims-${email}-${randomUUID()}`, email, email_verified: true, ...changes }; };
  const knownPerson = async (name: string) => {
    const person = await newPerson(passport, name);
    await prove(person.email);
    claim(person.email);
    return person;
  };
  const asked = async (browser?: Browser): Promise<{ visit: UpstreamVisit; page: BrowserResponse }> => {
    const visit = await UpstreamVisit.begin(realm, {}, browser);
    return { visit, page: await visit.signIn(provider, issuer) };
  };
  const linksTo = (email: string) => readdirSync(passport.settings.MAIL_DIR).map((file) => readFileSync(join(passport.settings.MAIL_DIR, file), 'utf8').replaceAll('=\r\n', '').replaceAll('=\n', '').replaceAll('=3D', '='))
    .filter((mail) => mail.includes(`To: ${email}`)).flatMap((mail) => /http\S+\/upstream\/attempts\/\S+\/link\/\S+/.exec(mail) ?? []);

  it('is not given to it, whatever it says of the address', async () => {
    const person = await knownPerson('Victim');
    for (const changes of [{}, { email_verified: 'true' }, { email_verified: false }, { email: person.email.toUpperCase() }]) {
      claim(person.email, changes);
      const { page } = await asked();
      expect({ status: page.status, location: page.location }).toEqual({ status: 200, location: undefined });
      expect(page.text).toContain('Is this your account?');
    }
    expect(await identitiesOf(person.email)).toEqual([]);
  });

  it('is connected by its password, once, and a wrong one does not', async () => {
    const person = await knownPerson('Owner');
    const { visit, page } = await asked();
    const wrong = await fillForm(visit.browser, page, '/password', { password: 'a wrong one' });
    expect({ status: wrong.status, text: wrong.text }).toEqual({ status: 401, text: expect.stringContaining('The e-mail address or the password is wrong.') });
    const forged = await visit.browser.submit(/action="([^"]+)\/password"/.exec(page.text)?.[1] + '/password', { password: PASSWORD, csrf: 'guess' });
    expect(forged.status).toBe(403);
    const right = await visit.goOn(await fillForm(visit.browser, page, '/password', { password: PASSWORD }));
    expect(await visit.who(right)).toMatchObject({ _id: person.id });
    expect(await signInThrough(realm, provider, issuer)).toMatchObject({ _id: person.id });
    expect(await identitiesOf(person.email)).toEqual([{ agreed: true }]);
  });

  it('slows guesses of its password as the sign-in page does', async () => {
    await knownPerson('Guessed');
    // From elsewhere: the next who sign in from one address wait too.
    const { visit, page } = await asked(new Browser(passport.baseUrl, [passport.baseUrl], { 'x-forwarded-for': '203.0.113.7' }));
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 12 && !statuses.includes(429); attempt += 1) statuses.push((await fillForm(visit.browser, page, '/password', { password: 'wrong' })).status);
    expect(statuses).toContain(429);
  });

  it('is connected by the link of a mail, in the same browser alone, after being asked, and once', async () => {
    const person = await knownPerson('Reader');
    const { visit, page } = await asked();
    for (let press = 0; press < 2; press += 1) expect((await fillForm(visit.browser, page, '/mail', {})).text).toContain('Check your mail');
    const link = await eventually(async () => { const [found] = linksTo(person.email); expect(found).toBeDefined(); return String(found); });
    expect(linksTo(person.email)).toHaveLength(1);
    const stranger = await new Browser(passport.baseUrl).get(link);
    expect({ status: stranger.status, text: stranger.text }).toEqual({ status: 400, text: expect.stringContaining('This sign-in has ended') });
    const guessed = await visit.browser.get(link.slice(0, -1) + (link.endsWith('A') ? 'B' : 'A'));
    expect(guessed.status).toBe(400);
    const confirm = await visit.browser.get(link);
    expect(await identitiesOf(person.email)).toEqual([]);
    const answer = await visit.goOn(await visit.browser.fill(confirm, {}));
    expect(await visit.who(answer)).toMatchObject({ _id: person.id });
    expect((await visit.browser.get(link)).status).toBe(400);
  });

  it('is not flooded with mails', async () => {
    const person = await knownPerson('Flooded');
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { visit, page } = await asked();
      statuses.push((await fillForm(visit.browser, page, '/mail', {})).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    await eventually(async () => expect(linksTo(person.email)).toHaveLength(3));
  });

  it('is not shown in another sign-in of the same browser', async () => {
    await knownPerson('Twice');
    const { visit, page } = await asked();
    const attempt = /action="([^"]+)\/password"/.exec(page.text)?.[1] ?? '';
    const other = await UpstreamVisit.begin(realm, {}, visit.browser);
    expect((await visit.browser.get(attempt.replace(visit.path, other.path))).status).toBe(400);
  });

  it('asks anew when its address is proved after somebody had claimed it: who waits in it for its owner has nothing', async () => {
    const email = `${randomUUID().slice(0, 8)}@bank.example`;
    claim(email);
    expect(await signInThrough(realm, provider, issuer)).toMatchObject({ _email: email, _emailVerified: false });
    expect(await signInThrough(realm, provider, issuer)).toMatchObject({ _email: email });
    expect(await identitiesOf(email)).toEqual([{ agreed: false }]);
    await prove(email);
    const { page } = await asked();
    expect(page.text).toContain('Is this your account?');
  });

  it('loses what was claimed when a trusted issuer brings its owner', async () => {
    const email = `${randomUUID().slice(0, 8)}@trusted.example`;
    claim(email);
    await signInThrough(realm, provider, issuer);
    const trusted = await realm.connect(platform, issuer.url, { _domains: ['trusted.example'] });
    const claimant = issuer.subject;
    claim(email);
    expect(await signInThrough(realm, trusted, issuer)).toMatchObject({ _email: email, _emailVerified: true });
    expect(await identitiesOf(email)).toEqual([{ agreed: true }]);
    issuer.subject = claimant;
    expect((await asked()).page.text).toContain('Is this your account?');
  });

  it('is asked for by a trusted issuer too that has not verified the address', async () => {
    const person = await knownPerson('Unsure');
    const trusted = await realm.connect(platform, issuer.url);
    claim(person.email, { email_verified: undefined });
    const visit = await UpstreamVisit.begin(realm);
    expect((await visit.signIn(trusted, issuer)).text).toContain('Is this your account?');
  });

  it('is signed in to at once when SCIM of the same organization made it, without a word of verification, and not by another organization', async () => {
    const scim = await organizationScim(passport, realm.tenant.organization._id);
    const email = `${randomUUID()}@house.example`;
    const { id } = await scim.newUser({ userName: email, emails: [{ value: email, type: 'work', primary: true }], active: true });
    const elsewhere = await newRealm(passport, 'Elsewhere');
    const foreign = await elsewhere.connect(elsewhere.tenant.owner, issuer.url);
    claim(email, { email_verified: undefined });
    const visit = await UpstreamVisit.begin(elsewhere);
    expect((await visit.signIn(foreign, issuer)).text).toContain('Is this your account?');
    expect(await signInThrough(realm, provider, issuer)).toMatchObject({ _id: id });
    await scim.patch(id, [{ op: 'Replace', path: 'active', value: 'False' }]);
    expect((await asked()).page).toMatchObject({ status: 403, text: expect.stringContaining('This account is disabled.') });
  });

  it('shows what it is connected with on its page, and lets it go unless it is the only way in', async () => {
    const person = await knownPerson('Connected');
    const { visit, page } = await asked();
    expect(await visit.who(await visit.goOn(await fillForm(visit.browser, page, '/password', { password: PASSWORD })))).toMatchObject({ _email: person.email });
    const account = '/passportsvc/api/accounts?ui_locales=de';
    const shown = await visit.browser.get(account);
    expect(shown.text).toContain('Verbundene Organisationen');
    const forged = await visit.browser.submit('/passportsvc/api/accounts/connections/disconnect', { provider: provider._id, subject: String(issuer.subject['sub']), csrf: 'guess' });
    expect([forged.status, await identitiesOf(person.email)]).toEqual([403, [{ agreed: true }]]);
    expect((await fillForm(visit.browser, shown, '/connections/disconnect?ui_locales=de', {})).status).toBe(303);
    expect(await identitiesOf(person.email)).toEqual([]);
    expect((await visit.browser.get(account)).text).not.toContain('Verbundene Organisationen');

    const email = `${randomUUID()}@only.example`;
    claim(email);
    const only = await UpstreamVisit.begin(realm);
    await only.signIn(provider, issuer);
    const lonely = await only.browser.get('/passportsvc/api/accounts');
    expect(lonely.text).toContain('This is the only way to sign in');
    expect(lonely.text).not.toContain('/connections/disconnect');
    const csrf = /name="csrf" value="([^"]+)"/.exec(lonely.text)?.[1] ?? '';
    const refused = await only.browser.submit('/passportsvc/api/accounts/connections/disconnect', { provider: provider._id, subject: String(issuer.subject['sub']), csrf });
    expect([refused.status, await identitiesOf(email)]).toEqual([409, [{ agreed: false }]]);
  });
});
