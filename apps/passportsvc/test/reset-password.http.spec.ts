import { JobRunner } from '@twinyard/jobs';
import { eventually, freePort, processorTime } from '@twinyard/testing';
import { FakeMailServer } from '@twinyard/testing/mail-server';
import { Browser, newVerifier } from './browser';
import { headingOf, linkTo, mailTo, query, Visitor } from './pages';
import { type PassportApp, startPassport, startReplica } from './passport-app';
import { authorizeUrl, signInAt, type Tokens, tokensOf } from './sign-in';
import { API, manager, newPerson, newTenant, send } from './tenancy';

const OLD = 'a long enough one';
const NEW = 'another long enough one';

describe('a forgotten password', () => {
  let mail: FakeMailServer;
  let passport: PassportApp;
  beforeAll(async () => {
    mail = await FakeMailServer.start();
    passport = await startPassport({ SMTP_URL: mail.url, UPSTREAM_ALLOW_PRIVATE: true });
  });
  afterAll(async () => {
    await passport?.stop();
    await mail?.stop();
  });
  // What one test asks for must not slow the next one down.
  afterEach(async () => { await query(passport, 'DELETE FROM sign_in_failure'); });

  const ask = async (email: string, visitor = new Visitor(passport)) => visitor.submit(await visitor.get(visitor.link(await visitor.open(), '/reset')), '/reset', { email });
  const set = (link: string, password: string) => fetch(link, { method: 'POST', body: new URLSearchParams({ password }) });
  const resetLink = async (email: string) => {
    await ask(email);
    return linkTo(mail, email, 'Set a new password');
  };
  const statusOf = async (token: string) => (await send(passport, 'GET', '/users/me', token)).status;

  it('is replaced by a link that came by mail, and with it end all sessions, tokens and access keys', async () => {
    const person = await newPerson(passport, 'Rita');
    const browser = new Browser(passport.baseUrl);
    const { access_token: token } = await tokensOf(passport.baseUrl, { email: person.email, password: OLD }, browser);
    const key = (await send(passport, 'POST', '/users/me/accesskeys', token, { _name: 'script' })).body;
    const basic = `Basic ${Buffer.from(`${key._id}:${key._secret}`).toString('base64')}`;
    const withKey = () => fetch(`${passport.baseUrl}${API}/auth/token?appId=console`, { method: 'POST', headers: { authorization: basic } });
    const { access_token: keyToken } = (await (await withKey()).json()) as Tokens;
    expect([await statusOf(token), await statusOf(keyToken)]).toEqual([200, 200]);

    const sentPage = await ask(person.email);
    expect([sentPage.status, headingOf(sentPage)]).toEqual([200, 'Check your mail']);
    const link = await linkTo(mail, person.email, 'Set a new password');
    for (let looks = 0; looks < 2; looks += 1) expect(await (await fetch(link)).text()).toContain(person.email);
    expect((await set(link, NEW)).status).toBe(200);

    expect([await statusOf(token), await statusOf(keyToken), (await withKey()).status]).toEqual([401, 401, 401]);
    expect((await browser.get(authorizeUrl(newVerifier()))).location?.pathname).toMatch(/\/sign-in\//);
    expect((await signInAt(new Browser(passport.baseUrl), authorizeUrl(newVerifier()), { email: person.email, password: OLD })).status).toBe(401);
    const { access_token: fresh } = await tokensOf(passport.baseUrl, { email: person.email, password: NEW });
    expect((await send(passport, 'GET', '/users/me', fresh)).body._emailVerified).toBe(true);
    await mailTo(mail, person.email, 'Your password was changed');
    const recorded = () => query(passport, `SELECT irn, namespace, address FROM audit_entry WHERE by_id = $1 AND action = 'RESET_PASSWORD'`, [person.id]);
    await eventually(async () => expect(await recorded()).toEqual([{ irn: `passportsvc:user:${person.id}`, namespace: 'platform', address: '127.0.0.1' }]));
  });

  it('is replaced once by each link, also by two at the same moment, and by none that is older than an hour', async () => {
    const person = await newPerson(passport, 'Olaf');
    const first = await resetLink(person.email);
    const answers = await Promise.all([set(first, NEW), set(first, `${NEW} too`)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await fetch(first)).status).toBe(400);
    const other = await newPerson(passport, 'Pia');
    const late = await resetLink(other.email);
    const early = await resetLinkAgain(other.email, late);
    await query(passport, `UPDATE password_reset SET expires_at = now() - interval '1 second' WHERE token_hash IN (SELECT token_hash FROM password_reset WHERE user_id = $1 ORDER BY expires_at LIMIT 1)`, [other.id]);
    expect((await set(late, NEW)).status).toBe(400);
    expect((await set(early, NEW)).status).toBe(200);
    for (const link of [late.replace(/.$/, 'x'), `${passport.baseUrl}/passportsvc/accounts/resets/guess`]) expect((await fetch(link)).status).toBe(400);
  });

  it('ends with all others of its person when one is used; one that is too old shows no form', async () => {
    const [person, other] = [await newPerson(passport, 'Quinn'), await newPerson(passport, 'Rolf')];
    const first = await resetLink(person.email);
    const second = await resetLinkAgain(person.email, first);
    expect((await set(second, NEW)).status).toBe(200);
    expect([(await fetch(first)).status, (await set(first, `${NEW} too`)).status]).toEqual([400, 400]);
    const late = await resetLink(other.email);
    await query(passport, `UPDATE password_reset SET expires_at = now() - interval '1 second' WHERE user_id = $1`, [other.id]);
    expect((await fetch(late)).status).toBe(400);
  });

  /** A link of a later mail. */
  const resetLinkAgain = async (email: string, before: string): Promise<string> => {
    await ask(email);
    return eventually(() => /^https?:\S+$/m.exec(mail.find(({ to, text }) => to?.[0]?.address === email && (text ?? '').includes('/resets/') && !(text ?? '').includes(before)).text ?? '')?.[0] ?? '');
  };

  it('is replaced by one that the policy takes, and the link stays good until then', async () => {
    const person = await newPerson(passport, 'Quin');
    const link = await resetLink(person.email);
    for (const password of ['short', 'password1', person.email]) {
      const refused = await set(link, password);
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringMatching(/<input id="password"[^>]* aria-invalid="true" aria-describedby="password-hint password-problem"/)]);
    }
    expect((await set(link, NEW)).status).toBe(200);
  });

  it('is asked for alike whether there is an account or not, in text, code and headers', async () => {
    const person = await newPerson(passport, 'Tom');
    const [known, unknown] = [await ask(person.email), await ask('nobody@example.com')];
    const normalised = ({ text }: { readonly text: string }, email: string) => text.replaceAll(email, '').replace(/sign-in\/[\w-]+/g, '');
    expect([known.status, normalised(known, person.email)]).toEqual([unknown.status, normalised(unknown, 'nobody@example.com')]);
    expect([...known.headers.keys()].sort()).toEqual([...unknown.headers.keys()].sort());
  });

  it('is answered before anybody looks whether there is an account, so that time does not tell', async () => {
    const idle = await startPassport();
    // Nobody works requests off.
    await idle.app.get(JobRunner).beforeApplicationShutdown();
    const person = await newPerson(idle, 'Tess');
    await query(idle, 'DELETE FROM job');
    const visitor = new Visitor(idle);
    const form = await visitor.get(visitor.link(await visitor.open(), '/reset'));
    const times: Record<string, number[]> = { [person.email]: [], 'nobody@example.com': [] };
    for (let round = 0; round < 20; round += 1) {
      for (const [email, taken] of Object.entries(times)) {
        await query(idle, 'DELETE FROM sign_in_failure');
        taken.push(await processorTime(async () => expect((await visitor.submit(form, '/reset', { email })).status).toBe(200)));
      }
    }
    const left = await query<{ requests: string; mails: string; links: string }>(idle, `SELECT count(*) FILTER (WHERE kind = 'passportsvc.reset-request') AS requests, count(*) FILTER (WHERE kind = 'passportsvc.mail') AS mails, (SELECT count(*) FROM password_reset) AS links FROM job`);
    expect(left).toEqual([{ requests: '40', mails: '0', links: '0' }]);
    const [known = 0, unknown = 0] = Object.values(times).map((values) => values.sort((one, other) => one - other)[10]);
    expect(Math.abs(known - unknown)).toBeLessThan(Math.max(known, unknown) / 2);
    await idle.stop();
  });

  it('is asked for so often and no more, for each address that gets mail and from each that asks', async () => {
    const visitor = new Visitor(passport);
    const person = await newPerson(passport, 'Sought');
    for (let asked = 0; asked < 5; asked += 1) expect((await ask(person.email, visitor)).status).toBe(200);
    // A wait that outlasts a slow test.
    await query(passport, `UPDATE sign_in_failure SET last_failed_at = now() + interval '1 hour'`);
    const slowed = await ask(person.email, visitor);
    expect([slowed.status, Number(slowed.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
    expect(slowed.text).toMatch(/Please wait \d+ seconds? and try again/);
    expect((await ask('somebody.else@example.com', visitor)).status).toBe(429);
    await eventually(async () => expect(await query(passport, `SELECT 1 FROM job WHERE kind = 'passportsvc.reset-request'`)).toEqual([]));
    expect(await query(passport, 'SELECT 1 FROM password_reset WHERE user_id = $1', [person.id])).toHaveLength(5);
    await query(passport, 'DELETE FROM sign_in_failure');
  });

  it('is counted for all replicas together, by the address that gets mail and by the one that asks', async () => {
    const replica = await startReplica(passport);
    try {
      const person = await newPerson(passport, 'Spread');
      const at = (turn: number, address: string) => new Visitor(passport, [turn % 2 === 0 ? passport.baseUrl : replica.url], { 'x-forwarded-for': address });
      const rows: readonly { readonly email: (turn: number) => string; readonly from: (turn: number) => string }[] = [
        { email: () => person.email, from: (turn) => `198.51.100.${turn}` },
        { email: (turn) => `nobody.${turn}@example.com`, from: () => '203.0.113.7' },
      ];
      for (const { email, from } of rows) {
        const statusAt = async (turn: number) => (await ask(email(turn), at(turn, from(turn)))).status;
        for (let turn = 0; turn < 5; turn += 1) expect([turn, await statusAt(turn)]).toEqual([turn, 200]);
        // A wait that outlasts a slow test.
        await query(passport, `UPDATE sign_in_failure SET last_failed_at = now() + interval '1 hour'`);
        expect([await statusAt(5), await statusAt(6)]).toEqual([429, 429]);
      }
    } finally {
      await replica.stop();
    }
  });

  /** As somebody is whom an organization's provider signs in. */
  async function connect(userId: string, domain = `${userId}.example`): Promise<void> {
    const { organization } = await newTenant(passport, 'Vouching');
    const { body } = await (await manager(passport)).post(`/organizations/${organization._id}/identityproviders`, { _name: 'Theirs', _issuer: `http://127.0.0.1:${await freePort()}`, _clientId: 'us', _domains: [domain], _provision: true });
    expect(body).toMatchObject({ _trusted: true });
    await query(passport, `INSERT INTO user_identity (provider_id, subject, user_id, agreed, created_at, last_used_at) VALUES ($1, 'subject', $2, true, now(), now())`, [body._id, userId]);
  }

  it('is given to somebody without one whom no organization vouches for, and proves the address', async () => {
    const person = await newPerson(passport, 'Left');
    await query(passport, 'UPDATE app_user SET password_hash = NULL WHERE id = $1', [person.id]);
    expect((await set(await resetLink(person.email), NEW)).status).toBe(200);
    const { access_token: fresh } = await tokensOf(passport.baseUrl, { email: person.email, password: NEW });
    expect((await send(passport, 'GET', '/users/me', fresh)).body._emailVerified).toBe(true);
    await query(passport, `UPDATE app_user SET password_hash = NULL, email = 'left@vouched.example' WHERE id = $1`, [person.id]);
    await connect((await newPerson(passport, 'Other')).id, 'vouched.example');
    await ask('left@vouched.example');
    await mailTo(mail, 'left@vouched.example', 'Your account has no password');
  });

  it('is not given to somebody who signs in through an organization, nor to somebody who was put out', async () => {
    const [social, gone] = [await newPerson(passport, 'Sol'), await newPerson(passport, 'Gone')];
    await query(passport, 'UPDATE app_user SET password_hash = NULL WHERE id = $1', [social.id]);
    await connect(social.id);
    const link = await resetLink(gone.email);
    await query(passport, 'UPDATE app_user SET disabled = true WHERE id = $1', [gone.id]);
    expect((await set(link, NEW)).status).toBe(400);
    await ask(social.email);
    expect((await mailTo(mail, social.email, 'Your account has no password')).text).not.toContain('/resets/');
    await ask(gone.email);
    await eventually(async () => expect([...(await query(passport, `SELECT id FROM job WHERE kind = 'passportsvc.reset-request'`)), ...(await query(passport, `SELECT id FROM job WHERE kind = 'passportsvc.mail'`))]).toEqual([]));
    expect(mail.count(({ to, subject }) => to?.[0]?.address === gone.email && subject.startsWith('Set a new'))).toBe(1);
  });

  it('is asked for by a form of this sign-in alone', async () => {
    const visitor = new Visitor(passport);
    const form = await visitor.get(visitor.link(await visitor.open(), '/reset'));
    expect((await visitor.submit(form, '/reset', { email: 'x@example.com', csrf: 'guess' })).status).toBe(403);
    expect((await visitor.submit(form, '/reset', { email: 'no address' })).status).toBe(400);
  });
});
