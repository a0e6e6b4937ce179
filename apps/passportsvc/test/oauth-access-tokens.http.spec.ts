import { createPublicKey } from 'node:crypto';
import { keptScopes, remoteKeys, TokenVerifier } from '@twinyard/auth';
import { newUuid } from '@twinyard/conventions';
import { decodeJwt, exportJWK, exportSPKI, generateKeyPair, importJWK, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { AccessTokenSigner } from '../src/oauth/access-token-signer';
import { RunTokens } from '../src/oauth/run-tokens';
import { SigningKeys } from '../src/signing-keys/signing-keys.service';
import { registerApp } from './applications';
import { Browser, newVerifier } from './browser';
import { type PassportApp, startPassport } from './passport-app';
import { authorizeUrl, exchange, signInAt, type Tokens, tokensOf } from './sign-in';

const API = '/passportsvc/api/v1';

describe('an access token', () => {
  let passport: PassportApp;
  let verifier: TokenVerifier;
  let claims: JWTPayload;
  let key: JWK;
  let good: string;

  beforeAll(async () => {
    passport = await startPassport();
    const keys = passport.app.get(SigningKeys);
    // Two keys are published, as during a rotation: what is said here holds then too.
    await keys.rotate();
    key = keys.keys.tokenKeys[0] as JWK;
    good = (await tokensOf(passport.baseUrl)).access_token;
    claims = decodeJwt(good);
    verifier = new TokenVerifier({ baseUrl: passport.baseUrl, keys: remoteKeys(passport.baseUrl) });
  });
  afterAll(() => passport?.stop());

  const statusOf = async (token: string, path = '/users/me') => (await fetch(passport.baseUrl + API + path, { headers: { authorization: `Bearer ${token}` } })).status;
  /** What passportsvc itself and the other services, which know its published keys alone, say to a token. */
  const verdicts = async (token: string) => [
    await statusOf(token),
    await verifier.verify(token).then(() => 200, (error: { status: number }) => error.status),
  ];
  const signed = async (changes: JWTPayload = {}, header: Partial<JWTHeaderParameters> = {}, by: JWK | Uint8Array = key) =>
    new SignJWT({ ...claims, jti: newUuid(), ...changes }).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid as string, ...header }).sign(by instanceof Uint8Array ? by : await importJWK(by, 'ES256'));
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = () => Math.floor(Date.now() / 1_000);

  it('that is forged as below differs from a good one in that alone', async () => {
    expect([await verdicts(good), await verdicts(await signed())]).toEqual([[200, 200], [200, 200]]);
  });

  describe('by another algorithm', () => {
    it.each(['none', 'None', 'NONE', 'nOnE'])('(%s) is refused, with and without a signature', async (alg) => {
      for (const signature of ['', good.split('.')[2] as string]) expect(await verdicts(`${part({ alg, typ: 'at+jwt', kid: key.kid })}.${part(claims)}.${signature}`)).toEqual([401, 401]);
    });

    it.each(['HS256', 'HS384', 'HS512'])('(%s) is refused when the public key is the secret', async (alg) => {
      const publicJwk = { kty: key.kty, crv: key.crv, x: key.x, y: key.y } as JWK;
      const pem = createPublicKey({ key: publicJwk as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
      for (const secret of [String(pem), JSON.stringify(publicJwk), String(key.x)]) {
        expect(await verdicts(await signed({}, { alg }, new TextEncoder().encode(secret.padEnd(64, '\0'))))).toEqual([401, 401]);
      }
    });

    it.each(['ES384', 'RS256', 'PS256', 'EdDSA'])('(%s) is refused whoever signed it', async (alg) => {
      const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
      const sign = (header: object) => new SignJWT({ ...claims }).setProtectedHeader({ alg, typ: 'at+jwt', ...header }).sign(privateKey);
      expect(await exportSPKI(publicKey)).toContain('PUBLIC KEY');
      for (const header of [{ kid: key.kid as string }, {}]) expect(await verdicts(await sign(header))).toEqual([401, 401]);
    });
  });

  describe('of another key', () => {
    it.each(['../../../../etc/passwd', '/dev/null', `' OR 1=1 --`, `x' UNION SELECT 'y`, '', 'unknown', '__proto__', 'constructor', '0'])('named %j is refused', async (kid) => {
      const { privateKey } = await generateKeyPair('ES256', { extractable: true });
      for (const by of [await exportJWK(privateKey), key]) expect(await verdicts(await signed({}, { kid }, by))).toEqual([401, 401]);
    });

    it('without a name is refused, by our own key too', async () => {
      const token = await new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' }).sign(await importJWK(key, 'ES256'));
      expect(await verdicts(token)).toEqual([401, 401]);
    });

    it('that borrows our name, or brings its own key, is refused', async () => {
      const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
      const [mine, theirs] = [await exportJWK(privateKey), await exportJWK(publicKey)];
      const elsewhere = 'https://evil.example/jwks';
      const headers: Partial<JWTHeaderParameters>[] = [{}, { jwk: theirs }, { jku: elsewhere }, { x5u: elsewhere }, { jwk: theirs, kid: undefined as never }, { x5c: ['MIIB'] }];
      for (const header of headers) {
        expect(await verdicts(await signed({}, header, mine))).toEqual([401, 401]);
      }
    });

    it('and headers that name a key beside ours change nothing about a good one', async () => {
      const { publicKey } = await generateKeyPair('ES256', { extractable: true });
      expect(await verdicts(await signed({}, { jwk: await exportJWK(publicKey), jku: 'https://evil.example/jwks', x5u: 'https://evil.example/x' }))).toEqual([200, 200]);
    });

    it('that claims a critical extension is refused', async () => {
      const [, payload = '', signature = ''] = good.split('.');
      expect(await verdicts(`${part({ alg: 'ES256', typ: 'at+jwt', kid: key.kid, crit: ['exp'], exp: 1 })}.${payload}.${signature}`)).toEqual([401, 401]);
    });
  });

  it.each<[string, (baseUrl: string) => JWTPayload]>([
    ['for somebody else', () => ({ aud: 'https://elsewhere.example' })],
    ['for a part of us', (baseUrl) => ({ aud: `${baseUrl}/passportsvc` })],
    ['for nobody', () => ({ aud: undefined }) as unknown as JWTPayload],
    ['of another issuer', () => ({ iss: 'https://elsewhere.example/passportsvc' })],
    ['of the platform instead of its identity service', (baseUrl) => ({ iss: baseUrl })],
    ['of nobody', () => ({ iss: undefined }) as unknown as JWTPayload],
    ['that is over', () => ({ exp: now() - 1 })],
    ['without an end', () => ({ exp: undefined }) as unknown as JWTPayload],
    ['that begins later', () => ({ nbf: now() + 60 })],
    ['of no subject', () => ({ sub: undefined }) as unknown as JWTPayload],
    ['without an id', () => ({ jti: undefined }) as unknown as JWTPayload],
    ['to no client', () => ({ client_id: undefined })],
  ])('%s is refused though it is signed by us', async (_name, changes) => {
    expect(await verdicts(await signed(changes(passport.baseUrl)))).toEqual([401, 401]);
  });

  it.each(['JWT', 'jwt', 'logout+jwt', 'secevent+jwt', undefined])('of type %s is none', async (typ) => {
    expect(await verdicts(await signed({}, { typ: typ as never }))).toEqual([401, 401]);
  });

  it('is not an ID token, and an ID token is none', async () => {
    const challenge = newVerifier();
    const answer = await signInAt(new Browser(passport.baseUrl), authorizeUrl(challenge, { scope: 'openid read' }));
    const form = { grant_type: 'authorization_code', client_id: 'console', redirect_uri: answer.location?.href.split('?')[0], code: answer.location?.searchParams.get('code') ?? '', code_verifier: challenge };
    const { id_token: idToken = '' } = (await (await exchange(passport.baseUrl, form)).json()) as Tokens;
    expect(decodeJwt(idToken).aud).toBe('console');
    expect(await verdicts(idToken)).toEqual([401, 401]);
    const asHint = await signInAt(new Browser(passport.baseUrl), authorizeUrl(newVerifier(), { scope: 'openid', id_token_hint: good }));
    expect(asHint.location?.searchParams.get('error')).toBe('invalid_request');
  });

  it('is taken from the header alone: not from a query, a form or a cookie', async () => {
    const url = `${passport.baseUrl}${API}/users/me`;
    const form = new URLSearchParams({ access_token: good });
    const answers = [
      await fetch(`${url}?access_token=${good}`), await fetch(url, { headers: { cookie: `access_token=${good}` } }),
      await fetch(`${passport.baseUrl}${API}/oauth/userinfo`, { method: 'POST', body: form }), await fetch(`${passport.baseUrl}${API}/auth/token?appId=console&access_token=${good}`, { method: 'POST' }),
      await fetch(`${passport.baseUrl}${API}/logout?access_token=${good}`), await fetch(`${passport.baseUrl}${API}/apps?access_token=${good}&nsfilter=x`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401]);
    expect(await statusOf(good)).toBe(200);
  });

  it('opens no more than its scopes say', async () => {
    const signer = passport.app.get(AccessTokenSigner, { strict: false });
    const token = async (scopes: string[]) => (await signer.sign({ subject: String(claims.sub), clientId: 'console', scopes: keptScopes(scopes), seconds: 60, claims: {} })).token;
    const create = async (scopes: string[]) => {
      const headers = { authorization: `Bearer ${await token(scopes)}`, 'content-type': 'application/json' };
      return (await fetch(`${passport.baseUrl}${API}/clients`, { method: 'POST', headers, body: JSON.stringify({ _name: 'x', _scopes: ['read'] }) })).status;
    };
    const list = async (scopes: string[]) => statusOf(await token(scopes), '/clients');
    expect([await create(['read', 'write']), await create(['read']), await create(['openid']), await create([])]).toEqual([201, 403, 403, 403]);
    expect([await list(['read']), await list(['write']), await list(['openid', 'scim']), await list([])]).toEqual([200, 403, 403, 403]);
    const userinfo = await fetch(`${passport.baseUrl}${API}/oauth/userinfo`, { headers: { authorization: `Bearer ${good}` } });
    expect([userinfo.status, userinfo.headers.get('www-authenticate')]).toEqual([403, 'Bearer error="insufficient_scope", scope="openid"']);
  });

  describe('exchanged for another application\'s', () => {
    const exchanged = async (token: string, appId: string, seconds?: number) => {
      const response = await fetch(`${passport.baseUrl}${API}/auth/token?appId=${appId}${seconds === undefined ? '' : `&expires_in=${seconds}`}`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
      return { status: response.status, ...((await response.json()) as Tokens) };
    };

    it('cannot be renewed for ever: the chain ends where the first exchange could have', async () => {
      const app = await registerApp(passport);
      const { ACCESS_TOKEN_SECONDS, MAX_TOKEN_SECONDS } = passport.settings;
      const aged = (seconds: number) => signed({ authorized_at: now() - seconds, client_id: app.id });
      expect(await exchanged(good, app.id, 99_999_999)).toMatchObject({ status: 200, expires_in: MAX_TOKEN_SECONDS });
      const rest = await exchanged(await aged(MAX_TOKEN_SECONDS), app.id, 99_999_999);
      expect([rest.status, rest.expires_in <= ACCESS_TOKEN_SECONDS, rest.expires_in > ACCESS_TOKEN_SECONDS - 30]).toEqual([200, true, true]);
      expect(decodeJwt(rest.access_token)['authorized_at']).toBeLessThanOrEqual(now() - MAX_TOKEN_SECONDS);
      expect((await exchanged(await aged(ACCESS_TOKEN_SECONDS + MAX_TOKEN_SECONDS), app.id)).status).toBe(403);
    });

    it('is never that of a run, which would outlive its run', async () => {
      const app = await registerApp(passport);
      const { token } = await passport.app.get(RunTokens, { strict: false }).issue({ userId: String(claims.sub), appId: app.id, scopes: ['read', 'write'], runId: newUuid(), namespaces: ['house_12345678'] });
      expect(await statusOf(token, '/principalinfo')).toBe(200);
      expect((await exchanged(token, app.id)).status).toBe(403);
    });

    it('and got by an access key, ends by a logout without the key', async () => {
      const app = await registerApp(passport);
      const made = await fetch(`${passport.baseUrl}${API}/users/me/accesskeys`, { method: 'POST', headers: { authorization: `Bearer ${good}`, 'content-type': 'application/json' }, body: JSON.stringify({ _name: 'script' }) });
      const { _id, _secret } = (await made.json()) as { _id: string; _secret: string };
      const byKey = async () => {
        const response = await fetch(`${passport.baseUrl}${API}/auth/token?appId=${app.id}`, { method: 'POST', headers: { authorization: `Basic ${Buffer.from(`${_id}:${_secret}`).toString('base64')}` } });
        return ((await response.json()) as Tokens).access_token;
      };
      const [one, two, three] = [await byKey(), await byKey(), await byKey()];
      const passedOn = (await exchanged(three, app.id)).access_token;
      expect(await statusOf(one, '/logout')).toBe(204);
      await exchange(passport.baseUrl, { token: passedOn, client_id: app.id }, `${API}/oauth/revoke`);
      expect(await Promise.all([one, two, three, passedOn].map((token) => statusOf(token)))).toEqual([401, 200, 401, 401]);
      expect(await statusOf(await byKey())).toBe(200);
    });
  });
});
