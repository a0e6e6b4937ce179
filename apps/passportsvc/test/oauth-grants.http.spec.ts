import { decodeJwt } from 'jose';
import { DataSource } from 'typeorm';
import { OidcStateRepository } from '../src/oauth/oidc-state.repository';
import { RevocationsRepository } from '../src/sessions/revocations.repository';
import { Sessions } from '../src/sessions/sessions.service';
import { APP_REDIRECT_URI, registerApp } from './applications';
import { Browser, challengeOf, newVerifier } from './browser';
import { type PassportApp, REDIRECT_URI, startPassport } from './passport-app';
import { ageRefreshTokens, authorizeUrl, exchange, type Parameters, signInAt, TOKEN, type Tokens } from './sign-in';

const V1_AUTHORIZE = '/passportsvc/api/v1/oauth/authorize';
const V1_TOKEN = '/passportsvc/api/v1/oauth/token';
const SECRET = 'a-secret-of-an-application';
const OTHER_URI = 'https://app.example.com/other';

type Answer = Tokens & { readonly status: number };

describe('a code', () => {
  let passport: PassportApp;
  let signedIn: Browser;
  beforeAll(async () => {
    passport = await startPassport();
    signedIn = new Browser(passport.baseUrl);
    await signInAt(signedIn, authorizeUrl(newVerifier()));
  });
  afterAll(() => passport?.stop());

  const codeFor = async (verifier: string, changes: Parameters = {}, path?: string, browser = signedIn) =>
    (await signInAt(browser, authorizeUrl(verifier, changes, path))).location?.searchParams.get('code') ?? '';
  const redeem = async (form: Parameters, path = TOKEN): Promise<Answer> => {
    const response = await exchange(passport.baseUrl, { grant_type: 'authorization_code', client_id: 'console', redirect_uri: REDIRECT_URI, ...form }, path);
    return { status: response.status, ...((await response.json()) as Tokens) };
  };
  const status = async (token: string) => (await fetch(`${passport.baseUrl}/passportsvc/api/v1/users/me`, { headers: { authorization: `Bearer ${token}` } })).status;
  const refused = (error: string) => ({ status: 403, error, error_description: expect.any(String) });
  const query = (sql: string, values: unknown[] = []) => passport.app.get(DataSource).query<{ payload: { exp: number; iat: number } }[]>(sql, values);

  it.each<[string, (verifier: string) => string | undefined, string]>([
    ['no verifier', () => undefined, 'invalid_grant'],
    ['an empty verifier', () => '', 'invalid_grant'],
    ['another verifier', () => newVerifier(), 'invalid_grant'],
    ['the challenge', (verifier) => challengeOf(verifier), 'invalid_grant'],
    ['a part of the verifier', (verifier) => verifier.slice(0, -1), 'invalid_grant'],
    ['a short verifier', (verifier) => verifier.slice(0, 15), 'invalid_request'],
    ['the verifier in other letters', (verifier) => verifier.toUpperCase().padEnd(44, 'X'), 'invalid_grant'],
    ['two verifiers', (verifier) => `${verifier},${verifier}`, 'invalid_request'],
  ])('with a challenge is worth nothing with %s, on v1 and v2', async (_name, change, error) => {
    const verifier = newVerifier();
    for (const path of [TOKEN, V1_TOKEN]) expect(await redeem({ code: await codeFor(verifier), code_verifier: change(verifier) }, path)).toMatchObject(refused(error));
  });

  it('without a challenge takes no verifier: whoever left the challenge out has not asked for the code', async () => {
    const app = await registerApp(passport, { secret: SECRET });
    const of = { client_id: app.id, redirect_uri: APP_REDIRECT_URI };
    const without = { ...of, code_challenge: undefined, code_challenge_method: undefined };
    const code = await codeFor('', without, V1_AUTHORIZE);
    expect(await redeem({ ...of, code, client_secret: SECRET, code_verifier: newVerifier() }, V1_TOKEN)).toMatchObject(refused('invalid_grant'));
    expect(await redeem({ ...of, code: await codeFor('', without, V1_AUTHORIZE), client_secret: SECRET }, V1_TOKEN)).toMatchObject({ status: 200, token_type: 'bearer' });
  });

  it('of a confidential client on v1 needs its verifier all the same when it came with a challenge', async () => {
    const app = await registerApp(passport, { secret: SECRET });
    const of = { client_id: app.id, redirect_uri: APP_REDIRECT_URI };
    expect(await redeem({ ...of, code: await codeFor(newVerifier(), of, V1_AUTHORIZE), client_secret: SECRET }, V1_TOKEN)).toMatchObject(refused('invalid_grant'));
  });

  it('is given to no public client without a challenge, also on v1', async () => {
    const app = await registerApp(passport);
    const answer = await signedIn.get(authorizeUrl('', { client_id: app.id, redirect_uri: APP_REDIRECT_URI, code_challenge: undefined, code_challenge_method: undefined }, V1_AUTHORIZE));
    expect(answer.location?.searchParams.get('error')).toBe('invalid_request');
  });

  it('belongs to its client', async () => {
    const [mine, other] = [await registerApp(passport, { secret: SECRET }), await registerApp(passport, { secret: SECRET })];
    const verifier = newVerifier();
    const code = await codeFor(verifier, { client_id: mine.id, redirect_uri: APP_REDIRECT_URI });
    const form = { code, code_verifier: verifier, redirect_uri: APP_REDIRECT_URI, client_secret: SECRET };
    expect(await redeem({ ...form, client_id: other.id })).toMatchObject(refused('invalid_grant'));
    expect(await redeem({ ...form, client_id: mine.id, client_secret: 'wrong' })).toMatchObject(refused('invalid_client'));
    expect(await redeem({ ...form, client_id: mine.id, client_secret: undefined })).toMatchObject(refused('invalid_client'));
    expect(await redeem({ ...form, client_id: mine.id })).toMatchObject({ status: 200 });
  });

  it('belongs to its redirect URI, one trailing slash aside, also among the registered ones', async () => {
    const app = await registerApp(passport, { redirectUris: [APP_REDIRECT_URI, OTHER_URI] });
    const verifier = newVerifier();
    const redeemAt = async (redirectUri: string | undefined) =>
      redeem({ client_id: app.id, code: await codeFor(verifier, { client_id: app.id, redirect_uri: APP_REDIRECT_URI }), code_verifier: verifier, redirect_uri: redirectUri });
    expect(await redeemAt(OTHER_URI)).toMatchObject(refused('invalid_grant'));
    expect(await redeemAt(`${APP_REDIRECT_URI}//`)).toMatchObject(refused('invalid_grant'));
    expect(await redeemAt(undefined)).toMatchObject(refused('invalid_request'));
    expect(await redeemAt(`${APP_REDIRECT_URI}/`)).toMatchObject({ status: 200 });
  });

  it('lives for a minute', async () => {
    const verifier = newVerifier();
    const code = await codeFor(verifier);
    const [row] = await query(`SELECT payload FROM oidc_state WHERE model = 'AuthorizationCode' ORDER BY expires_at DESC LIMIT 1`);
    expect((row?.payload.exp ?? 0) - (row?.payload.iat ?? 0)).toBe(60);
    await query(`UPDATE oidc_state SET payload = payload || jsonb_build_object('exp', (payload->>'exp')::int - 61) WHERE model = 'AuthorizationCode'`);
    expect(await redeem({ code, code_verifier: verifier })).toMatchObject(refused('invalid_grant'));
  });

  it('that is shown again ends what came of it: access token, refresh token and what they were exchanged for', async () => {
    const app = await registerApp(passport, { secret: SECRET, authorizedGrantTypes: ['authorization_code', 'refresh_token'] });
    const of = { client_id: app.id, client_secret: SECRET, redirect_uri: APP_REDIRECT_URI };
    const verifier = newVerifier();
    const form = { ...of, code: await codeFor(verifier, { client_id: app.id, redirect_uri: APP_REDIRECT_URI }), code_verifier: verifier };
    const first = await redeem(form);
    const refreshed = await redeem({ ...of, grant_type: 'refresh_token', refresh_token: first.refresh_token });
    const exchanged = (await (await exchange(passport.baseUrl, {}, `/passportsvc/api/v1/auth/token?appId=${app.id}`, { authorization: `Bearer ${first.access_token}` })).json()) as Tokens;
    const tokens = [first.access_token, refreshed.access_token, exchanged.access_token];
    expect(await Promise.all(tokens.map(status))).toEqual([200, 200, 200]);
    expect(await redeem({ ...form, code_verifier: 'an attacker does not know it' })).toMatchObject(refused('invalid_grant'));
    expect(await Promise.all(tokens.map(status))).toEqual([401, 401, 401]);
    expect(await redeem({ ...of, grant_type: 'refresh_token', refresh_token: refreshed.refresh_token })).toMatchObject(refused('invalid_grant'));
  });

  it('is ended by a logout before it was exchanged', async () => {
    const browser = new Browser(passport.baseUrl);
    const [one, two] = [newVerifier(), newVerifier()];
    const code = (await signInAt(browser, authorizeUrl(one))).location?.searchParams.get('code') ?? '';
    const later = (await browser.get(authorizeUrl(two))).location?.searchParams.get('code') ?? '';
    const { access_token: token } = await redeem({ code, code_verifier: one });
    await fetch(`${passport.baseUrl}/passportsvc/api/v1/logout`, { headers: { authorization: `Bearer ${token}` } });
    expect(await redeem({ code: later, code_verifier: two })).toMatchObject(refused('invalid_grant'));
  });

  it.each(['client_id', 'code', 'redirect_uri', 'code_verifier', 'grant_type'])('is not exchanged when %s comes twice', async (name) => {
    const verifier = newVerifier();
    const form = new URLSearchParams({ grant_type: 'authorization_code', client_id: 'console', redirect_uri: REDIRECT_URI, code: await codeFor(verifier), code_verifier: verifier });
    form.append(name, form.get(name) ?? '');
    const response = await fetch(passport.baseUrl + TOKEN, { method: 'POST', body: form });
    expect([response.status, await response.json()]).toEqual([403, expect.objectContaining({ error: 'invalid_request' })]);
  });

  it('is not exchanged by a query, by JSON, or by the password of the user', async () => {
    const verifier = newVerifier();
    const form = { grant_type: 'authorization_code', client_id: 'console', redirect_uri: REDIRECT_URI, code: await codeFor(verifier), code_verifier: verifier };
    const inQuery = await fetch(`${passport.baseUrl}${TOKEN}?${new URLSearchParams(form)}`, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } });
    const json = await fetch(passport.baseUrl + TOKEN, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(form) });
    expect([inQuery.status, json.status]).toEqual([403, 403]);
    for (const path of [TOKEN, V1_TOKEN]) {
      expect(await redeem({ grant_type: 'password', username: 'admin@example.com', password: 'correct horse battery' }, path)).toMatchObject(refused('unsupported_grant_type'));
    }
  });

  describe('exchanged for a refresh token', () => {
    const refreshable = async (changes: Parameters = {}, browser = signedIn) => {
      const app = await registerApp(passport, { secret: SECRET, authorizedGrantTypes: ['authorization_code', 'refresh_token'] });
      const of = { client_id: app.id, client_secret: SECRET, redirect_uri: APP_REDIRECT_URI };
      const verifier = newVerifier();
      const code = await codeFor(verifier, { client_id: app.id, redirect_uri: APP_REDIRECT_URI, ...changes }, undefined, browser);
      const tokens = await redeem({ ...of, code, code_verifier: verifier });
      const refresh = (token: string | undefined, more: Parameters = {}) => redeem({ ...of, grant_type: 'refresh_token', refresh_token: token, ...more });
      return { app, tokens, refresh };
    };

    it('gives all that show one token within ten seconds the same next one: two tabs stay signed in', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { tokens, refresh } = await refreshable();
        const raced = await Promise.all([refresh(tokens.refresh_token), refresh(tokens.refresh_token), refresh(tokens.refresh_token)]);
        const [next, ...others] = new Set(raced.map((answer) => answer.refresh_token));
        expect([raced.map((answer) => answer.status), others, next === tokens.refresh_token]).toEqual([[200, 200, 200], [], false]);
        const afterNext = await refresh(next);
        const late = await refresh(tokens.refresh_token);
        expect([afterNext.status, late.status, late.refresh_token]).toEqual([200, 200, next]);
        const used = [tokens, ...raced, afterNext, late];
        expect(await Promise.all(used.map((answer) => status(answer.access_token)))).toEqual(used.map(() => 200));
      }
    });

    it('ends the family when it is shown again later, also the token that was used first', async () => {
      const { tokens, refresh } = await refreshable();
      const next = await refresh(tokens.refresh_token);
      const last = await refresh(next.refresh_token);
      await ageRefreshTokens(passport.app, 11);
      expect(await refresh(tokens.refresh_token)).toMatchObject(refused('invalid_grant'));
      expect([(await refresh(last.refresh_token)).status, await status(tokens.access_token), await status(last.access_token)]).toEqual([403, 401, 401]);
    });

    it('has no longer a grace by being shown in it', async () => {
      const { tokens, refresh } = await refreshable();
      await refresh(tokens.refresh_token);
      await ageRefreshTokens(passport.app, 6);
      expect((await refresh(tokens.refresh_token)).status).toBe(200);
      await ageRefreshTokens(passport.app, 6);
      expect(await refresh(tokens.refresh_token)).toMatchObject(refused('invalid_grant'));
    });

    it('gives fewer scopes when asked, and never more', async () => {
      const { tokens, refresh } = await refreshable({ scope: 'read' });
      expect(await refresh(tokens.refresh_token, { scope: 'read write' })).toMatchObject(refused('invalid_scope'));
      expect(await refresh(tokens.refresh_token, { scope: 'read' })).toMatchObject({ status: 200, scope: 'read' });
    });

    it('belongs to its client', async () => {
      const [mine, other] = [await refreshable(), await refreshable()];
      expect(await other.refresh(mine.tokens.refresh_token)).toMatchObject(refused('invalid_grant'));
      expect(await mine.refresh(mine.tokens.refresh_token, { client_secret: undefined })).toMatchObject(refused('invalid_client'));
      expect(await mine.refresh(mine.tokens.refresh_token)).toMatchObject({ status: 200 });
    });

    it('lives no longer by being rotated', async () => {
      const { tokens, refresh } = await refreshable();
      const grantId = decodeJwt(tokens.access_token)['gid'];
      const ends = async () => (await query(`SELECT payload FROM oidc_state WHERE model = 'RefreshToken' AND grant_id = $1 ORDER BY consumed_at NULLS FIRST LIMIT 1`, [grantId]))[0]?.payload.exp ?? 0;
      await query(`UPDATE oidc_state SET payload = payload || jsonb_build_object('exp', (payload->>'exp')::int - 1000000) WHERE model = 'RefreshToken' AND grant_id = $1`, [grantId]);
      const before = await ends();
      const next = await refresh(tokens.refresh_token);
      expect([next.status, Math.abs((await ends()) - before) <= 2]).toEqual([200, true]);
      await query(`UPDATE oidc_state SET payload = payload || jsonb_build_object('exp', 1) WHERE model = 'RefreshToken' AND grant_id = $1`, [grantId]);
      expect(await refresh(next.refresh_token)).toMatchObject(refused('invalid_grant'));
    });

    it('ends by a logout that it raced with, for as long as it could have lived', async () => {
      const { tokens, refresh } = await refreshable({}, new Browser(passport.baseUrl));
      const { sid } = decodeJwt<{ sid: string }>(tokens.access_token);
      const state = passport.app.get(OidcStateRepository, { strict: false });
      const raced = await state.find('RefreshToken', tokens.refresh_token ?? '');
      await passport.app.get(Sessions, { strict: false }).end(sid);
      // What a request that had begun before the logout writes after it.
      await state.upsert('RefreshToken', tokens.refresh_token ?? '', raced ?? {}, 3_600);
      expect(await refresh(tokens.refresh_token)).toMatchObject(refused('invalid_grant'));
      const seconds = passport.settings.REFRESH_TOKEN_SECONDS;
      await query(`UPDATE revocation SET expires_at = expires_at - $1 * interval '1 second'`, [seconds - 60]);
      await passport.app.get(RevocationsRepository, { strict: false }).sweep();
      expect(await refresh(tokens.refresh_token)).toMatchObject(refused('invalid_grant'));
    });

    it('is for applications alone that list it, and for public ones with rotation too', async () => {
      const app = await registerApp(passport, { authorizedGrantTypes: ['authorization_code', 'refresh_token'] });
      const verifier = newVerifier();
      const of = { client_id: app.id, redirect_uri: APP_REDIRECT_URI };
      const tokens = await redeem({ ...of, code: await codeFor(verifier, of), code_verifier: verifier });
      const next = await redeem({ ...of, grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
      expect(next).toMatchObject({ status: 200, refresh_token: expect.any(String) });
      await ageRefreshTokens(passport.app, 11);
      expect(await redeem({ ...of, grant_type: 'refresh_token', refresh_token: tokens.refresh_token })).toMatchObject(refused('invalid_grant'));
      expect(await status(next.access_token)).toBe(401);
      const plain = await registerApp(passport);
      expect(await redeem({ client_id: plain.id, grant_type: 'refresh_token', refresh_token: 'x' })).toMatchObject(refused('unauthorized_client'));
    });
  });
});
