import { randomUUID } from 'node:crypto';
import { DataSource, type Logger } from 'typeorm';
import { Browser, type BrowserResponse, newVerifier } from './browser';
import { holdSweeps, type PassportApp, startPassport } from './passport-app';
import { authorizeUrl, signInAt } from './sign-in';

let addresses = 0;
const nothing = () => undefined;
const recordIn = (statements: string[]): Logger => ({
  logQuery: (query) => void statements.push(query), logQueryError: nothing, logQuerySlow: nothing, logSchemaBuild: nothing, logMigration: nothing, log: nothing,
});

describe('whether there is an account', () => {
  let passport: PassportApp;
  let dataSource: DataSource;
  const accounts: Record<'known' | 'disabled' | 'without password', string> = { known: '', disabled: '', 'without password': '' };
  beforeAll(async () => {
    passport = await startPassport();
    await holdSweeps(passport.app);
    dataSource = passport.app.get(DataSource);
    for (const kind of Object.keys(accounts) as (keyof typeof accounts)[]) accounts[kind] = await newAccount();
    await dataSource.query('UPDATE app_user SET disabled = true WHERE email = $1', [accounts.disabled]);
    await dataSource.query('UPDATE app_user SET password_hash = NULL WHERE email = $1', [accounts['without password']]);
  });
  afterAll(async () => { await passport.stop(); });

  const newAccount = async () => {
    const email = `${randomUUID()}@example.com`;
    await fetch(`${passport.baseUrl}/passportsvc/api/v1/accounts`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ _email: email, _password: 'kettle harbour' }),
    });
    return email;
  };
  const newBrowser = () => {
    addresses += 1;
    return new Browser(passport.baseUrl, [passport.baseUrl], { 'x-forwarded-for': `203.0.113.${addresses}` });
  };
  const checks = async () => Number(/^password_checks_total (\d+)/m.exec(await (await fetch(`${passport.baseUrl}/metrics`)).text())?.[1]);
  /** All that an answer shows, but for what is another at each sign-in. */
  const shown = ({ status, headers, text }: BrowserResponse, email: string) => ({
    status, text: text.replaceAll(email, 'E-MAIL').replace(/(sign-in\/|name="csrf" value=")[\w-]+/g, '$1'),
    headers: [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name)),
  });

  it.each([
    ['a wrong password', 'not this one'],
    ['the right password of a disabled account', 'kettle harbour'],
    ['no password at all', ''],
    ['a very long password', 'x'.repeat(20_000)],
  ])('is not told by signing in with %s: the same text, status, headers and work', async (_what, password) => {
    const emails = [accounts.disabled, accounts['without password'], `${randomUUID()}@example.com`, ...(password === 'kettle harbour' ? [] : [accounts.known])];
    const seen: object[] = [];
    for (const email of emails) {
      const before = await checks();
      const answer = await signInAt(newBrowser(), authorizeUrl(newVerifier()), { email, password });
      seen.push({ ...shown(answer, email), work: (await checks()) - before });
    }
    expect(seen[0]).toMatchObject({ status: 401, work: 1 });
    for (const other of seen) expect(other).toEqual(seen[0]);
  });

  it('is not told by the time of the work: the stand-in costs what a stored hash costs', async () => {
    const stored = await dataSource.query<{ password_hash: string }[]>('SELECT password_hash FROM app_user WHERE email = $1', [accounts.known]);
    expect(stored[0]?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    // The same questions to the database, whoever it is.
    const asked = async (email: string) => {
      const statements: string[] = [];
      dataSource.setOptions({ logging: true, logger: recordIn(statements) });
      await signInAt(newBrowser(), authorizeUrl(newVerifier()), { email, password: 'not this one' });
      dataSource.setOptions({ logging: false });
      return statements.filter((query) => /sign_in_failure|app_user/.test(query));
    };
    const known = await asked(accounts.known);
    expect(known.length).toBeGreaterThan(2);
    for (const email of [accounts.disabled, accounts['without password'], `${randomUUID()}@example.com`]) expect(await asked(email)).toEqual(known);
  });

  it('is not told by being slowed down', async () => {
    const slowed = async (email: string) => {
      for (let count = 0; count < 5; count += 1) await signInAt(newBrowser(), authorizeUrl(newVerifier()), { email, password: 'not this one' });
      await dataSource.query(`UPDATE sign_in_failure SET last_failed_at = now() + interval '1 minute'`);
      const answer = await signInAt(newBrowser(), authorizeUrl(newVerifier()), { email, password: 'not this one' });
      return [answer.status, answer.text.replace(/\d+ seconds/, 'n seconds').replaceAll(email, 'E-MAIL').replace(/(sign-in\/|name="csrf" value=")[\w-]+/g, '$1')];
    };
    const known = await slowed(accounts.known);
    expect(known[0]).toBe(429);
    expect(await slowed(`${randomUUID()}@example.com`)).toEqual(known);
  });
});
