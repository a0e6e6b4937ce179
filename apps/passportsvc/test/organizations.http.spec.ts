import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { GrantFeed } from '../src/grant-feed/grant-feed.service';
import { PendingOwners } from '../src/organizations/pending-owners';
import { type PassportApp, startPassport } from './passport-app';
import { type Caller, confirmAddress, grant, manager, newPerson, newTenant, send, type Tenant } from './tenancy';

const unique = (name: string) => `${name}-${randomUUID().slice(0, 8)}`;
const idsOf = (body: { _list: { _id: string }[] }) => body._list.map(({ _id }) => _id);
const fieldsOf = (body: { details: { field: string }[] }) => [...new Set(body.details.map(({ field }) => field))].sort();

describe('organizations and applications', () => {
  let passport: PassportApp;
  let admin: Caller;
  let acme: Tenant;
  let other: Tenant;

  beforeAll(async () => {
    passport = await startPassport();
    admin = await manager(passport);
    [acme, other] = [await newTenant(passport, 'Acme'), await newTenant(passport, 'Other')];
  });
  afterAll(async () => { await passport.stop(); });

  it.each([
    ['GET', '/organizations'], ['POST', '/organizations'], ['GET', '/organizations/x'], ['PUT', '/organizations/x'], ['DELETE', '/organizations/x'],
    ['GET', '/organizations/x/users'], ['GET', '/apps'], ['POST', '/apps'], ['GET', '/apps/x'], ['PUT', '/apps/x'], ['DELETE', '/apps/x'],
  ])('%s %s without a token: 401', async (method, path) => {
    expect((await send(passport, method, path)).status).toBe(401);
  });

  describe('organizations', () => {
    it('are made with a namespace, an owner who holds everything in it, and an admin group', async () => {
      const owner = await newPerson(passport, 'Olga');
      const name = unique('Tower & Sons');
      await confirmAddress(passport, owner.email);
      const { status, body } = await admin.post('/organizations', { _name: name, _orgOwner: owner.email.toUpperCase(), _userType: 'customer', unknown: 1 });
      expect({ status, body }).toMatchObject({
        status: 201,
        body: { _name: name, _shortName: name, _userType: 'customer', _orgOwner: owner.id, _namespaces: [expect.stringMatching(/^TowerSons[0-9a-f]+_[A-Za-z0-9]{8}$/)], _metadata: { _createdById: admin.id } },
      });
      expect((await owner.get(`/permissions?_namespace=${body._namespaces[0]}`)).body._list).toEqual(expect.arrayContaining([
        expect.objectContaining({ _actions: ['*'], _resourceDesc: { _irn: '*:*:*' }, _user: { _type: 'user', _id: owner.id } }),
        expect.objectContaining({ _actions: ['*'], _resourceDesc: { _irn: '*:*:*' }, _user: { _type: 'usergroup', _id: expect.any(String) } }),
      ]));
      const groups = (await owner.get(`/usergroups?_orgId=${body._id}`)).body;
      expect(groups).toMatchObject({ _total: 1, _list: [{ _name: 'Administrators', _isMember: true }] });
    });

    it('are made only by a platform manager, and only with a token of the console', async () => {
      const draft = { _name: unique('No'), _orgOwner: admin.email };
      expect((await acme.owner.post('/organizations', draft)).status).toBe(403);
      expect((await (await admin.in(acme.app._id)).post('/organizations', draft)).status).toBe(403);
      expect((await (await admin.in('console', ['read'])).post('/organizations', draft)).status).toBe(403);
      expect((await admin.get(`/organizations?_name=${draft._name}`)).body._total).toBe(0);
    });

    it('name every bad field at once', async () => {
      const { status, body } = await admin.post('/organizations', { _name: '', _orgOwner: 'nobody', _shortName: 5, _userType: {} });
      expect(status).toBe(400);
      expect(fieldsOf(body)).toEqual(['_name', '_orgOwner', '_shortName', '_userType']);
    });

    it('have a short name that nobody else has, also when made at the same time', async () => {
      const _shortName = unique('short');
      const made = await Promise.all([1, 2, 3, 4].map((n) => admin.post('/organizations', { _name: `n${n}`, _shortName, _orgOwner: admin.email })));
      expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
      expect((await admin.get(`/organizations?_shortName=${_shortName}`)).body._total).toBe(1);
    });

    it('are listed to those who belong to them; a platform manager sees all', async () => {
      expect(idsOf((await acme.owner.get('/organizations')).body)).toEqual([acme.organization._id]);
      expect(idsOf((await admin.get('/organizations?_pageSize=1000')).body)).toEqual(expect.arrayContaining([acme.organization._id, other.organization._id]));
      const [group] = (await acme.inApp.post('/usergroups', [{ _name: 'Viewers' }])).body._list;
      const member = await newPerson(passport, 'Max');
      expect((await member.get('/organizations')).body._total).toBe(0);
      await acme.inApp.post(`/usergroups/${group._id}/users`, [member.id]);
      expect(idsOf((await member.get('/organizations')).body)).toEqual([acme.organization._id]);
      expect((await member.get(`/organizations/${acme.organization._id}`)).status).toBe(200);
      expect((await member.put(`/organizations/${acme.organization._id}`, { _name: 'Mine' })).status).toBe(403);
      expect((await member.get(`/organizations/${acme.organization._id}/users`)).status).toBe(403);
    });

    it('are filtered and paged, the total counted under the same filter', async () => {
      const [kind, mark] = [unique('kind'), unique('Söhne')];
      for (const n of [1, 2, 3]) await admin.post('/organizations', { _name: `${mark} ${n}`, _userType: kind, _orgOwner: admin.email });
      const all = (await admin.get(`/organizations?_userType=${kind}`)).body;
      expect(all).toMatchObject({ _offset: 0, _pageSize: 25, _total: 3 });
      expect(all._list.map(({ _name }: { _name: string }) => _name)).toEqual([`${mark} 1`, `${mark} 2`, `${mark} 3`]);
      expect((await admin.get(`/organizations?_userType=${kind}&_offset=1&_pageSize=1`)).body).toMatchObject({ _offset: 1, _pageSize: 1, _total: 3, _list: [{ _name: `${mark} 2` }] });
      expect((await admin.get(`/organizations?_userType=${kind}&page=${encodeURIComponent('{"_offset":2,"_pageSize":5}')}`)).body).toMatchObject({ _total: 3, _list: [{ _name: `${mark} 3` }] });
      expect((await admin.get(`/organizations?_userType=${kind}&_pageSize=0`)).body).toMatchObject({ _total: 3, _list: [] });
      expect((await admin.get(`/organizations?query=${encodeURIComponent(`${mark.toUpperCase()}*3`)}`)).body._total).toBe(1);
      expect((await admin.get('/organizations?query=100%25_no')).body._total).toBe(0);
      expect((await admin.get('/organizations?page=%7B')).status).toBe(400);
    });

    it('are changed by their owner; what is unknown in the body is passed over', async () => {
      const before = (await acme.owner.get(`/organizations/${acme.organization._id}`)).body;
      const { status, body } = await acme.owner.put(`/organizations/${acme.organization._id}`, { ...before, _description: 'towers', _namespaces: ['x'] });
      expect({ status, body }).toMatchObject({ status: 200, body: { _name: before._name, _description: 'towers', _namespaces: before._namespaces, _orgOwner: acme.owner.id } });
      expect((await acme.owner.put(`/organizations/${acme.organization._id}`, { _description: 'x' })).status).toBe(400);
    });

    it('do not exist for another tenant, and neither do malformed ids', async () => {
      for (const id of [acme.organization._id, randomUUID(), 'nonsense']) {
        expect((await other.owner.get(`/organizations/${id}`)).status).toBe(404);
        expect((await other.owner.put(`/organizations/${id}`, { _name: 'x' })).status).toBe(404);
        expect((await other.owner.delete(`/organizations/${id}`)).status).toBe(404);
        expect((await other.owner.get(`/organizations/${id}/users`)).status).toBe(404);
      }
    });

    it('list the users in their groups and in those of their applications, searched by name and address', async () => {
      const member = await newPerson(passport, 'Quirin');
      const [group] = (await other.inApp.post('/usergroups', [{ _name: 'Crew' }])).body._list;
      await other.inApp.post(`/usergroups/${group._id}/users`, [member.id]);
      const users = (await other.owner.get(`/organizations/${other.organization._id}/users`)).body;
      expect(idsOf(users).sort()).toEqual([member.id, other.owner.id].sort());
      const found = (await other.owner.get(`/organizations/${other.organization._id}/users?query=QUI*n`)).body;
      expect(found).toMatchObject({ _total: 1, _list: [{ _id: member.id, _firstname: 'Quirin', _lastname: 'Tester', _email: member.email, _disabled: false }] });
    });

    it('are deleted once they have no applications', async () => {
      expect((await other.owner.delete(`/organizations/${other.organization._id}`)).status).toBe(409);
      const owner = await newPerson(passport, 'Ida');
      await confirmAddress(passport, owner.email);
      const { body } = await admin.post('/organizations', { _name: unique('Gone'), _orgOwner: owner.email });
      expect((await owner.delete(`/organizations/${body._id}`)).status).toBe(204);
      expect((await owner.delete(`/organizations/${body._id}`)).status).toBe(404);
      expect((await owner.get('/usergroups?includeAll=true')).body._total).toBe(0);
      expect((await owner.get('/permissions')).body._total).toBe(0);
    });

    it('wait for an owner who has no account, and go to nobody who has not proved the address', async () => {
      const address = `${unique('later')}@example.com`;
      const { body } = await admin.post('/organizations', { _name: unique('Waiting'), _orgOwner: address.toUpperCase() });
      expect(body._orgOwner).toBe(address);
      const person = await newPerson(passport, 'Lara');
      const claim = (emailVerified: boolean) =>
        passport.app.get(GrantFeed, { strict: false }).commit(async (tx) => ({
          result: undefined,
          keys: await passport.app.get(PendingOwners, { strict: false }).claim(tx, { id: person.id, email: address, emailVerified }, 'test'),
        }));
      await claim(false);
      expect((await person.get(`/organizations/${body._id}`)).status).toBe(404);
      await claim(true);
      expect((await person.get(`/organizations/${body._id}`)).body._orgOwner).toBe(person.id);
      expect((await person.post('/apps', { _name: 'First', _orgId: body._id })).status).toBe(201);
      expect((await person.get(`/usergroups?_orgId=${body._id}`)).body).toMatchObject({ _total: 1, _list: [{ _isMember: true }] });
    });
  });

  describe('applications', () => {
    const draft = () => ({
      _name: unique('App'), _orgId: acme.organization._id, _redirectUris: ' https://a.example/cb , com.example.app:/cb', _authorizedOrigins: ['https://a.example', 'http://localhost:3000/'],
      _authorizedGrantTypes: 'authorization_code,refresh_token', _whitelistedApps: ['w'], _home: '/home', _loginTheme: 'dark', _responseMode: 'query', _userType: 'viewer',
    });

    it('are made with a namespace, an owner and a default admin group; lists come back as comma-separated text', async () => {
      const sent = draft();
      const { status, body } = await acme.owner.post('/apps', sent);
      expect({ status, body }).toMatchObject({
        status: 201,
        body: {
          _name: sent._name, _shortName: sent._name, _orgId: acme.organization._id, _appOwner: acme.owner.id, _redirectUris: 'https://a.example/cb,com.example.app:/cb',
          _authorizedOrigins: 'https://a.example,http://localhost:3000', _authorizedGrantTypes: 'authorization_code,refresh_token', _whitelistedApps: ['w'],
          _home: '/home', _loginTheme: 'dark', _responseMode: 'query', _userType: 'viewer', _namespaces: [expect.stringMatching(/_[A-Za-z0-9]{8}$/)],
        },
      });
      expect(body).not.toHaveProperty('_clientSecretHash');
      const inApp = await acme.owner.in(body._id);
      const groups = (await inApp.get('/usergroups?_userType=default_app_user_group')).body._list;
      expect(groups).toEqual(expect.arrayContaining([expect.objectContaining({ _appId: body._id, _isMember: true })]));
      expect((await inApp.post('/workspaces', [])).status).toBe(201);
    });

    it('name every bad field at once', async () => {
      const bad = { _name: '', _orgId: 7, _redirectUris: 'https://*.example/cb', _authorizedOrigins: 'https://a.example/path', _authorizedGrantTypes: 'password', _responseMode: 'post', _whitelistedApps: 'x' };
      const { status, body } = await acme.owner.post('/apps', bad);
      expect(status).toBe(400);
      expect(fieldsOf(body)).toEqual(Object.keys(bad).sort());
    });

    it.each(['/relative', 'https://a.example/#x', 'javascript:alert(1)', 'data:text/html,x', 'https://'])('refuse the redirect URI %s', async (_redirectUris) => {
      expect((await acme.owner.post('/apps', { ...draft(), _redirectUris })).status).toBe(400);
    });

    it('are made, seen, changed and deleted only with the right in the namespace of their organization', async () => {
      const { body: app } = await acme.owner.post('/apps', draft());
      for (const stranger of [other.owner, admin]) {
        expect((await stranger.post('/apps', draft())).status).toBe(403);
        expect((await stranger.get(`/apps/${app._id}`)).status).toBe(404);
        expect((await stranger.put(`/apps/${app._id}`, { _name: 'x' })).status).toBe(404);
        expect((await stranger.delete(`/apps/${app._id}`)).status).toBe(404);
        expect((await stranger.get(`/apps?_orgId=${acme.organization._id}`)).body).toMatchObject({ _total: 0, _list: [] });
      }
      const reader = await newPerson(passport, 'Rita');
      await grant(acme.owner, { _type: 'user', _id: reader.id }, acme.organization._namespaces[0] as string, `passportsvc:app:${app._id}`, ['READ']);
      expect(idsOf((await reader.get('/apps')).body)).toEqual([app._id]);
      expect((await reader.put(`/apps/${app._id}`, { _name: 'x' })).status).toBe(403);
      expect((await reader.delete(`/apps/${app._id}`)).status).toBe(403);
      expect((await reader.post('/apps', draft())).status).toBe(403);
    });

    it('keep what a PUT does not send, and take a whole record back', async () => {
      const { body: app } = await acme.owner.post('/apps', draft());
      const changed = await acme.owner.put(`/apps/${app._id}`, { ...app, _redirectUris: ['https://b.example/'] });
      expect(changed).toMatchObject({ status: 200, body: { _redirectUris: 'https://b.example/', _authorizedOrigins: app._authorizedOrigins, _namespaces: app._namespaces, _appOwner: app._appOwner } });
      expect((await acme.owner.put(`/apps/${app._id}`, { _name: 'Renamed' })).body).toMatchObject({ _name: 'Renamed', _redirectUris: 'https://b.example/' });
      expect((await acme.owner.get(`/apps/${app._id}`)).body).not.toHaveProperty('_configs');
      expect((await acme.owner.get(`/apps/${app._id}?withConfigs=true`)).body._configs).toEqual({});
    });

    it('are filtered and paged', async () => {
      const { body: app } = await acme.owner.post('/apps', { ...draft(), _userType: unique('rare'), _shortName: unique('sh') });
      for (const filter of [`_name=${app._name}`, `_userType=${app._userType}`, `_shortName=${app._shortName}`, `query=${app._shortName.slice(1)}`]) {
        expect(idsOf((await acme.owner.get(`/apps?_orgId=${acme.organization._id}&${filter}`)).body)).toEqual([app._id]);
      }
      const all = (await acme.owner.get('/apps?_pageSize=1000')).body;
      const second = (await acme.owner.get('/apps?_offset=1&_pageSize=1')).body;
      expect(second).toMatchObject({ _total: all._total, _list: [{ _id: all._list[1]._id }] });
      expect((await acme.owner.get(`/apps?_orgId=nonsense`)).body._total).toBe(0);
    });

    it('are deleted with their groups once they have no workspaces', async () => {
      const { body: app } = await acme.owner.post('/apps', draft());
      const inApp = await acme.owner.in(app._id);
      const [workspace] = (await inApp.post('/workspaces', [{ _name: 'Left' }])).body._list;
      expect((await acme.owner.delete(`/apps/${app._id}`)).status).toBe(409);
      expect((await inApp.delete(`/workspaces/${workspace._id}`)).status).toBe(204);
      expect((await acme.owner.delete(`/apps/${app._id}`)).status).toBe(204);
      expect((await acme.owner.get(`/apps/${app._id}`)).status).toBe(404);
      expect((await inApp.get('/usergroups?_userType=default_app_user_group&includeAll=true&_pageSize=1000')).body._list.map(({ _appId }: { _appId: string }) => _appId)).not.toContain(app._id);
    });

    it('keep the console, whoever asks', async () => {
      expect((await admin.delete('/apps/console')).status).toBe(404);
      expect((await admin.put('/apps/console', { _redirectUris: 'https://evil.example' })).status).toBe(404);
    });
  });

  it('publishes what was made, changed and deleted, in the same transaction', async () => {
    const { body: organization } = await admin.post('/organizations', { _name: unique('Events'), _orgOwner: admin.email });
    await admin.put(`/organizations/${organization._id}`, { _name: 'renamed' });
    await admin.delete(`/organizations/${organization._id}`);
    const rows = await passport.app.get(DataSource, { strict: false }).query<{ last: string }[]>(
      `SELECT last FROM event_sequences WHERE topic = 'passportsvc.organization' AND key = $1`, [organization._id],
    );
    expect(rows).toEqual([{ last: '3' }]);
  });
});
