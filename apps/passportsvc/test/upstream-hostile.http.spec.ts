import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { Browser } from './browser';
import { ADMIN, type PassportApp, startPassport, startReplica } from './passport-app';
import { type Caller, manager } from './tenancy';
import { type Claims, HandMadeIssuer, type Misbehaviour } from './upstream-issuer';
import { fillForm, newRealm, type Provider, type Realm, signInThrough, UpstreamVisit } from './upstream-visit';

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const seconds = () => Math.floor(Date.now() / 1_000);

describe('an issuer, a browser or somebody between that does not keep to the protocol', () => {
  let passport: PassportApp;
  let issuer: HandMadeIssuer;
  let other: HandMadeIssuer;
  let platform: Caller;
  let realm: Realm;
  let provider: Provider;

  beforeAll(async () => {
    [issuer, other] = await Promise.all([HandMadeIssuer.start(), HandMadeIssuer.start()]);
    passport = await startPassport({ UPSTREAM_ALLOW_PRIVATE: true, UPSTREAM_TIMEOUT_MS: 20_000 });
    platform = await manager(passport);
    realm = await newRealm(passport, 'House');
    provider = await realm.connect(platform, issuer.url, { _name: 'Staff', _provision: true });
  });
  afterAll(async () => {
    await passport?.stop();
    await Promise.all([issuer?.stop(), other?.stop()]);
  });
  beforeEach(() => {
    for (const each of [issuer, other]) {
      each.misbehaviour = {};
      each.subject = { sub: 'ada', email: 'ada@house.example', email_verified: true };
    }
  });

  const PROTOCOL = 'The answer of Staff was not valid';
  const unsigned = (claims: Claims) => `${part({ alg: 'none' })}.${part(claims)}.`;
  const symmetric = (claims: Claims) => {
    const text = `${part({ alg: 'HS256' })}.${part(claims)}`;
    return `${text}.${createHmac('sha256', 'known to both').update(text).digest('base64url')}`;
  };
  const bySomebodyElse = async (claims: Claims) => new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign((await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])).privateKey);
  const withAlgorithms = (...algorithms: string[]): Misbehaviour['discovery'] => (document) => ({ ...document, id_token_signing_alg_values_supported: algorithms });

  it.each<[string, () => Misbehaviour, number, string]>([
    ['another nonce', () => ({ claims: { nonce: 'of another request' } }), 502, PROTOCOL],
    ['no nonce', () => ({ claims: { nonce: undefined } }), 502, PROTOCOL],
    ['another audience', () => ({ claims: { aud: 'another client' } }), 502, PROTOCOL],
    ['several audiences and another authorized party', () => ({ claims: { aud: ['twinyard', 'x'], azp: 'x' } }), 502, PROTOCOL],
    ['another issuer in the token', () => ({ claims: { iss: 'https://elsewhere.example' } }), 502, PROTOCOL],
    ['another issuer in the answer', () => ({ answer: (answer) => ({ ...answer, iss: 'https://elsewhere.example' }) }), 502, PROTOCOL],
    ['no issuer in the answer where it is promised', () => ({ answer: (answer) => ({ ...answer, iss: undefined }) }), 502, PROTOCOL],
    ['a token that is over', () => ({ claims: { exp: seconds() - 600 } }), 502, 'The clock of Staff differs from ours'],
    ['no subject', () => ({ claims: { sub: undefined } }), 502, PROTOCOL],
    ['a subject that is none', () => ({ claims: { sub: 'x'.repeat(256) } }), 502, PROTOCOL],
    ['no signature', () => ({ idToken: unsigned }), 502, PROTOCOL],
    ['no signature, and says that it does so', () => ({ idToken: unsigned, discovery: withAlgorithms('none', 'ES256') }), 502, PROTOCOL],
    ['a signature under the client\'s secret', () => ({ idToken: symmetric, discovery: withAlgorithms('HS256', 'ES256') }), 502, PROTOCOL],
    ['a signature of somebody else', () => ({ idToken: bySomebodyElse }), 502, PROTOCOL],
    ['no ID token', () => ({ idToken: () => '' }), 502, PROTOCOL],
    ['a code that is not its own', () => ({ answer: (answer) => ({ ...answer, code: 'guessed' }) }), 502, 'did not accept this platform'],
    ['a refusal', () => ({ answer: ({ state, iss }) => ({ state, iss, error: 'access_denied', error_description: '<b>no</b>' }) }), 403, 'Staff did not sign you in'],
    ['another refusal', () => ({ answer: ({ state, iss }) => ({ state, iss, error: 'unauthorized_client' }) }), 403, 'Staff refused the sign-in'],
    ['a token endpoint that breaks off', () => ({ token: (response) => void response.destroy() }), 502, 'Staff does not answer'],
    ['a token endpoint that sends the browser on', () => ({ token: (response) => void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end() }), 502, PROTOCOL],
    ['a token endpoint that fails', () => ({ token: (response) => void response.writeHead(500).end('oops') }), 502, 'Staff does not answer'],
    ['an answer without end', () => ({ token: (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(600 * 1_024)}"`) }), 502, PROTOCOL],
  ])('lets nobody in: %s', async (_name, misbehave, status, reason) => {
    const visit = await UpstreamVisit.begin(realm);
    const target = await visit.leave(provider);
    issuer.misbehaviour = misbehave();
    const answer = await visit.arrive(issuer.authorize(target.location as URL));
    expect({ status: answer.status, location: answer.location, reason: /role="alert">([^<]*)/.exec(answer.text)?.[1] }).toEqual({ status, location: undefined, reason: expect.stringContaining(reason) });
    // Whoever is turned away there can still come in another way.
    const page = await visit.browser.get(visit.path);
    expect((await fillForm(visit.browser, page, visit.path, ADMIN)).status).toBe(303);
  });

  it('lets nobody in whose issuer hangs', async () => {
    const impatient = await startReplica({ ...passport, settings: { ...passport.settings, UPSTREAM_TIMEOUT_MS: 700 } });
    try {
      const servers = [passport.baseUrl];
      const visit = await UpstreamVisit.begin(realm, {}, new Browser(passport.baseUrl, servers));
      const callback = await visit.cross(provider, issuer);
      issuer.misbehaviour = { token: () => undefined };
      servers[0] = impatient.url;
      const answer = await visit.arrive(callback);
      expect([answer.status, answer.location, answer.text]).toEqual([502, undefined, expect.stringContaining('Staff does not answer')]);
    } finally {
      await impatient.stop();
    }
  });

  it('sends nobody to an issuer that became another one, or names an address that is none', async () => {
    for (const [discovery, reason] of [
      [(document: Claims) => ({ ...document, issuer: 'https://elsewhere.example' }), 'What answered is not Staff'],
      [(document: Claims) => ({ ...document, authorization_endpoint: 'javascript:alert(1)' }), 'not safe to use'],
      [(document: Claims) => ({ ...document, jwks_uri: 'http://keys.example' }), 'not safe to use'],
      [() => 'nonsense', PROTOCOL],
    ] as const) {
      issuer.misbehaviour = { discovery };
      const answer = await (await UpstreamVisit.begin(realm)).leave(provider);
      expect({ status: answer.status, location: answer.location, text: answer.text }).toEqual({ status: 502, location: undefined, text: expect.stringContaining(reason) });
    }
  });

  it('takes a state once, in the browser that it was made in, and at the address of its provider', async () => {
    const second = await realm.connect(platform, other.url, { _name: 'Other', _provision: true });
    const visit = await UpstreamVisit.begin(realm);
    const callback = await visit.cross(provider, issuer);
    const isEnded = async (browser: Browser, url: URL) => {
      const { status, text, location } = await browser.get(url);
      expect({ status, location, text }).toEqual({ status: 400, location: undefined, text: expect.stringContaining('This sign-in has ended') });
    };
    const changed = (change: (url: URL) => void) => { const url = new URL(callback); change(url); return url; };
    await isEnded(new Browser(passport.baseUrl), callback);
    const another = await UpstreamVisit.begin(realm);
    await another.cross(provider, issuer);
    await isEnded(another.browser, callback);
    await isEnded(visit.browser, changed((url) => { url.pathname = url.pathname.replace(provider._id, second._id); }));
    await isEnded(visit.browser, changed((url) => { url.searchParams.set('state', `${url.searchParams.get('state')?.slice(1)}A`); }));
    await isEnded(visit.browser, changed((url) => { url.searchParams.append('state', url.searchParams.get('state') ?? ''); }));
    await isEnded(visit.browser, changed((url) => { url.searchParams.delete('state'); }));
    await isEnded(visit.browser, changed((url) => { url.pathname = url.pathname.replace(provider._id, 'nonsense'); }));
    const before = issuer.requests.filter(({ path }) => path === '/token').length;
    expect((await visit.arrive(callback)).location?.searchParams.get('code')).toEqual(expect.any(String));
    await isEnded(visit.browser, callback);
    expect(issuer.requests.filter(({ path }) => path === '/token').length).toBe(before + 1);
  });

  it('answers one of several simultaneous returns with one state', async () => {
    const visit = await UpstreamVisit.begin(realm);
    const callback = await visit.cross(provider, issuer);
    const answers = await Promise.all(Array.from({ length: 5 }, () => visit.browser.get(callback)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400, 400, 400, 400]);
  });

  it('does not take the code of one issuer to another (mix-up)', async () => {
    const hostile = await realm.connect(platform, other.url, { _name: 'Hostile', _provision: true });
    const visit = await UpstreamVisit.begin(realm);
    // The hostile issuer sends the browser on to the honest one, with its own state and the honest one's client.
    const departure = (await visit.leave(hostile)).location as URL;
    const honest = issuer.authorize(departure);
    const answer = await visit.arrive(honest);
    expect(answer.location).toBeUndefined();
    expect(other.requests.some(({ body }) => body.get('code')?.startsWith('code-'))).toBe(false);
    expect(new URL(hostile._redirectUri).pathname).not.toBe(new URL(provider._redirectUri).pathname);
  });

  it('keeps the same subject of two issuers apart', async () => {
    const one = await signInThrough(realm, provider, issuer);
    const second = await realm.connect(platform, other.url, { _name: 'Namesake', _provision: true });
    other.subject = { sub: 'ada', email: 'another.ada@house.example', email_verified: true };
    expect((await signInThrough(realm, second, other))._id).not.toBe(one._id);
  });

  it('follows the keys of an issuer at once', async () => {
    const first = await signInThrough(realm, provider, issuer);
    await issuer.rotateKeys();
    expect((await signInThrough(realm, provider, issuer))._id).toBe(first._id);
  });

  it('sends the secret in the header, or in the form where the issuer takes no other', async () => {
    const lastToken = () => issuer.requests.filter(({ path }) => path === '/token').at(-1);
    await signInThrough(realm, provider, issuer);
    expect(lastToken()?.authorization).toBe(`Basic ${Buffer.from('twinyard:known+to+both').toString('base64')}`);
    expect(lastToken()?.body.get('code_verifier')).toMatch(/^[\w-]{43}$/);
    issuer.misbehaviour = { discovery: (document) => ({ ...document, token_endpoint_auth_methods_supported: ['client_secret_post'] }) };
    await signInThrough(realm, provider, issuer);
    expect([lastToken()?.authorization, lastToken()?.body.get('client_secret')]).toEqual([undefined, 'known to both']);
  });
});
