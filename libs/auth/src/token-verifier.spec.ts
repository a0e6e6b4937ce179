import { generateKeyPair, type JWTVerifyGetKey, SignJWT } from 'jose';
import { remoteKeys, TokenVerifier } from './token-verifier';

const baseUrl = 'http://twinyard.test';

describe('the token verifier', () => {
  afterEach(() => jest.useRealTimers());

  const setUp = async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const asked = { times: 0 };
    const keys: JWTVerifyGetKey = () => {
      asked.times += 1;
      return Promise.resolve(publicKey);
    };
    const sign = (seconds: number) =>
      new SignJWT({ client_id: 'app', scope: 'read write', sid: 's', gid: 'g' }).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' }).setIssuer(`${baseUrl}/passportsvc`)
        .setAudience(baseUrl).setSubject('alice').setJti('1').setExpirationTime(Math.floor(Date.now() / 1000) + seconds).sign(privateKey);
    return { verifier: new TokenVerifier({ baseUrl, keys }), sign, asked };
  };

  it('tells who a token belongs to, and checks its signature once', async () => {
    const { verifier, sign, asked } = await setUp();
    const token = await sign(600);
    const principal = await verifier.verify(token);
    expect(principal).toEqual({ type: 'user', id: 'alice', tokenId: '1', appId: 'app', sessionId: 's', oauthGrantId: 'g', scopes: ['read', 'write'] });
    expect(await verifier.verify(token)).toBe(principal);
    expect(asked.times).toBe(1);
  });

  it('refuses a token that it knows from the moment it expires, and checks a long-lived one again after five minutes', async () => {
    const { verifier, sign, asked } = await setUp();
    const [short, long] = [await sign(60), await sign(3_600)];
    await Promise.all([verifier.verify(short), verifier.verify(long)]);
    jest.useFakeTimers({ now: Date.now() + 61_000, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout'] });
    await expect(verifier.verify(short)).rejects.toMatchObject({ code: 'unauthenticated' });
    jest.setSystemTime(Date.now() + 300_000);
    const before = asked.times;
    await verifier.verify(long);
    expect(asked.times).toBe(before + 1);
  });

  it('does not take a token for another one that differs in its signature', async () => {
    const { verifier, sign } = await setUp();
    const token = await sign(600);
    await verifier.verify(token);
    const forged = `${token.slice(0, -6)}${token.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA'}`;
    await expect(verifier.verify(forged)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('refuses a token that names no key, and does not take the identity service for broken', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    const token = await new SignJWT({ client_id: 'app' }).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' }).setIssuer(`${baseUrl}/passportsvc`)
      .setAudience(baseUrl).setSubject('alice').setJti('1').setExpirationTime('1m').sign(privateKey);
    await expect(new TokenVerifier({ baseUrl, keys: remoteKeys('http://127.0.0.1:9') }).verify(token)).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
