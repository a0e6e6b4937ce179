import { fillDisk } from '@twinyard/testing';
import { Browser, newVerifier } from './browser';
import { query } from './pages';
import { type PassportApp, REDIRECT_URI, startPassport } from './passport-app';
import { organizationScim } from './scim-client';
import { authorizeUrl, exchange, signInAt } from './sign-in';
import { newTenant } from './tenancy';

describe('a database whose disk is full', () => {
  let passport: PassportApp;
  beforeAll(async () => { passport = await startPassport(); });
  afterAll(() => passport?.stop());

  const fill = (...tables: string[]) => fillDisk((sql) => query(passport, sql), tables);

  it('is 507 at OAuth\'s endpoints in their form, and costs nobody a code', async () => {
    const verifier = newVerifier();
    const { location } = await signInAt(new Browser(passport.baseUrl), authorizeUrl(verifier));
    const code = location?.searchParams.get('code') ?? undefined;
    const redeem = () => exchange(passport.baseUrl, { grant_type: 'authorization_code', code, client_id: 'console', redirect_uri: REDIRECT_URI, code_verifier: verifier });
    const makeRoom = await fill('oidc_state');
    try {
      for (const answer of [await redeem(), await fetch(passport.baseUrl + authorizeUrl(newVerifier()), { redirect: 'manual', headers: { accept: 'application/json' } })]) {
        expect([answer.status, await answer.json()]).toEqual([507, { error: 'server_error', error_description: expect.any(String) }]);
      }
    } finally {
      await makeRoom();
    }
    expect((await redeem()).status).toBe(200);
  });

  it('is 507 in SCIM\'s form, and nobody is half made', async () => {
    const scim = await organizationScim(passport, (await newTenant(passport, 'Full')).organization._id);
    const makeRoom = await fill('scim_user');
    const make = () => scim.post('/Users', { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'ada.full', emails: [{ value: 'ada.full@example.com' }] });
    const refused = await make();
    const made = await query(passport, `SELECT id FROM app_user WHERE email = 'ada.full@example.com'`);
    await makeRoom();
    expect(refused).toMatchObject({ status: 507, body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '507', detail: expect.stringContaining('no room left') } });
    expect(made).toEqual([]);
    expect((await make()).status).toBe(201);
  });
});
