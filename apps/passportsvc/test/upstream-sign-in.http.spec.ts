import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { Browser } from './browser';
import { ADMIN, type PassportApp, startPassport, startReplica } from './passport-app';
import { type Caller, manager, newPerson, send } from './tenancy';
import { HandMadeIssuer } from './upstream-issuer';
import { fillForm, newRealm, type Provider, type Realm, signInThrough, UpstreamVisit } from './upstream-visit';

describe('sign-in through an organization', () => {
  let passport: PassportApp;
  let issuer: HandMadeIssuer;
  let platform: Caller;
  let realm: Realm;
  let trusted: Provider;

  beforeAll(async () => {
    issuer = await HandMadeIssuer.start();
    passport = await startPassport({ UPSTREAM_ALLOW_PRIVATE: true, UPSTREAM_TIMEOUT_MS: 20_000 });
    platform = await manager(passport);
    realm = await newRealm(passport, 'House');
    trusted = await realm.connect(platform, issuer.url, { _name: 'House <b>staff</b>', _provision: true, _domains: ['house.example'] });
  });
  afterAll(async () => {
    await passport?.stop();
    await issuer?.stop();
  });
  beforeEach(() => { issuer.misbehaviour = {}; issuer.userinfo = undefined; });

  const somebody = (changes: Record<string, unknown> = {}) => {
    const id = randomUUID().slice(0, 8);
    issuer.subject = { sub: `subject-${id}`, email: `${id}@house.example`, email_verified: true, given_name: 'Ada', family_name: 'Byron', ...changes };
    return issuer.subject as { sub: string; email: string };
  };
  const database = () => passport.app.get(DataSource, { strict: false });
  const prove = (email: string) => database().query('UPDATE app_user SET email_verified = true WHERE email = $1', [email]);

  it('is offered on the page of the organization\'s applications alone, by a link that works without scripts', async () => {
    const { page, path } = await UpstreamVisit.begin(realm);
    expect(page?.text).toContain(`<a class="button quiet" href="${path}/upstream/${trusted._id}">Sign in with House &lt;b&gt;staff&lt;/b&gt;</a>`);
    const german = await UpstreamVisit.begin(realm, { ui_locales: 'de' });
    expect(german.page?.text).toContain('Mit House &lt;b&gt;staff&lt;/b&gt; anmelden');
    const other = await newRealm(passport, 'Shop');
    expect((await UpstreamVisit.begin(other)).page?.text).not.toContain(`/upstream/${trusted._id}`);
  });

  it('makes an account at the first sign-in, which its organization sees, and knows it by its subject ever after', async () => {
    const { sub, email } = somebody();
    const visit = await UpstreamVisit.begin(realm, { state: 'round trip', login_hint: 'a@b.c' });
    const answer = await visit.signIn(trusted, issuer);
    expect(answer.location?.searchParams.get('state')).toBe('round trip');
    const made = await visit.who(answer);
    expect(made).toMatchObject({ _email: email, _emailVerified: true, _firstname: 'Ada', _lastname: 'Byron', _isSocial: true });
    const departure = Object.fromEntries(issuer.departures.at(-1) ?? []);
    expect(departure).toEqual({
      client_id: 'twinyard', response_type: 'code', scope: 'openid profile email', redirect_uri: trusted._redirectUri, login_hint: 'a@b.c', ui_locales: 'en',
      state: expect.stringMatching(/^[\w-]{43}$/), nonce: expect.stringMatching(/^[\w-]{43}$/), code_challenge: expect.stringMatching(/^[\w-]{43}$/), code_challenge_method: 'S256',
    });
    const users = await realm.tenant.owner.get(`/organizations/${realm.tenant.organization._id}/users?query=${email}`);
    expect(users.body._list).toMatchObject([{ _id: made._id, _email: email }]);
    expect((await realm.tenant.owner.get(`/usergroups/${trusted._usergroupId}/users`)).body._list.map(({ _id }: { _id: string }) => _id)).toContain(made._id);

    await realm.tenant.owner.delete(`/usergroups/${trusted._usergroupId}/users`, [made._id]);
    issuer.subject = { sub, email: 'changed@elsewhere.example', email_verified: true, given_name: 'Other' };
    expect(await signInThrough(realm, trusted, issuer)).toMatchObject({ _id: made._id, _email: email, _firstname: 'Ada' });
    const later = await realm.tenant.owner.get(`/usergroups/${trusted._usergroupId}/users`);
    expect(later.body._list.map(({ _id }: { _id: string }) => _id)).not.toContain(made._id);
  });

  it('brings an invite along, which can be accepted afterwards', async () => {
    const { email } = somebody();
    const group = (await realm.tenant.owner.post('/usergroups', [{ _name: 'Guests', _shortName: 'guests', _orgId: realm.tenant.organization._id }])).body._list[0] as { _id: string };
    const inviter = await realm.tenant.owner.in(realm.app.id);
    const invited = await inviter.post(`/usergroups/${group._id}/invites`, [{ _email: email, _params: { base_url: new URL(realm.app.redirectUris[0] ?? '').origin } }]);
    const visit = await UpstreamVisit.begin(realm, { inviteId: invited.body._list[0]._id });
    const resumed = await visit.signIn(trusted, issuer);
    const page = await visit.browser.get(resumed.location as URL);
    expect(page.text).toContain('Join Guests?');
    const answer = await visit.goOn(await visit.browser.fill(page, { decision: 'accept' }));
    expect(await visit.who(answer)).toMatchObject({ _email: email });
    expect((await realm.tenant.owner.get(`/usergroups/${group._id}/users`)).body._list).toMatchObject([{ _email: email }]);
  });

  it('asks for a fresh sign-in there when the application wants one', async () => {
    somebody();
    await (await UpstreamVisit.begin(realm, { prompt: 'login' })).cross(trusted, issuer);
    expect(issuer.departures.at(-1)?.get('prompt')).toBe('login');
  });

  it('makes one account of two first sign-ins at the same moment', async () => {
    const { email } = somebody();
    const visits = await Promise.all(Array.from({ length: 6 }, () => UpstreamVisit.begin(realm)));
    const callbacks = await Promise.all(visits.map((visit) => visit.cross(trusted, issuer)));
    const answers = await Promise.all(visits.map(async (visit, index) => visit.who(await visit.arrive(callbacks[index] as URL))));
    expect(new Set(answers.map(({ _id }) => _id)).size).toBe(1);
    expect(await database().query('SELECT id FROM app_user WHERE email = $1', [email])).toHaveLength(1);
  });

  it('connects the account of an address at once where the issuer is trusted for it and has verified it', async () => {
    const person = await newPerson(passport, 'Known');
    const { email } = somebody();
    await database().query('UPDATE app_user SET email = $2, email_verified = true WHERE id = $1', [person.id, email]);
    expect(await signInThrough(realm, trusted, issuer)).toMatchObject({ _id: person.id });
    const [account] = await database().query<{ password_hash: string | null }[]>('SELECT password_hash FROM app_user WHERE id = $1', [person.id]);
    expect(account?.password_hash).not.toBeNull();
  });

  it('takes the password, the sessions and the access keys from an account that somebody made with the address of another', async () => {
    const squatter = await newPerson(passport, 'Squatter');
    const key = (await squatter.post('/users/me/accesskeys', { _name: 'waiting' })).body as { _id: string; _secret: string };
    const byKey = async () => {
      const response = await fetch(`${passport.baseUrl}/passportsvc/api/v1/auth/token?appId=${realm.app.id}`, { method: 'POST', headers: { authorization: `Basic ${Buffer.from(`${key._id}:${key._secret}`).toString('base64')}` } });
      return { status: response.status, token: ((await response.json()) as { access_token: string }).access_token };
    };
    const { token } = await byKey();
    const { email } = somebody();
    await database().query('UPDATE app_user SET email = $2 WHERE id = $1', [squatter.id, email]);
    expect((await send(passport, 'GET', '/users/me', token)).status).toBe(200);
    expect(await signInThrough(realm, trusted, issuer)).toMatchObject({ _id: squatter.id, _emailVerified: true });
    const visit = await UpstreamVisit.begin(realm);
    expect((await fillForm(visit.browser, visit.page as never, visit.path, { email, password: 'a long enough one' })).status).toBe(401);
    expect([(await byKey()).status, (await send(passport, 'GET', '/users/me', token)).status]).toEqual([401, 401]);
  });

  it('lets nobody in who is disabled, whom the issuer names no address of, or one of other domains, or who has no account where none is made', async () => {
    const { email } = somebody();
    const { _id } = await signInThrough(realm, trusted, issuer);
    await platform.put(`/users/${_id}`, { _disabled: true });
    const reasonOf = async (provider: Provider) => {
      const visit = await UpstreamVisit.begin(realm);
      const answer = await visit.signIn(provider, issuer);
      const text = /role="alert">([^<]*)/.exec(answer.text)?.[1];
      // Nothing is lost: the sign-in page is a link away, and works.
      expect(answer.text).toContain(`href="${visit.path}"`);
      const page = await visit.browser.get(visit.path);
      expect((await fillForm(visit.browser, page, visit.path, ADMIN)).status).toBe(303);
      return { status: answer.status, text };
    };
    expect(await reasonOf(trusted)).toEqual({ status: 403, text: 'This account is disabled.' });
    expect(email).toContain('@');
    somebody({ email: undefined });
    expect(await reasonOf(trusted)).toEqual({ status: 403, text: expect.stringContaining('did not tell your e-mail address') });
    somebody({ email: 'x@other.example' });
    expect(await reasonOf(trusted)).toEqual({ status: 403, text: expect.stringContaining('is not for addresses like yours') });
    const closed = await realm.connect(platform, issuer.url);
    somebody();
    expect(await reasonOf(closed)).toEqual({ status: 403, text: expect.stringContaining('There is no account for you yet') });
  });

  it('reads what only the userinfo endpoint tells', async () => {
    const { email } = somebody();
    issuer.userinfo = { email, email_verified: true, given_name: 'Grace' };
    issuer.subject = { sub: issuer.subject['sub'] };
    expect(await signInThrough(realm, trusted, issuer)).toMatchObject({ _email: email, _firstname: 'Grace' });
    issuer.userinfo = { sub: 'somebody else', email: 'b@house.example', email_verified: true };
    issuer.subject = { sub: 'another' };
    const visit = await UpstreamVisit.begin(realm);
    expect((await visit.signIn(trusted, issuer)).text).toContain('was not valid');
  });

  it('is led to by an address of its domain, from every application', async () => {
    const { email } = somebody();
    const other = await newRealm(passport, 'Elsewhere');
    const visit = await UpstreamVisit.begin(other);
    const leaving = await fillForm(visit.browser, visit.page as never, '/upstream', { address: ` ${email.toUpperCase()} ` });
    const target = `${visit.path}/upstream/${trusted._id}`;
    expect(leaving.text).toContain(`<meta http-equiv="refresh" content="0;url=${target}">`);
    expect(await visit.who(await visit.signIn(trusted, issuer))).toMatchObject({ _email: email });
    expect(issuer.departures.at(-1)?.get('login_hint')?.toLowerCase()).toBe(email);
    const nowhere = await UpstreamVisit.begin(other);
    expect((await fillForm(nowhere.browser, nowhere.page as never, '/upstream', { address: 'a@nowhere.example' })).status).toBe(404);
  });

  it('cannot be put before the users of other organizations by one that nobody trusts', async () => {
    const own = await realm.connect(realm.tenant.owner, issuer.url, { _domains: ['bank.example'] });
    const other = await newRealm(passport, 'Bank');
    const visit = await UpstreamVisit.begin(other);
    expect((await visit.leave(own)).status).toBe(404);
    expect((await fillForm(visit.browser, visit.page as never, '/upstream', { address: 'clerk@bank.example' })).status).toBe(404);
    expect((await (await UpstreamVisit.begin(realm)).leave(own)).status).toBe(303);
  });

  it('is over for everybody who came in through it when it is removed, and when it gets another issuer', async () => {
    for (const end of [(path: string) => platform.delete(path), (path: string) => platform.put(path, { _issuer: `${issuer.url.replace('127.0.0.1', 'localhost')}` })]) {
      const provider = await realm.connect(platform, issuer.url, { _provision: true, _domains: [] });
      somebody();
      const visit = await UpstreamVisit.begin(realm);
      const { access_token: token } = await visit.tokens(await visit.signIn(provider, issuer));
      const underWay = await UpstreamVisit.begin(realm);
      const callback = await underWay.cross(provider, issuer);
      expect((await send(passport, 'GET', '/users/me', token)).status).toBe(200);
      issuer.misbehaviour = { discovery: (document) => ({ ...document, issuer: issuer.url.replace('127.0.0.1', 'localhost') }) };
      expect((await end(`/organizations/${realm.tenant.organization._id}/identityproviders/${provider._id}`)).status).toBeLessThan(300);
      issuer.misbehaviour = {};
      expect((await send(passport, 'GET', '/users/me', token)).status).toBe(401);
      expect((await underWay.arrive(callback)).location).toBeUndefined();
      expect(await database().query('SELECT FROM user_identity WHERE provider_id = $1', [provider._id])).toEqual([]);
    }
  });

  it('goes on at any replica', async () => {
    const replica = await startReplica(passport);
    try {
      const { email } = somebody();
      const browser = new Browser(passport.baseUrl, [passport.baseUrl, replica.url]);
      expect(await signInThrough(realm, trusted, issuer, browser)).toMatchObject({ _email: email });
      expect(await signInThrough(realm, trusted, issuer, new Browser(passport.baseUrl, [replica.url, passport.baseUrl]))).toMatchObject({ _email: email });
    } finally {
      await replica.stop();
    }
  });

  it('needs no word of a verified address for accounts that somebody proved once: the subject is enough', async () => {
    const { sub, email } = somebody();
    const first = await signInThrough(realm, trusted, issuer);
    issuer.subject = { sub, email, email_verified: false };
    expect((await signInThrough(realm, trusted, issuer))._id).toBe(first._id);
    await prove(email);
    issuer.subject = { sub };
    expect((await signInThrough(realm, trusted, issuer))._id).toBe(first._id);
  });
});
