import { randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { DataSource } from 'typeorm';
import { ExpirySweep } from '../src/sessions/expiry-sweep';
import { Browser, type BrowserResponse, newVerifier } from './browser';
import { type PassportApp, startPassport, startReplica } from './passport-app';
import { authorizeUrl, signInAt } from './sign-in';

const PASSWORD = 'kettle harbour';
const OLD_PARAMETERS = { memoryCost: 4_096, timeCost: 1, parallelism: 1 };
let addresses = 0;

describe('guessing passwords', () => {
  let passport: PassportApp;
  let replica: Awaited<ReturnType<typeof startReplica>>;
  let dataSource: DataSource;
  beforeAll(async () => {
    passport = await startPassport();
    replica = await startReplica(passport);
    dataSource = passport.app.get(DataSource);
  });
  afterAll(async () => {
    await replica.stop();
    await passport.stop();
  });

  /** An address that nothing came from yet. */
  const elsewhere = () => {
    addresses += 1;
    return `198.51.${addresses >> 8}.${addresses & 255}`;
  };
  const newAccount = async () => {
    const email = `${randomUUID()}@example.com`;
    await fetch(`${passport.baseUrl}/passportsvc/api/v1/accounts`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ _email: email, _password: PASSWORD }),
    });
    return email;
  };
  const browserAt = (address: string, server = passport.baseUrl) => new Browser(passport.baseUrl, [server], { 'x-forwarded-for': address });
  const attempt = (email: string, password: string, browser = browserAt(elsewhere())) => signInAt(browser, authorizeUrl(newVerifier()), { email, password });
  const isIn = ({ location }: BrowserResponse) => location?.searchParams.has('code') === true;
  /** Moves all that was counted into the past, or, so that a wait outlasts a slow test, into the future. */
  const move = (seconds: number) => dataSource.query(`UPDATE sign_in_failure SET last_failed_at = last_failed_at + $1 * interval '1 second'`, [seconds]);
  const guess = async (times: number, email: () => string, browser: () => Browser) => {
    const statuses: number[] = [];
    for (let count = 0; count < times; count += 1) statuses.push((await attempt(email(), 'not this one', browser())).status);
    await move(60);
    return statuses;
  };
  const checks = async () => Number(/^password_checks_total (\d+)/m.exec(await (await fetch(`${passport.baseUrl}/metrics`)).text())?.[1]);

  it('slows down one account from many addresses, with Retry-After', async () => {
    const email = await newAccount();
    expect(await guess(5, () => email, () => browserAt(elsewhere()))).toEqual([401, 401, 401, 401, 401]);
    const slowed = await attempt(email, 'not this one');
    expect(slowed.status).toBe(429);
    expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(isIn(await attempt(await newAccount(), PASSWORD))).toBe(true);
  });

  it('slows down one address with many accounts, those that there are and those that there are not', async () => {
    const [address, other] = [elsewhere(), await newAccount()];
    expect(await guess(5, () => `${randomUUID()}@example.com`, () => browserAt(address))).toEqual([401, 401, 401, 401, 401]);
    expect((await attempt(other, PASSWORD, browserAt(address))).status).toBe(429);
    expect(isIn(await attempt(other, PASSWORD))).toBe(true);
  });

  it('counts for all replicas together', async () => {
    const email = await newAccount();
    const servers = [passport.baseUrl, replica.url];
    expect(await guess(5, () => email, () => browserAt(elsewhere(), servers[addresses % 2]))).toEqual([401, 401, 401, 401, 401]);
    for (const server of servers) expect((await attempt(email, PASSWORD, browserAt(elsewhere(), server))).status).toBe(429);
  });

  it('counts guesses that arrive together like any others', async () => {
    const email = await newAccount();
    const began = performance.now();
    const statuses = await Promise.all(Array.from({ length: 24 }, (_, index) => attempt(email, 'not this one', browserAt(elsewhere(), index % 2 === 0 ? passport.baseUrl : replica.url)).then(({ status }) => status)));
    // Five, and one more for each second that all of this took.
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(5 + Math.ceil((performance.now() - began) / 1_000));
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
  });

  it('is told nothing while it waits: a right password is answered like a wrong one, and neither is looked at', async () => {
    const email = await newAccount();
    await guess(5, () => email, () => browserAt(elsewhere()));
    const before = await checks();
    const [right, wrong] = [await attempt(email, PASSWORD), await attempt(email, 'not this one')];
    const shown = ({ status, text }: BrowserResponse) => ({ status, text: text.replace(/\d+ seconds?/, 'n seconds').replace(/(sign-in\/|name="csrf" value=")[\w-]+/g, '$1') });
    expect(shown(right)).toEqual(shown(wrong));
    expect(right.status).toBe(429);
    expect(await checks()).toBe(before);
  });

  it('locks nobody out: the wait ends, and a browser that the owner has used before does not wait for strangers', async () => {
    const [email, other] = [await newAccount(), await newAccount()];
    const [own, others] = [browserAt(elsewhere()), browserAt(elsewhere())];
    expect([isIn(await attempt(email, PASSWORD, own)), isIn(await attempt(other, PASSWORD, others))]).toEqual([true, true]);
    await guess(5, () => email, () => browserAt(elsewhere()));

    const device = (from: Browser) => {
      const browser = browserAt(elsewhere());
      browser.plant('passport_device', from.cookie('passport_device') ?? '', '/passportsvc');
      return browser;
    };
    const forged = browserAt(elsewhere());
    forged.plant('passport_device', `${(own.cookie('passport_device') ?? '').split('.')[0] ?? ''}.AAAA`, '/passportsvc');
    expect([(await attempt(email, PASSWORD)).status, (await attempt(email, PASSWORD, device(others))).status, (await attempt(email, PASSWORD, forged)).status]).toEqual([429, 429, 429]);
    expect(isIn(await attempt(email, PASSWORD, device(own)))).toBe(true);

    // A stolen cookie opens nothing, and has a count of its own.
    const thief = device(own);
    expect(await guess(5, () => email, () => thief)).toEqual([401, 401, 401, 401, 401]);
    expect((await attempt(email, PASSWORD, thief)).status).toBe(429);
    await move(-800);
    expect(isIn(await attempt(email, PASSWORD))).toBe(true);
  });

  it('starts anew after a right password, for the account and not for the address', async () => {
    const [email, address] = [await newAccount(), elsewhere()];
    expect(await guess(4, () => email, () => browserAt(address))).toEqual([401, 401, 401, 401]);
    expect(isIn(await attempt(email, PASSWORD, browserAt(address)))).toBe(true);
    expect(await guess(1, () => email, () => browserAt(address))).toEqual([401]);
    expect((await attempt(email, PASSWORD, browserAt(address))).status).toBe(429);
    expect(isIn(await attempt(email, PASSWORD))).toBe(true);
  });

  it('leaves nothing behind: no address that was typed, and no row once it is forgotten', async () => {
    await guess(1, () => 'hunter2 in the wrong box', () => browserAt(elsewhere()));
    const rows = await dataSource.query<{ key: string }[]>('SELECT key FROM sign_in_failure');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.map(({ key }) => key).join('\n')).not.toMatch(/hunter2|example\.com/);
    await move(-10_000);
    await passport.app.get(ExpirySweep).sweep();
    expect(await dataSource.query('SELECT key FROM sign_in_failure')).toEqual([]);
  });

  it('meets hashes of today: one of older parameters is made anew when its owner signs in', async () => {
    const email = await newAccount();
    const hashOf = async () => (await dataSource.query<{ password_hash: string }[]>('SELECT password_hash FROM app_user WHERE email = $1', [email]))[0]?.password_hash ?? '';
    expect(await hashOf()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    await dataSource.query('UPDATE app_user SET password_hash = $2 WHERE email = $1', [email, await hash(PASSWORD, OLD_PARAMETERS)]);
    await guess(1, () => email, () => browserAt(elsewhere()));
    expect(await hashOf()).toContain('m=4096');
    expect(isIn(await attempt(email, PASSWORD))).toBe(true);
    expect(await hashOf()).toContain('$m=19456,t=2,p=1$');
    expect(isIn(await attempt(email, PASSWORD))).toBe(true);
  });
});
