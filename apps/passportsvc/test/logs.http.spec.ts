import { decodeJwt } from 'jose';
import type * as Pino from 'pino';
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
    const log = mockWritten.join('');
    expect(log).toContain('"service":"passportsvc"');
    for (const secret of [ADMIN.password, 'a wrong one', code, verifier, token, token.split('.')[2] ?? '', String(decodeJwt(token).jti), passport.settings.KEY_ENCRYPTION_KEY]) {
      expect(secret.length).toBeGreaterThan(5);
      expect(log).not.toContain(secret);
    }
    expect([...warnings.mock.calls, ...notices.mock.calls]).toEqual([]);
  });
});
