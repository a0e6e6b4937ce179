import { DataSource } from 'typeorm';
import { type PassportApp, startPassport } from './passport-app';
import { API, type Caller, newPerson, newTenant, send, type Tenant } from './tenancy';

describe('access keys over HTTP', () => {
  let passport: PassportApp;
  let house: Tenant;
  let alice: Caller;

  beforeAll(async () => {
    passport = await startPassport();
    [house, alice] = await Promise.all([newTenant(passport, 'House'), newPerson(passport, 'Alice')]);
  });
  afterAll(() => passport?.stop());

  const PATH = '/users/me/accesskeys';
  const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const tokenBy = async (authorization: string | undefined, query = `appId=${house.app._id}`) => {
    const response = await fetch(`${passport.baseUrl}${API}/auth/token?${query}`, { method: 'POST', ...(authorization !== undefined && { headers: { authorization } }) });
    return { status: response.status, body: (await response.json()) as { access_token: string; expires_in: number; details?: object[] } };
  };

  const refusal = (issue: RegExp) => ({ status: 401, body: expect.objectContaining({ code: 'unauthenticated', details: [{ field: 'Authorization', issue: expect.stringMatching(issue) }] }) });
  const noKey = refusal(/^is no access key of this platform, .*: make a new one on your account page, \/passportsvc\/api\/accounts$/);

  it('gives tokens of its user in any application, until it is deleted', async () => {
    const made = await alice.post(PATH, { _name: 'Nightly import' });
    expect(made).toMatchObject({ status: 201, body: { _id: expect.any(String), _secret: expect.any(String), _name: 'Nightly import' } });
    const { _id, _secret } = made.body as { _id: string; _secret: string };
    const issued = await tokenBy(basic(_id, _secret), `appId=${house.app._id}&expires_in=90`);
    expect(issued).toMatchObject({ status: 200, body: { expires_in: 90 } });
    const info = await send(passport, 'GET', '/principalinfo', issued.body.access_token);
    expect(info.body).toMatchObject({ _type: 'user', _userid: alice.id, _appid: house.app._id, _scopes: ['read', 'write'] });
    const { body: page } = await alice.get(PATH);
    expect(page).toMatchObject({ _total: 1, _list: [{ _id, _name: 'Nightly import' }] });
    expect(JSON.stringify(page)).not.toContain(_secret);
    expect((await alice.delete(`${PATH}/${_id}`)).status).toBe(204);
    expect((await send(passport, 'GET', '/users/me', issued.body.access_token)).status).toBe(401);
    expect(await tokenBy(basic(_id, _secret))).toEqual(noKey);
    expect(await tokenBy(`Bearer ${issued.body.access_token}`)).toEqual(refusal(/^its token is valid no longer: .*; sign in again, /));
    expect(await tokenBy(undefined)).toEqual(refusal(/^is missing: send an access key as HTTP Basic, .*, or `Bearer <token>`$/));
    expect(await tokenBy('Bearer e30.e30.e30')).toEqual(refusal(/^its token is not one of this platform: /));
    expect((await alice.delete(`${PATH}/${_id}`)).status).toBe(404);
  });

  it('refuses a wrong secret, another key\'s secret, an old key and a disabled user', async () => {
    const [one, two] = [(await alice.post(PATH, { _name: 'one' })).body, (await alice.post(PATH, { _name: 'two', _expireTime: Date.now() - 1 })).body];
    for (const [id, secret] of [[one._id, 'x'], [one._id, two._secret], ['nonsense', one._secret], [two._id, two._secret], ['', '']]) {
      expect(await tokenBy(basic(String(id), String(secret)))).toEqual(noKey);
    }
    expect(await tokenBy('Basic not-base64!')).toEqual(noKey);
    expect((await tokenBy(basic(one._id, one._secret), 'appId=missing')).status).toBe(404);
    const bob = await newPerson(passport, 'Bob');
    const key = (await bob.post(PATH, { _name: 'bob' })).body;
    await passport.app.get(DataSource, { strict: false }).query('UPDATE app_user SET disabled = true WHERE id = $1', [bob.id]);
    expect(await tokenBy(basic(key._id, key._secret))).toEqual(noKey);
  });

  it('belongs to one user: others neither see nor delete it; bad bodies are named; fifty are enough', async () => {
    const carol = await newPerson(passport, 'Carol');
    const key = (await carol.post(PATH, { _name: 'mine' })).body;
    expect((await alice.delete(`${PATH}/${key._id}`)).status).toBe(404);
    expect((await alice.get(PATH)).body._list.map(({ _id }: { _id: string }) => _id)).not.toContain(key._id);
    expect((await send(passport, 'GET', PATH)).status).toBe(401);
    const bad = await carol.post(PATH, { _name: '', _expireTime: 'soon' });
    expect(bad.body.details.map(({ field }: { field: string }) => field)).toEqual(expect.arrayContaining(['_name', '_expireTime']));
    const answers = await Promise.all(Array.from({ length: 55 }, (_, index) => carol.post(PATH, { _name: `key ${index}` })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(49);
    expect(answers.find(({ status }) => status !== 201)?.body).toMatchObject({ code: 'limit_exceeded' });
  });
});
