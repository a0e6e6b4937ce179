import { freePort } from '@twinyard/testing';
import { DataSource } from 'typeorm';
import { type PassportApp, startPassport } from './passport-app';
import { type Caller, grant, manager, newPerson, newTenant, send, type Tenant } from './tenancy';
import { HandMadeIssuer } from './upstream-issuer';

describe('identity providers of organizations over HTTP', () => {
  let passport: PassportApp;
  let issuer: HandMadeIssuer;
  let house: Tenant;
  let shop: Tenant;
  let platform: Caller;
  /** An issuer where nothing listens. */
  let nowhere: string;

  beforeAll(async () => {
    nowhere = `http://127.0.0.1:${await freePort()}`;
    issuer = await HandMadeIssuer.start();
    passport = await startPassport({ UPSTREAM_ALLOW_PRIVATE: true, UPSTREAM_TIMEOUT_MS: 20_000 });
    [house, shop, platform] = await Promise.all([newTenant(passport, 'House'), newTenant(passport, 'Shop'), manager(passport)]);
  });
  afterAll(async () => {
    await passport?.stop();
    await issuer?.stop();
  });
  beforeEach(() => { issuer.misbehaviour = {}; });

  const pathOf = ({ organization }: Tenant, id?: string) => `/organizations/${organization._id}/identityproviders${id === undefined ? '' : `/${id}`}`;
  let number = 0;
  const draft = (changes: Record<string, unknown> = {}) => ({ _name: `Staff ${(number += 1)}`, _issuer: issuer.url, _clientId: 'twinyard', _clientSecret: 'a secret of theirs', ...changes });
  const fieldsOf = (body: { details: { field: string }[] }) => body.details.map(({ field }) => field);

  it('are made, read, listed, changed and removed by an owner', async () => {
    const made = await house.owner.post(pathOf(house), draft({ _name: 'Staff', _scopes: ['email'], _domains: ['Example.COM', 'example.com'], _provision: true, _trusted: true }));
    const record = {
      _id: expect.any(String), _name: 'Staff', _issuer: issuer.url, _clientId: 'twinyard', _scopes: ['openid', 'email'], _domains: ['example.com'], _provision: true, _trusted: false,
      _redirectUri: `${passport.baseUrl}/passportsvc/sign-in/upstream/callback/${made.body._id}`, _usergroupId: expect.any(String), _metadata: expect.objectContaining({ _createdById: house.owner.id }),
    };
    expect(made).toEqual({ status: 201, body: record });
    const { _id } = made.body;
    expect(await house.owner.get(pathOf(house, _id))).toEqual({ status: 200, body: made.body });
    expect((await house.owner.get(pathOf(house))).body).toMatchObject({ _total: 1, _list: [{ _id }] });
    const put = await house.owner.put(pathOf(house, _id), { ...made.body, _name: 'Everybody', _provision: false });
    expect(put).toMatchObject({ status: 200, body: { _id, _name: 'Everybody', _provision: false, _domains: ['example.com'] } });
    expect((await house.owner.delete(pathOf(house, _id))).status).toBe(204);
    expect((await house.owner.get(pathOf(house, _id))).status).toBe(404);
    expect((await house.owner.delete(pathOf(house, _id))).status).toBe(404);
  });

  it('seal their secret at rest, never tell it, and keep it unless another one or none is sent', async () => {
    const { _id } = (await house.owner.post(pathOf(house), draft())).body;
    const stored = async () => (await passport.app.get(DataSource, { strict: false }).query<{ sealed_secret: string | null }[]>('SELECT * FROM identity_provider WHERE id = $1', [_id]))[0];
    const first = await stored();
    expect(JSON.stringify(first)).not.toContain('a secret of theirs');
    const put = await house.owner.put(pathOf(house, _id), { _clientId: 'other' });
    expect((await stored())?.sealed_secret).toBe(first?.sealed_secret);
    await house.owner.put(pathOf(house, _id), { _clientSecret: 'another' });
    expect((await stored())?.sealed_secret).not.toBe(first?.sealed_secret);
    await house.owner.put(pathOf(house, _id), { _clientSecret: '' });
    expect((await stored())?.sealed_secret).toBeNull();
    expect(JSON.stringify(put.body)).not.toMatch(/ecret/);
  });

  it('name every bad field, and refuse issuers that are no address for one', async () => {
    const bad = await house.owner.post(pathOf(house), { _name: '', _issuer: 7, _scopes: ['a b'], _domains: ['no domain'], _provision: 'yes' });
    expect(bad.status).toBe(400);
    expect(fieldsOf(bad.body)).toEqual(expect.arrayContaining(['_name', '_issuer', '_clientId', '_scopes', '_domains', '_provision']));
    for (const _issuer of ['nonsense', 'ftp://a.example', 'http://a.example', 'javascript:alert(1)', `${issuer.url}?x=1`, `${issuer.url}#x`, 'https://u:p@a.example', 'http://10.0.0.1', 'file:///etc/passwd']) {
      const { status, body } = await house.owner.post(pathOf(house), draft({ _issuer }));
      expect({ _issuer, status, fields: fieldsOf(body) }).toEqual({ _issuer, status: 400, fields: ['_issuer'] });
    }
  });

  it.each<[string, HandMadeIssuer['misbehaviour'], string]>([
    ['another issuer', { discovery: (document) => ({ ...document, issuer: 'https://elsewhere.example' }) }, 'names another issuer'],
    ['no endpoints', { discovery: ({ issuer: name }) => ({ issuer: name }) }, 'no OpenID Connect discovery document'],
    ['no JSON', { discovery: () => '<html>' }, 'no OpenID Connect discovery document'],
    ['an unsafe address', { discovery: (document) => ({ ...document, authorization_endpoint: 'javascript:alert(1)' }) }, 'not https'],
  ])('are told early of a wrong discovery document: %s', async (_name, misbehaviour, issue) => {
    issuer.misbehaviour = misbehaviour;
    const { status, body } = await house.owner.post(pathOf(house), draft());
    expect({ status, details: body.details }).toEqual({ status: 400, details: [{ field: '_issuer', issue: expect.stringContaining(issue) }] });
  });

  it('are kept when their issuer cannot be reached now, and asked again when it changes', async () => {
    const made = await house.owner.post(pathOf(house), draft({ _issuer: nowhere }));
    expect(made.status).toBe(201);
    issuer.misbehaviour = { discovery: () => 'nonsense' };
    expect((await house.owner.put(pathOf(house, made.body._id), { _issuer: issuer.url })).status).toBe(400);
    expect((await house.owner.put(pathOf(house, made.body._id), { _name: 'Only its name' })).status).toBe(200);
  });

  it('have a name of their own in their organization', async () => {
    const [one, two] = [await house.owner.post(pathOf(house), draft({ _name: 'Twin' })), await house.owner.post(pathOf(house), draft())];
    expect((await house.owner.post(pathOf(house), draft({ _name: 'Twin' }))).status).toBe(409);
    expect((await house.owner.put(pathOf(house, two.body._id), { _name: 'Twin' })).status).toBe(409);
    expect((await shop.owner.post(pathOf(shop), draft({ _name: 'Twin' }))).status).toBe(201);
    expect(one.status).toBe(201);
  });

  it('are trusted when a platform manager made them, until somebody else asks for more', async () => {
    const { body: trusted } = await platform.post(pathOf(house), draft({ _domains: ['house.example', 'haus.example'] }));
    expect(trusted._trusted).toBe(true);
    expect((await house.owner.put(pathOf(house, trusted._id), { _name: 'Renamed', _domains: ['house.example'], _trusted: false })).body._trusted).toBe(true);
    expect((await house.owner.put(pathOf(house, trusted._id), { _domains: ['house.example', 'bank.example'] })).body._trusted).toBe(false);
    expect((await house.owner.put(pathOf(house, trusted._id), { _trusted: true })).body._trusted).toBe(false);
    expect((await platform.put(pathOf(house, trusted._id), { ...trusted, _trusted: true })).body._trusted).toBe(true);
    expect((await house.owner.put(pathOf(house, trusted._id), { _domains: [] })).body._trusted).toBe(false);
    await platform.put(pathOf(house, trusted._id), { _trusted: true });
    expect((await house.owner.put(pathOf(house, trusted._id), { _issuer: nowhere })).body._trusted).toBe(false);
    expect((await platform.post(pathOf(house), draft({ _trusted: false }))).body._trusted).toBe(false);
  });

  it('share no domain between trusted ones', async () => {
    const { body: first } = await platform.post(pathOf(house), draft({ _domains: ['one.example'] }));
    const clash = await platform.post(pathOf(shop), draft({ _domains: ['two.example', 'one.example'] }));
    expect(clash).toMatchObject({ status: 409, body: { message: expect.stringContaining('one.example') } });
    expect((await platform.post(pathOf(shop), draft({ _domains: ['two.example'] }))).status).toBe(201);
    expect((await shop.owner.post(pathOf(shop), draft({ _domains: ['one.example'] }))).status).toBe(201);
    await platform.delete(pathOf(house, first._id));
    expect((await platform.post(pathOf(shop), draft({ _domains: ['one.example'] }))).status).toBe(201);
  });

  it('are for owners, admins and platform managers; members may look with READ; nobody else knows of them', async () => {
    const { _id } = (await house.owner.post(pathOf(house), draft())).body;
    const [admin, reader, member] = await Promise.all(['Admin', 'Reader', 'Member'].map((name) => newPerson(passport, name))) as [Caller, Caller, Caller];
    const groups = (await house.owner.get(`/usergroups?_orgId=${house.organization._id}`)).body._list as { _id: string; _userType: string }[];
    const admins = groups.find(({ _userType }) => _userType === 'default_org_user_group');
    await house.owner.post(`/usergroups/${admins?._id}/users`, [admin.id]);
    const staff = (await house.owner.post('/usergroups', [{ _name: 'Staff', _shortName: 'staff', _orgId: house.organization._id }])).body._list[0] as { _id: string };
    await house.owner.post(`/usergroups/${staff._id}/users`, [member.id]);
    await grant(house.owner, { _type: 'user', _id: reader.id }, house.organization._namespaces[0] ?? '', `passportsvc:organization:${house.organization._id}`, ['READ']);
    const statuses = async (caller: Caller) => [
      (await caller.get(pathOf(house))).status, (await caller.get(pathOf(house, _id))).status, (await caller.post(pathOf(house), draft())).status,
      (await caller.put(pathOf(house, _id), { _name: `Renamed ${(number += 1)}` })).status,
    ];
    expect(await statuses(admin)).toEqual([200, 200, 201, 200]);
    expect(await statuses(platform)).toEqual([200, 200, 201, 200]);
    expect(await statuses(reader)).toEqual([200, 200, 403, 403]);
    expect(await statuses(member)).toEqual([403, 403, 403, 403]);
    expect(await statuses(shop.owner)).toEqual([404, 404, 404, 404]);
    expect((await shop.owner.get(pathOf(shop, _id))).status).toBe(404);
    expect([(await reader.delete(pathOf(house, _id))).status, (await shop.owner.delete(pathOf(house, _id))).status, (await send(passport, 'GET', pathOf(house))).status]).toEqual([403, 404, 401]);
    expect((await (await platform.in('console', ['read'])).post(pathOf(house), draft())).status).toBe(403);
    expect([(await house.owner.get(pathOf(house, 'nonsense'))).status, (await house.owner.get('/organizations/nonsense/identityproviders')).status]).toEqual([404, 404]);
    expect((await admin.delete(pathOf(house, _id))).status).toBe(204);
  });

  it('come with a group of the organization, which is kept without them and counts towards no limit', async () => {
    const tenant = await newTenant(passport, 'Limited');
    await tenant.owner.put(`/organizations/${tenant.organization._id}/configs`, { 'usergroups.limit': 0 });
    const { body } = await tenant.owner.post(pathOf(tenant), draft({ _name: 'People of the limited company' }));
    const group = await tenant.owner.get(`/usergroups/${body._usergroupId}`);
    expect(group).toMatchObject({ status: 200, body: { _name: 'People of the limited company', _userType: 'identity_provider_user_group' } });
    expect((await tenant.owner.delete(`/usergroups/${body._usergroupId}`)).status).toBe(409);
    await tenant.owner.delete(pathOf(tenant, body._id));
    expect((await tenant.owner.get(`/usergroups/${body._usergroupId}`)).status).toBe(200);
    expect((await tenant.owner.delete(`/usergroups/${body._usergroupId}`)).status).toBe(204);
  });

  it('go with their organization', async () => {
    const tenant = await newTenant(passport, 'Gone');
    const { _id } = (await tenant.owner.post(pathOf(tenant), draft())).body;
    await tenant.owner.delete(`/apps/${tenant.app._id}`);
    expect((await tenant.owner.delete(`/organizations/${tenant.organization._id}`)).status).toBe(204);
    const [row] = await passport.app.get(DataSource, { strict: false }).query<unknown[]>('SELECT FROM identity_provider WHERE id = $1', [_id]);
    expect(row).toBeUndefined();
  });
});

describe('identity providers at private addresses', () => {
  it('are refused where no setting allows them, by number and by name', async () => {
    const issuer = await HandMadeIssuer.start();
    const passport = await startPassport();
    try {
      const { owner, organization } = await newTenant(passport, 'House');
      const save = (_issuer: string) => owner.post(`/organizations/${organization._id}/identityproviders`, { _name: _issuer, _issuer, _clientId: 'x' });
      for (const address of ['https://127.0.0.1', 'https://[::1]:8443', 'https://169.254.169.254', 'https://10.0.0.7/x', 'https://localhost']) {
        const { status, body } = await save(address);
        expect({ address, status, details: body.details }).toEqual({ address, status: 400, details: [{ field: '_issuer', issue: 'is at a private address' }] });
      }
      expect((await save(issuer.url)).body.details).toEqual([{ field: '_issuer', issue: `must be an https address (it is a string of ${issuer.url.length} characters)` }]);
      expect(issuer.requests).toEqual([]);
    } finally {
      await passport.stop();
      await issuer.stop();
    }
  });
});
