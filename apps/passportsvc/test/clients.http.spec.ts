import { GrantResolver } from '../src/permissions/grant-resolver';
import { TokenVerifier } from '@twinyard/auth';
import { eventually } from '@twinyard/testing';
import { DataSource } from 'typeorm';
import { BOOTSTRAP_CLIENT, type PassportApp, startPassport, startReplica } from './passport-app';
import { exchange, type Tokens } from './sign-in';
import { API, type Caller, grant, manager, newPerson, newTenant, send, type Tenant } from './tenancy';

interface Made {
  readonly client_id: string;
  readonly client_secret: string;
}

const V1_TOKEN = '/passportsvc/api/v1/oauth/token';
const basic = (id: string, secret: string) => ({ authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}` });

describe('clients (contract 1.3)', () => {
  let passport: PassportApp;
  let admin: Caller;
  let tenant: Tenant;
  beforeAll(async () => {
    passport = await startPassport();
    [admin, tenant] = [await manager(passport), await newTenant(passport, 'Acme')];
  });
  afterAll(async () => { await passport.stop(); });

  const make = async (fields: object): Promise<Made> => (await admin.post('/clients', { _name: 'Sync', _scopes: ['read'], ...fields })).body as Made;
  const tokenOf = async ({ client_id: id, client_secret: secret }: Made, scope?: string, baseUrl = passport.baseUrl) => {
    const response = await exchange(baseUrl, { grant_type: 'client_credentials', scope }, V1_TOKEN, basic(id, secret));
    return { status: response.status, ...((await response.json()) as Tokens) };
  };
  const statusOf = async (token: string, path = '/principalinfo') => (await send(passport, 'GET', path, token)).status;

  it('are made with a secret that is shown once, and are read without it', async () => {
    const made = await admin.post('/clients', { _name: 'Directory sync', _orgId: tenant.organization._id, _scopes: ['scim', 'scim'], _trusted: true, unknown: 1 });
    const { client_id: id, client_secret: secret } = made.body as Made;
    const record = { client_id: id, _name: 'Directory sync', _orgId: tenant.organization._id, _scopes: ['scim'], _trusted: true, _metadata: expect.objectContaining({ _createdById: admin.id }) };
    expect(made).toEqual({ status: 201, body: { ...record, client_secret: expect.stringMatching(/^[\w-]{43}$/) } });
    expect(await admin.get(`/clients/${id}`)).toEqual({ status: 200, body: record });
    const stored = JSON.stringify(await passport.app.get(DataSource).query('SELECT * FROM oauth_client'));
    expect(stored).toContain(id);
    expect(stored).not.toContain(secret);
  });

  it('are in the audit log of the organization that they work for, else in the platform\'s', async () => {
    const [own, nobodys] = [await make({ _orgId: tenant.organization._id }), await make({})];
    await admin.post(`/clients/${own.client_id}/rotate`, {});
    await admin.delete(`/clients/${own.client_id}`);
    const told = async (caller: Caller, { client_id: id }: Made) => ((await caller.get(`/audit?_irn=passportsvc:client:${id}`)).body._list as Record<string, unknown>[]).map(({ _action, _namespace, _byId }) => [_action, _namespace, _byId]);
    const place = [tenant.organization._namespaces[0], admin.id];
    await eventually(async () => expect(await told(tenant.owner, own)).toEqual([['DELETE', ...place], ['ROTATE_SECRET', ...place], ['CREATE', ...place]]));
    await eventually(async () => expect(await told(admin, nobodys)).toEqual([['CREATE', 'platform', admin.id]]));
    expect([await told(admin, own), await told(tenant.owner, nobodys)]).toEqual([[], []]);
  });

  it('are listed in pages, that of the settings first', async () => {
    await make({});
    const { body } = await admin.get('/clients?_pageSize=1');
    expect(body).toMatchObject({ _offset: 0, _pageSize: 1, _list: [{ client_id: BOOTSTRAP_CLIENT.id, _trusted: false, _scopes: ['read', 'write', 'scim'] }] });
    expect(body._total).toBeGreaterThan(1);
    expect(JSON.stringify((await admin.get('/clients')).body)).not.toContain('secret');
  });

  it('are refused with every bad field named', async () => {
    const fieldsOf = async (body: object) => {
      const answer = await admin.post('/clients', body);
      return [answer.status, ...new Set((answer.body as { details: { field: string }[] }).details.map(({ field }) => field))].sort();
    };
    expect(await fieldsOf({ _name: '', _scopes: ['everything'], _trusted: 'yes', _orgId: 'x' })).toEqual([400, '_name', '_orgId', '_scopes', '_trusted']);
    expect(await fieldsOf({ _name: 'Nobody', _scopes: [] })).toEqual([400, '_scopes']);
    expect(await fieldsOf({ _name: 'Astray', _scopes: ['read'], _orgId: '00000000-0000-4000-8000-000000000000' })).toEqual([400, '_orgId']);
  });

  it('are for platform managers alone, and not for their tokens of reading', async () => {
    const { client_id: id } = await make({});
    const reader = await admin.in('console', ['read']);
    for (const caller of [tenant.owner, await newPerson(passport, 'Eve')]) {
      const answers = [await caller.post('/clients', { _name: 'Mine', _scopes: ['read'] }), await caller.get('/clients'), await caller.get(`/clients/${id}`), await caller.post(`/clients/${id}/rotate`), await caller.delete(`/clients/${id}`)];
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    }
    const read = [await reader.get(`/clients/${id}`), await reader.post('/clients', { _name: 'Mine', _scopes: ['read'] }), await reader.post(`/clients/${id}/rotate`), await reader.delete(`/clients/${id}`)];
    expect(read.map(({ status }) => status)).toEqual([200, 403, 403, 403]);
    expect((await send(passport, 'GET', '/clients')).status).toBe(401);
    for (const [method, path] of [['GET', '/clients/nobody'], ['DELETE', '/clients/nobody'], ['POST', '/clients/nobody/rotate']] as const) {
      expect((await admin.full(method, path)).status).toBe(404);
    }
  });

  it('ask for no more than their scopes, and have all of them when they ask for none', async () => {
    const client = await make({ _scopes: ['read', 'scim'] });
    expect(await tokenOf(client)).toMatchObject({ status: 200, scope: 'read scim' });
    expect(await tokenOf(client, 'scim')).toMatchObject({ status: 200, scope: 'scim' });
    for (const scope of ['write', 'download-secrets', 'read write']) expect(await tokenOf(client, scope)).toMatchObject({ status: 403, error: 'invalid_scope' });
  });

  it('hold what is granted to them as clients, under the scope of the token', async () => {
    const client = await make({ _scopes: ['read', 'write'] });
    const [namespace] = tenant.app._namespaces as [string];
    const path = '/usergroups?includeAll=true';
    const group = ((await tenant.inApp.post('/usergroups', [{ _name: 'Readers', _shortName: 'readers' }])).body as { _list: [{ _id: string }] })._list[0]._id;
    const whole = await tokenOf(client);
    const before = (await send(passport, 'GET', path, whole.access_token)).body as { _total: number };
    await grant(tenant.owner, { _type: 'client', _id: client.client_id }, namespace, `passportsvc:usergroup:${group}`, ['READ', 'EDIT']);
    const after = (await send(passport, 'GET', path, whole.access_token)).body as { _total: number };
    expect([before._total, after._total]).toEqual([0, 1]);
    const edit = async (token: string) => (await send(passport, 'PUT', `/usergroups/${group}`, token, { _name: 'Readers all' })).status;
    expect([await edit((await tokenOf(client, 'read')).access_token), await edit(whole.access_token)]).toEqual([403, 200]);

    await admin.delete(`/clients/${client.client_id}`);
    const left = (await tenant.owner.get(`/permissions?_user._id=${client.client_id}`)).body as { _total: number };
    expect(left._total).toBe(0);
  });

  it.each([
    ['rotated', 'POST', '/rotate'],
    ['deleted', 'DELETE', ''],
  ])('lose every token at once when they are %s, on every replica and in the caches of the services', async (what, method, path) => {
    const replica = await startReplica(passport);
    try {
      const [client, bystander] = [await make({}), await make({})];
      const [one, two] = [await tokenOf(client), await tokenOf(client, 'read', replica.url)];
      const untouched = await tokenOf(bystander);
      const bases = [passport.baseUrl, replica.url];
      const statuses = async (token: string) => Promise.all(bases.map(async (base) => (await fetch(`${base}${API}/principalinfo`, { headers: { authorization: `Bearer ${token}` } })).status));
      expect([...(await statuses(one.access_token)), ...(await statuses(two.access_token))]).toEqual([200, 200, 200, 200]);
      // What a service keeps in its cache is named so that the change finds it.
      const principal = await passport.app.get(TokenVerifier, { strict: false }).verify(one.access_token);
      const resolver = passport.app.get(GrantResolver, { strict: false });
      expect((await resolver.answer(principal, 'itemsvc')).keys).toContain(`client:${client.client_id}`);

      const changed = await admin.full(method, `/clients/${client.client_id}${path}`);
      expect([...(await statuses(one.access_token)), ...(await statuses(two.access_token)), ...(await statuses(untouched.access_token))]).toEqual([401, 401, 401, 401, 200, 200]);
      expect((await resolver.answer(principal, 'itemsvc')).effective.active).toBe(false);
      expect(await tokenOf(client)).toMatchObject({ status: 403, error: 'invalid_client' });
      if (what !== 'rotated') return;
      const renewed = await tokenOf(changed.body as Made);
      expect([renewed.status, await statusOf(renewed.access_token)]).toEqual([200, 200]);
    } finally {
      await replica.stop();
    }
  });

  it('end one token by logging out, and go on with the others', async () => {
    const client = await make({});
    const [one, two] = [await tokenOf(client), await tokenOf(client)];
    expect(await statusOf(one.access_token, '/logout')).toBe(204);
    expect([await statusOf(one.access_token), await statusOf(two.access_token)]).toEqual([401, 200]);
  });

  it('come with the settings once, and are left alone by later starts', async () => {
    const settings = { client_id: BOOTSTRAP_CLIENT.id, client_secret: BOOTSTRAP_CLIENT.secret };
    expect(await tokenOf(settings)).toMatchObject({ status: 200, scope: 'read write scim' });
    const rotated = (await admin.post(`/clients/${BOOTSTRAP_CLIENT.id}/rotate`)).body as Made;
    const replica = await startReplica(passport);
    expect([(await tokenOf(settings, undefined, replica.url)).status, (await tokenOf(rotated, undefined, replica.url)).status]).toEqual([403, 200]);
    await replica.stop();
  });
});
