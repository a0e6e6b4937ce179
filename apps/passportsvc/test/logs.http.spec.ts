/** @jest-environment node */
import { eventually } from '@twinyard/testing';
import { decodeJwt } from 'jose';
import type * as Pino from 'pino';
import { APP_REDIRECT_URI, registerApp } from './applications';
import { Browser, newVerifier } from './browser';
import { ADMIN, type PassportApp, REDIRECT_URI, startPassport } from './passport-app';
import { authorizeUrl, exchange, signInAt, type Tokens } from './sign-in';

const mockWritten: string[] = [];

/** The logger as it is, with its lines kept here in place of standard output. */
jest.mock('pino', () => {
  const actual = jest.requireActual<typeof Pino>('pino');
  const toMemory = (options: object) => actual.pino(options, { write: (line: string) => void mockWritten.push(line) });
  return { ...actual, pino: Object.assign(toMemory, actual.pino) };
});

describe('the log of a sign-in', () => {
  let passport: PassportApp;

  const warnings = jest.spyOn(console, 'warn');
  const notices = jest.spyOn(console, 'info');

  beforeAll(async () => {
    passport = await startPassport({ LOG_LEVEL: 'trace' });
  });
  afterAll(async () => {
    await passport.stop();
  });

  /** What an application with a secret shows and gets: codes, tokens of every kind, one of them straight from v1. */
  const secretsOfServer = async (browser: Browser): Promise<string[]> => {
    const secret = 'the-secret-of-a-server';
    const app = await registerApp(passport, { secret, authorizedGrantTypes: ['authorization_code', 'refresh_token', 'implicit'] });
    const of = { client_id: app.id, redirect_uri: APP_REDIRECT_URI };
    const [verifier, v1] = [newVerifier(), '/passportsvc/api/v1/oauth/authorize'];
    const code = (await browser.get(authorizeUrl(verifier, { ...of, scope: 'openid read' }))).location?.searchParams.get('code') ?? '';
    const form = { ...of, client_secret: secret, grant_type: 'authorization_code', code, code_verifier: verifier };
    const { access_token: access, refresh_token: refresh = '', id_token: id = '' } = (await (await exchange(passport.baseUrl, form)).json()) as Tokens;
    await exchange(passport.baseUrl, { ...form, client_secret: `${secret}-wrong` });
    for (let time = 0; time < 2; time += 1) await exchange(passport.baseUrl, { ...of, client_secret: secret, grant_type: 'refresh_token', refresh_token: refresh });
    const implicit = await browser.get(authorizeUrl('', { ...of, response_type: 'token', code_challenge: undefined, code_challenge_method: undefined }, v1));
    return [secret, code, access, refresh, id, new URLSearchParams(implicit.location?.hash.slice(1)).get('access_token') ?? ''];
  };

  it('holds no password, code, verifier, token or cookie, on any level', async () => {
    const browser = new Browser(passport.baseUrl);
    const verifier = newVerifier();
    await signInAt(browser, authorizeUrl(newVerifier()), { ...ADMIN, password: 'a wrong one' });
    const answer = await signInAt(browser, authorizeUrl(verifier));
    const code = answer.location?.searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, client_id: 'console', redirect_uri: REDIRECT_URI, code_verifier: verifier };
    const { access_token: token } = (await (await exchange(passport.baseUrl, form)).json()) as Tokens;
    await exchange(passport.baseUrl, form);
    await fetch(`${passport.baseUrl}/passportsvc/api/v1/users/me`, { headers: { authorization: `Bearer ${token}x` } });
    const ofServer = await secretsOfServer(browser);
    const log = mockWritten.join('');
    expect(log).toContain('"service":"passportsvc"');
    for (const secret of [ADMIN.password, 'a wrong one', code, verifier, token, token.split('.')[2] ?? '', String(decodeJwt(token).jti), passport.settings.KEY_ENCRYPTION_KEY, ...ofServer]) {
      expect(secret.length).toBeGreaterThan(5);
      expect(log).not.toContain(secret);
    }
    expect([...warnings.mock.calls, ...notices.mock.calls]).toEqual([]);
  });

  it('names who has got a token, and nobody where none was given', async () => {
    mockWritten.splice(0);
    const verifier = newVerifier();
    const answer = await signInAt(new Browser(passport.baseUrl), authorizeUrl(verifier));
    const form = { grant_type: 'authorization_code', code: answer.location?.searchParams.get('code') ?? '', client_id: 'console', redirect_uri: REDIRECT_URI, code_verifier: verifier };
    const { access_token: token } = (await (await exchange(passport.baseUrl, form)).json()) as Tokens;
    await exchange(passport.baseUrl, form);
    const secret = 'the-secret-of-a-machine';
    const machine = await registerApp(passport, { secret, authorizedGrantTypes: ['client_credentials'] });
    await exchange(passport.baseUrl, { grant_type: 'client_credentials', client_id: machine.id, client_secret: secret });
    const lines = () => mockWritten.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg, method, route }) => msg === 'request' && method === 'POST' && String(route).includes('/oauth/'));
    await eventually(() => expect(lines()).toHaveLength(3));
    expect(lines().map(({ status, caller }) => [status, caller])).toEqual([[200, `user:${String(decodeJwt(token).sub)}`], [403, undefined], [200, `client:${machine.id}`]]);
  });
});
