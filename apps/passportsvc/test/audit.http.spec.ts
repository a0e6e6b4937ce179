import { createHash, randomUUID } from 'node:crypto';
import { keptScopes } from '@twinyard/auth';
import { EventBus, type NewEvent, resourceCreated, resourceUpdated, toCloudEvent, topicOf } from '@twinyard/events';
import { eventually } from '@twinyard/testing';
import { DataSource } from 'typeorm';
import type { AuditRecord } from '../src/audit/audit-chain';
import { AccessTokenSigner } from '../src/oauth/access-token-signer';
import { Browser, newVerifier } from './browser';
import { type PassportApp, startPassport, startReplica } from './passport-app';
import { authorizeUrl, signInAt } from './sign-in';
import { API, type Caller, grant, manager, newPerson, newTenant, send, type Tenant } from './tenancy';

const SHARERS = 1_000;

describe('the audit log over HTTP', () => {
  let passport: PassportApp;
  let house: Tenant;
  let other: Tenant;

  beforeAll(async () => {
    passport = await startPassport();
    [house, other] = await Promise.all([newTenant(passport, 'House'), newTenant(passport, 'Other')]);
  });
  afterAll(() => passport?.stop());

  const entriesOf = async (caller: Caller, query = ''): Promise<AuditRecord[]> => {
    const { status, body } = await caller.get(`/audit?_pageSize=1000&${query}`);
    expect(status).toBe(200);
    return (body as { _list: AuditRecord[] })._list;
  };
  const appNamespace = (tenant: Tenant) => tenant.app._namespaces[0] as string;
  const newWorkspace = async (tenant: Tenant, name: string) => {
    const { status, body } = await tenant.inApp.post('/workspaces', [{ _name: name, _shortName: 'site', _userType: 'project_workspace' }]);
    expect(status).toBe(201);
    return (body as { _list: { _id: string; _namespaces: string[] }[] })._list[0] as { _id: string; _namespaces: [string] };
  };

  it('tells the owner who did what, when and under which request, in both the new namespace and the one it was made in', async () => {
    const before = Date.now();
    const workspace = await newWorkspace(house, 'North wing');
    const told = { _action: 'CREATE', _byId: house.owner.id, _irn: `passportsvc:workspace:${workspace._id}`, _details: { type: 'passportsvc.Workspace', _name: 'North wing' } };
    await eventually(async () => {
      expect(await entriesOf(house.inApp, `_namespace=${workspace._namespaces[0]}`)).toMatchObject([{ ...told, _namespace: workspace._namespaces[0], _sequence: 1 }]);
      expect(await entriesOf(house.inApp, `_namespace=${appNamespace(house)}&_irn=${told._irn}`)).toMatchObject([{ ...told, _namespace: appNamespace(house) }]);
    });
    const [entry] = await entriesOf(house.inApp, `_namespace=${workspace._namespaces[0]}`);
    expect(entry?._at).toBeGreaterThanOrEqual(before);
    expect(entry?._at).toBeLessThanOrEqual(Date.now());
    expect(entry?._requestId).toMatch(/.{8}/);
    expect(entry?._address).toBe('127.0.0.1');
  });

  it('shows nothing of other tenants, to owners as little as to strangers, whatever they ask for', async () => {
    await eventually(async () => expect((await entriesOf(house.inApp)).length).toBeGreaterThan(0));
    const owned = new Set((await entriesOf(house.inApp)).map(({ _namespace }) => _namespace));
    const foreign = new Set((await entriesOf(other.inApp)).map(({ _namespace }) => _namespace));
    expect([...owned].filter((namespace) => foreign.has(namespace))).toEqual([]);
    const reader = await newPerson(passport, 'Reader');
    await grant(house.inApp, { _type: 'user', _id: reader.id }, appNamespace(house), '*:*:*', ['READ']);
    for (const stranger of [other.inApp, reader, await newPerson(passport, 'Nobody')]) {
      for (const query of [`_namespace=${appNamespace(house)}`, `_namespace=${appNamespace(house)}&_irn=*`, '_namespace=platform', '_namespace=missing_12345678']) {
        expect((await stranger.get(`/audit?${query}`)).body).toMatchObject({ _total: 0, _list: [] });
      }
      expect((await entriesOf(stranger)).map(({ _namespace }) => _namespace)).not.toContain(appNamespace(house));
    }
    expect((await send(passport, 'GET', '/audit')).status).toBe(401);
    expect((await (await house.owner.in(house.app._id, ['write'])).get('/audit')).status).toBe(403);
  });

  it('keeps what belongs to no tenant for platform managers, who own no tenant by that', async () => {
    const admin = await manager(passport);
    const person = await newPerson(passport, 'Newcomer');
    await eventually(async () => expect(await entriesOf(admin, `_irn=passportsvc:user:${person.id}`)).toMatchObject([{ _namespace: 'platform', _action: 'CREATE', _byId: person.id }]));
    expect((await admin.get(`/audit?_namespace=${appNamespace(house)}`)).body._total).toBe(0);
    expect(JSON.stringify(await entriesOf(admin, `_irn=passportsvc:user:${person.id}`))).not.toContain(person.email);
  });

  it('tells there of access keys, which stand for a user everywhere', async () => {
    const [admin, person] = [await manager(passport), await newPerson(passport, 'Scripter')];
    const { _id } = (await person.post('/users/me/accesskeys', { _name: 'nightly' })).body as { _id: string };
    expect((await person.delete(`/users/me/accesskeys/${_id}`)).status).toBe(204);
    await eventually(async () => expect(await entriesOf(admin, `_irn=passportsvc:accesskey:${_id}`)).toMatchObject([{ _action: 'DELETE', _byId: person.id }, { _action: 'CREATE', _byId: person.id }]));
    expect(await entriesOf(person)).toEqual([]);
  });

  it('filters by IRN and pattern, by who it was and by time, newest first, with totals that are right', async () => {
    const tenant = await newTenant(passport, 'Filtered');
    const [one, two] = [await newWorkspace(tenant, 'One'), await newWorkspace(tenant, 'Two')];
    const query = (rest: string) => entriesOf(tenant.inApp, `_namespace=${appNamespace(tenant)}&${rest}`);
    await eventually(async () => expect(await query('_irn=passportsvc:workspace:*')).toHaveLength(2));
    expect((await query(`_irn=passportsvc:workspace:${one._id}`)).map(({ _irn }) => _irn)).toEqual([`passportsvc:workspace:${one._id}`]);
    expect((await query('_irn=passportsvc:workspace:*')).map(({ _irn }) => _irn)).toEqual([two, one].map(({ _id }) => `passportsvc:workspace:${_id}`));
    expect(await query(`_irn=*:workspace:${one._id.slice(0, 8)}*`)).toHaveLength(1);
    expect(await query('_irn=passportsvc:work_pace:*')).toHaveLength(0);
    expect(await query(`_byId=${tenant.owner.id}&_irn=passportsvc:workspace:*`)).toHaveLength(2);
    expect(await query(`_byId=${house.owner.id}`)).toHaveLength(0);
    const [last, first] = (await query('_irn=passportsvc:workspace:*')).map(({ _at }) => _at) as [number, number];
    expect(await query(`_irn=passportsvc:workspace:*&from=${first}&to=${last}`)).toHaveLength(2);
    expect(await query(`_irn=passportsvc:workspace:*&to=${new Date(first - 1).toISOString()}`)).toHaveLength(0);
    expect(await query(`_irn=passportsvc:workspace:*&from=${new Date(last + 1).toISOString()}`)).toHaveLength(0);
    await eventually(async () => expect(await query('_irn=*:*:*')).toEqual(await query('')));
    for (const bad of ['from=yesterday', 'to=2026-99-99', `from=${last}&to=${last - 1}`, 'from=99999999999999999']) {
      expect((await tenant.inApp.get(`/audit?${bad}`)).status).toBe(400);
    }
    // What other events of the tenant tell may come in between.
    const all = await eventually(async () => {
      const { body: page } = await tenant.inApp.get('/audit?_pageSize=2&_offset=1');
      const whole = await entriesOf(tenant.inApp);
      expect(page).toMatchObject({ _total: whole.length, _list: whole.slice(1, 3) });
      return whole;
    });
    expect(all.map(({ _at }) => _at)).toEqual(all.map(({ _at }) => _at).toSorted((a, b) => b - a));
    expect((await tenant.inApp.get('/audit?_irn=passportsvc:workspace:*&_pageSize=0')).body).toMatchObject({ _total: 4, _list: [] });
  });

  it('records grants and their end with who received what, in the transaction that makes them', async () => {
    const person = await newPerson(passport, 'Grantee');
    const namespace = appNamespace(house);
    await grant(house.inApp, { _type: 'user', _id: person.id }, namespace, 'filesvc:file:*', ['READ']);
    const { body } = await house.inApp.get(`/permissions?_user._id=${person.id}`);
    const id = (body as { _list: { _id: string }[] })._list[0]?._id as string;
    const details = { permissionId: id, principalType: 'user', principalId: person.id, actions: ['READ'] };
    await eventually(async () => expect(await entriesOf(house.inApp, `_namespace=${namespace}&_irn=filesvc:file:*&_byId=${house.owner.id}`))
      .toMatchObject([{ _action: 'GRANT', _irn: 'filesvc:file:*', _details: details }]));
    expect((await house.inApp.delete(`/permissions/${id}`)).status).toBe(204);
    await eventually(async () => expect(await entriesOf(house.inApp, `_namespace=${namespace}&_irn=filesvc:file:*`))
      .toMatchObject([{ _action: 'REVOKE', _details: details }, { _action: 'GRANT' }]));
  });

  it('tells the owners of an application\'s organization who signed in and out, and that somebody was not let in, whether or not there is such an account', async () => {
    const redirect = 'http://127.0.0.1:9/house';
    const { body: app } = await house.owner.post('/apps', { _name: 'Front door', _orgId: house.organization._id, _redirectUris: redirect });
    const person = await newPerson(passport, 'Visitor');
    const tryAt = (email: string, password: string, verifier = newVerifier()) =>
      signInAt(new Browser(passport.baseUrl), authorizeUrl(verifier, { client_id: app._id, redirect_uri: redirect }), { email, password });
    await tryAt(person.email, 'a wrong password');
    await tryAt('nobody.at.all@example.com', 'a wrong password');
    await tryAt(person.email, 'a long enough one');
    const irn = `passportsvc:app:${app._id}`;
    const failure = { _action: 'SIGN_IN_FAILED', _byId: 'anonymous', _irn: irn, _details: { method: 'pwd' }, _address: '127.0.0.1', _namespace: house.organization._namespaces[0] };
    const doors = async () => (await entriesOf(house.owner, `_irn=${irn}`)).filter(({ _action }) => _action.startsWith('SIGN'));
    await eventually(async () => expect(await doors()).toMatchObject([{ ...failure, _action: 'SIGN_IN', _byId: person.id }, failure, failure]));
    const [, one, two] = (await doors()).map(({ _details, _byId, _address, _irn }) => JSON.stringify({ _details, _byId, _address, _irn }));
    expect(one).toBe(two);
    const { token } = await passport.app.get(AccessTokenSigner, { strict: false }).sign({ subject: person.id, clientId: app._id, scopes: keptScopes(['read']), seconds: 60, claims: { sid: 'session-of-the-test' } });
    expect((await send(passport, 'GET', '/logout', token)).status).toBe(204);
    await eventually(async () => expect((await doors())[0]).toMatchObject({ _action: 'SIGN_OUT', _byId: person.id }));
    expect(JSON.stringify(await entriesOf(await manager(passport)))).not.toContain('nobody.at.all');
  });

  it('names the address that the gateway saw, not the gateway\'s and not the one that a caller claims', async () => {
    const tenant = await newTenant(passport, 'Addressed');
    const { token } = await passport.app.get(AccessTokenSigner, { strict: false }).sign({ subject: tenant.owner.id, clientId: tenant.app._id, scopes: keptScopes(['write']), seconds: 60, claims: {} });
    const response = await fetch(`${passport.baseUrl}${API}/workspaces`, {
      method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.1, 203.0.113.9', 'x-request-id': 'request-of-the-test' },
      body: JSON.stringify([{ _name: 'From afar', _shortName: 'afar', _userType: 'project_workspace' }]),
    });
    expect(response.status).toBe(201);
    await eventually(async () => expect(await entriesOf(tenant.inApp, `_namespace=${appNamespace(tenant)}&_irn=passportsvc:workspace:*`))
      .toMatchObject([{ _address: '203.0.113.9', _requestId: 'request-of-the-test' }]));
  });

  it('can be checked by its reader: each hash is that of the other fields, each entry names the one before', async () => {
    await eventually(async () => expect((await entriesOf(house.inApp, `_namespace=${appNamespace(house)}`)).length).toBeGreaterThan(3));
    const chain = (await entriesOf(house.inApp, `_namespace=${appNamespace(house)}`)).sort((a, b) => a._sequence - b._sequence);
    expect(chain.map(({ _sequence }) => _sequence)).toEqual(chain.map((_, index) => index + 1));
    chain.forEach(({ _hash, ...rest }, index) => {
      expect(rest._previousHash).toBe(chain[index - 1]?._hash ?? '0'.repeat(64));
      expect(createHash('sha256').update(sortedJson(rest)).digest('hex')).toBe(_hash);
    });
  });

  it('takes each event once: delivered twice, to two replicas, and after the inbox forgot it', async () => {
    const replica = await startReplica(passport);
    try {
      const bus = passport.app.get(EventBus, { strict: false });
      const namespace = appNamespace(house);
      const files = Array.from({ length: 40 }, () => randomUUID());
      const events = files.map((id) => resourceCreated('filesvc.Folder', { _id: id, _irn: `filesvc:folder:${id}`, _name: 'Plans', _namespaces: [namespace], _parents: [], _tags: [] }, { userId: 'someone', requestId: 'r', address: '203.0.113.5' }));
      const messages = events.map(messageOf);
      await bus.publish([...messages, ...messages]);
      const recorded = () => entriesOf(house.inApp, `_namespace=${namespace}&_irn=filesvc:folder:*`);
      await eventually(async () => expect(await recorded()).toHaveLength(files.length));
      await passport.app.get(DataSource, { strict: false }).query('DELETE FROM event_inbox');
      const last = resourceUpdated('filesvc.Folder', { ...events[0]!.resource, _name: 'Renamed' }, { userId: 'someone', requestId: 'r' });
      await bus.publish([...messages, messageOf(last)]);
      await eventually(async () => expect(await recorded()).toContainEqual(expect.objectContaining({ _action: 'UPDATE' })));
      await eventually(async () => expect((await bus.statistics()).lag.filter(({ events: waiting }) => waiting > 0)).toEqual([]));
      expect(await recorded()).toHaveLength(files.length + 1);
      expect(await recorded()).toContainEqual(expect.objectContaining({ _action: 'CREATE', _address: '203.0.113.5', _byId: 'someone', _details: { type: 'filesvc.Folder', _name: 'Plans', _parents: [] } }));
    } finally {
      await replica.stop();
    }
  });

  it('stays whole and dense while fifty write at once and one grants a thousand permissions', async () => {
    const tenant = await newTenant(passport, 'Crowd');
    const namespace = appNamespace(tenant);
    const person = await newPerson(passport, 'Crowded');
    const permissions = Array.from({ length: SHARERS }, (_, n) => ({ _namespace: namespace, _actions: ['READ'], _resourceDesc: { _irn: `filesvc:file:${n}` }, _user: { _type: 'user', _id: person.id } }));
    const answers = await Promise.all([
      tenant.inApp.put('/permissions', permissions),
      ...Array.from({ length: 50 }, (_, n) => tenant.inApp.post('/workspaces', [{ _name: `W${n}`, _shortName: `w${n}`, _userType: 'project_workspace' }])),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, ...Array.from({ length: 50 }, () => 201)]);
    const total = async (irn: string) => ((await tenant.inApp.get(`/audit?_namespace=${namespace}&_irn=${irn}&_pageSize=0`)).body as { _total: number })._total;
    await eventually(async () => expect([await total('filesvc:file:*'), await total('passportsvc:workspace:*')]).toEqual([SHARERS, 50]));
    const [row] = await passport.app.get(DataSource, { strict: false }).query<{ entries: string; last: string; links: string }[]>(
      `SELECT count(*) AS entries, max(sequence) AS last, count(DISTINCT previous_hash) AS links FROM audit_entry WHERE namespace = $1`, [namespace],
    );
    expect(row).toEqual({ entries: row?.last, last: row?.last, links: row?.last });
  });

  it('refuses to change, delete or cut off what was written, and to lose what waits', async () => {
    const database = passport.app.get(DataSource, { strict: false });
    const refused = /the audit log is append-only/;
    for (const statement of [
      'UPDATE audit_entry SET by_id = \'nobody\'', 'DELETE FROM audit_entry', 'TRUNCATE audit_entry', 'UPDATE audit_head SET sequence = 1', 'DELETE FROM audit_head',
      'TRUNCATE audit_head', 'UPDATE audit_pending SET by_id = \'nobody\'', 'TRUNCATE audit_pending',
    ]) {
      await expect(database.query(statement)).rejects.toThrow(refused);
    }
    await expect(database.transaction(async (manager_) => {
      await manager_.query(`INSERT INTO audit_pending (id, namespace, at, by_id, action, irn, address, request_id) VALUES (gen_random_uuid(), 'x', now(), '', '', '', '', '')`);
      await manager_.query('DELETE FROM audit_pending');
    })).rejects.toThrow(refused);
  });
});

const messageOf = (event: NewEvent, index = 0) => ({ topic: topicOf(event.resource.type), event: toCloudEvent(event, index + 1) });

/** RFC 8785 for what holds neither odd numbers nor odd names, written by another hand than the service's. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    member !== null && typeof member === 'object' && !Array.isArray(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member);
}
