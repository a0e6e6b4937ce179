import { type PassportApp, startPassport } from './passport-app';

const FORM = 'application/x-www-form-urlencoded';
const ENDPOINTS = ['v1/oauth/authorize', 'v2/oauth/authorize', 'v1/oauth/token', 'v2/oauth/token', 'v1/oauth/revoke', 'v1/oauth/introspect'];

describe('refusals at OAuth endpoints', () => {
  let passport: PassportApp;
  beforeAll(async () => {
    passport = await startPassport();
  });
  afterAll(() => passport.stop());

  const ask = (path: string, init: RequestInit) => fetch(`${passport.baseUrl}/passportsvc/api/${path}`, { ...init, redirect: 'manual', headers: { accept: 'application/json', ...init.headers } });
  const expectRefusal = async (answer: Response) => {
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    const body = (await answer.json()) as object;
    expect(body).toEqual(expect.objectContaining({ error: expect.stringMatching(/^[a-z_]+$/), error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/) }));
    expect(Object.keys(body).filter((key) => !['error', 'error_description', 'state', 'iss', 'scope'].includes(key))).toEqual([]);
  };

  it.each(ENDPOINTS)('are those of RFC 6749 at %s, whoever refuses', async (path) => {
    for (const [type, body] of [['application/json', '{"a'], ['application/json', '{"__proto__":1}'], ['text/xml', '<a/>'], ['multipart/form-data; boundary=x', '--x--'], [FORM, 'a=%00'], [FORM, 'a'.repeat(2_000_000)]] as const) {
      const answer = await ask(path, { method: 'POST', body, headers: { 'content-type': type } });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      await expectRefusal(answer);
    }
    await expectRefusal(await ask(`${path}?a=%00`, { method: 'POST', body: '', headers: { 'content-type': FORM } }));
  });

  it.each(ENDPOINTS)('name the methods of %s', async (path) => {
    const answer = await ask(path, { method: 'DELETE' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, expect.stringContaining('POST')]);
    await expectRefusal(answer);
  });

  it.each([
    ['post', 'v2/oauth/authorize', 413], ['post', 'v1/oauth/end_session', 413], ['post', 'v1/oauth/end_session/confirm', 400],
    ['post', 'v2/oauth/token', 403], ['post', 'v1/oauth/token', 403], ['post', 'v1/oauth/revoke', 413], ['post', 'v1/oauth/introspect', 413],
    ['get', 'v2/oauth/authorize/{id}', 400],
  ])('are in the reference: a form that is too long, a sign-in that is not there (%s %s: %d)', async (method, path, status) => {
    const { paths } = (await (await ask('v1/openapi.json', {})).json()) as { readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: object }>>>> };
    const answer = await ask(path.replace('{id}', 'none'), { method, ...(method === 'post' && { body: 'a'.repeat(2_000_000), headers: { 'content-type': FORM } }) });
    expect([answer.status, Object.keys(paths[`/passportsvc/api/${path}`]?.[method]?.responses ?? {})]).toEqual([status, expect.arrayContaining([String(status)])]);
    await expectRefusal(answer);
  });

  it('are those of RFC 6749 where there is nothing', async () => {
    const answer = await ask('v1/oauth/nothing', { method: 'POST' });
    expect(answer.status).toBe(404);
    await expectRefusal(answer);
  });
});
