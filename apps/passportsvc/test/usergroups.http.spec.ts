import { randomUUID } from 'node:crypto';
import { type PassportApp, startPassport } from './passport-app';
import { type Caller, grant, manager, newPerson, newTenant, send, type Tenant } from './tenancy';

const idsOf = (body: { _list: { _id: string }[] }) => body._list.map(({ _id }) => _id);
const fieldsOf = (body: { details: { field: string }[] }) => [...new Set(body.details.map(({ field }) => field))].sort();

describe('workspaces and user groups', () => {
  let passport: PassportApp;
  let acme: Tenant;
  let other: Tenant;
  let outsider: Caller;
  /** Belongs to nobody, with a token of the application. */
  let guest: Caller;
  let appNamespace: string;

  beforeAll(async () => {
    passport = await startPassport();
    [acme, other] = [await newTenant(passport, 'Acme'), await newTenant(passport, 'Other')];
    outsider = await newPerson(passport, 'Otto');
    guest = await outsider.in(acme.app._id);
    appNamespace = acme.app._namespaces[0] as string;
  });
  afterAll(async () => { await passport.stop(); });

  const asUser = ({ id }: Caller) => ({ _type: 'user', _id: id });
  const made = async (noun: string, body: Record<string, unknown>) => (await acme.inApp.post(`/${noun}`, [body])).body._list[0];

  it.each(['workspaces', 'usergroups'].flatMap((noun) => [
    ['GET', `/${noun}`], ['POST', `/${noun}`], ['GET', `/${noun}/x`], ['PUT', `/${noun}/x`], ['DELETE', `/${noun}/x`],
  ]).concat([['GET', '/usergroups/x/users'], ['POST', '/usergroups/x/users'], ['DELETE', '/usergroups/x/users']]))('%s %s without a token: 401', async (method, path) => {
    expect((await send(passport, method as string, path as string)).status).toBe(401);
  });

  describe('workspaces', () => {
    it('are made in the application of the token, and their maker owns their namespace', async () => {
      const { status, body } = await acme.inApp.post('/workspaces', [
        { _name: 'Duplex', _shortName: 'Dup-Lex', _description: 'a house', _userType: 'project_workspace', _userAttributes: { city: 'Graz' }, more: true },
        { _name: 'Second' },
      ]);
      expect({ status, body }).toMatchObject({
        status: 201,
        body: {
          _offset: 0, _pageSize: 2, _total: 2,
          _list: [
            { _name: 'Duplex', _shortName: 'Dup-Lex', _description: 'a house', _userType: 'project_workspace', _userAttributes: { city: 'Graz' }, _namespaces: [expect.stringMatching(/^DupLex_[A-Za-z0-9]{8}$/)], _metadata: { _createdById: acme.owner.id } },
            { _name: 'Second', _shortName: 'Second', _userAttributes: {} },
          ],
        },
      });
      const reader = await newPerson(passport, 'Rolf');
      await grant(acme.inApp, asUser(reader), body._list[0]._namespaces[0], 'itemsvc:*:*', ['READ']);
    });

    it('are made by whoever holds CREATE there and by nobody else; an empty array asks just that', async () => {
      expect(await acme.inApp.post('/workspaces', [])).toMatchObject({ status: 201, body: { _total: 0, _list: [] } });
      expect((await guest.post('/workspaces', [])).status).toBe(403);
      expect((await guest.post('/workspaces', [{ _name: 'x' }])).status).toBe(403);
      expect((await acme.owner.post('/workspaces', [{ _name: 'x' }])).status).toBe(403);
      const maker = await newPerson(passport, 'Mia');
      await grant(acme.inApp, asUser(maker), appNamespace, 'passportsvc:workspace:*', ['CREATE']);
      const inApp = await maker.in(acme.app._id);
      const { body } = await inApp.post('/workspaces', [{ _name: 'Mine' }]);
      expect((await inApp.get('/workspaces')).body).toMatchObject({ _total: 1, _list: [{ _id: body._list[0]._id }] });
      expect((await (await maker.in(other.app._id)).post('/workspaces', [{ _name: 'x' }])).status).toBe(403);
    });

    it('are made in the organization by a console token that names it', async () => {
      const { status, body } = await acme.owner.post('/workspaces', [{ _name: 'Of the organization', _orgId: acme.organization._id }]);
      expect({ status, body }).toMatchObject({ status: 201, body: { _list: [{ _orgId: acme.organization._id }] } });
      expect(body._list[0]).not.toHaveProperty('_appId');
      expect((await other.owner.post('/workspaces', [{ _name: 'x', _orgId: acme.organization._id }])).status).toBe(403);
      expect((await acme.owner.post('/workspaces', [{ _name: 'x', _orgId: acme.organization._id }, { _name: 'y', _orgId: other.organization._id }])).status).toBe(403);
    });

    it('name every bad field of every entry at once, and none is made', async () => {
      const { status, body } = await acme.inApp.post('/workspaces', [{ _name: 'Never made' }, { _name: 4, _userAttributes: 'x' }, 'text', { _shortName: '' }]);
      expect(status).toBe(400);
      expect(fieldsOf(body)).toEqual(['[1]._name', '[1]._userAttributes', '[2]', '[3]._name', '[3]._shortName']);
      expect((await acme.inApp.get('/workspaces?_name=Never%20made')).body._total).toBe(0);
      expect((await acme.inApp.post('/workspaces', { _name: 'no array' })).status).toBe(400);
    });

    it('are filtered by repeated values, attributes and words, and paged', async () => {
      const mark = randomUUID().slice(0, 8);
      const drafts = [1, 2, 3].map((n) => ({ _name: `${mark} ${n}`, _shortName: `${mark}s${n}`, _userType: mark, _userAttributes: { floor: n, site: { city: 'Graz' } } }));
      const [one, two, three] = idsOf((await acme.inApp.post('/workspaces', drafts)).body);
      const list = async (query: string) => idsOf((await acme.inApp.get(`/workspaces?${query}`)).body);
      expect(await list(`_userType=${mark}`)).toEqual([one, two, three]);
      expect((await list(`_id=${one}&_id=${three}&_id=nonsense`)).sort()).toEqual([one, three].sort());
      expect((await list(`_name=${mark}%201&_name=${mark}%202`)).sort()).toEqual([one, two].sort());
      expect(await list(`_shortName=${mark}s3`)).toEqual([three]);
      expect(await list(`_userType=${mark}&_userAttributes.floor=2`)).toEqual([two]);
      expect(await list(`_userType=${mark}&_userAttributes.site.city=Graz&_userAttributes.floor=3`)).toEqual([three]);
      expect(await list(`query=${mark}*3`)).toEqual([three]);
      expect(await list(`_userType=${mark}&_pageSize=2`)).toEqual([one, two]);
      expect(await list(`_userType=${mark}&_pageSize=2&_offset=2`)).toEqual([three]);
      expect((await acme.inApp.get(`/workspaces?_userType=${mark}&_pageSize=0`)).body).toMatchObject({ _total: 3, _list: [], _pageSize: 0 });
    });

    it('do not exist for those who may not read them, and stay for those who may not change them', async () => {
      const workspace = await made('workspaces', { _name: 'Private' });
      for (const stranger of [guest, other.inApp, await manager(passport)]) {
        expect((await stranger.get(`/workspaces/${workspace._id}`)).status).toBe(404);
        expect((await stranger.put(`/workspaces/${workspace._id}`, { _name: 'x' })).status).toBe(404);
        expect((await stranger.delete(`/workspaces/${workspace._id}`)).status).toBe(404);
        expect((await stranger.get(`/workspaces?_id=${workspace._id}`)).body).toMatchObject({ _total: 0, _list: [] });
      }
      const reader = await newPerson(passport, 'Rosa');
      await grant(acme.inApp, asUser(reader), workspace._namespaces[0], `passportsvc:workspace:${workspace._id}`, ['READ']);
      expect((await reader.get('/workspaces')).body).toMatchObject({ _total: 1, _list: [{ _id: workspace._id }] });
      expect((await reader.put(`/workspaces/${workspace._id}`, { _name: 'x' })).status).toBe(403);
      expect((await reader.delete(`/workspaces/${workspace._id}`)).status).toBe(403);
      expect((await acme.inApp.get('/workspaces/nonsense')).status).toBe(404);
      expect((await acme.inApp.get(`/workspaces/${randomUUID()}`)).status).toBe(404);
    });

    it('are changed, their namespace staying as it is', async () => {
      const workspace = await made('workspaces', { _name: 'Before', _description: 'kept' });
      const { status, body } = await acme.inApp.put(`/workspaces/${workspace._id}`, { ...workspace, _name: 'After', _namespaces: ['x_12345678'] });
      expect({ status, body }).toMatchObject({ status: 200, body: { _name: 'After', _description: 'kept', _namespaces: workspace._namespaces } });
      expect((await acme.inApp.put(`/workspaces/${workspace._id}`, { _name: '' })).status).toBe(400);
    });

    it.each(['', '?purge=true'])('are hidden by DELETE%s: nobody holds anything in their namespace any more', async (query) => {
      const workspace = await made('workspaces', { _name: 'Hidden' });
      const namespace = workspace._namespaces[0];
      expect((await acme.inApp.delete(`/workspaces/${workspace._id}${query}`)).status).toBe(204);
      expect((await acme.inApp.get(`/workspaces/${workspace._id}`)).status).toBe(404);
      expect((await acme.inApp.delete(`/workspaces/${workspace._id}`)).status).toBe(404);
      expect((await acme.inApp.get(`/workspaces?_id=${workspace._id}`)).body._total).toBe(0);
      await expect(grant(acme.inApp, asUser(outsider), namespace, '*:*:*', ['READ'])).rejects.toThrow('not granted');
    });
  });

  describe('user groups', () => {
    it('are made in the application of the token; their maker owns them and is no member', async () => {
      const { status, body } = await acme.inApp.post('/usergroups', [{ _name: 'Viewers of everything that there is', _description: 'd', _userType: 'viewers', _userAttributes: { a: 1 } }]);
      expect({ status, body }).toMatchObject({
        status: 201,
        body: { _total: 1, _list: [{ _shortName: 'Viewers of everything', _isMember: false, _appId: acme.app._id, _userType: 'viewers', _userAttributes: { a: 1 }, _namespaces: [expect.stringMatching(/^Viewersofeverything_/)] }] },
      });
      expect((await acme.inApp.get(`/usergroups?_id=${body._list[0]._id}`)).body._total).toBe(0);
      expect((await acme.inApp.get(`/usergroups?_id=${body._list[0]._id}&includeAll=true`)).body._total).toBe(1);
      expect((await guest.post('/usergroups', [{ _name: 'x' }])).status).toBe(403);
      expect((await guest.post('/usergroups', [])).status).toBe(403);
    });

    it('name every bad field at once; a short name has 22 characters at most', async () => {
      const { status, body } = await acme.inApp.post('/usergroups', [{ _name: 'ok', _shortName: 'x'.repeat(22) }, { _name: 'long', _shortName: 'x'.repeat(23) }, { _name: '', _description: 3 }]);
      expect(status).toBe(400);
      expect(fieldsOf(body)).toEqual(['[1]._shortName', '[2]._description', '[2]._name']);
      expect((await acme.inApp.get('/usergroups?includeAll=true&_name=ok')).body._total).toBe(0);
    });

    it('show themselves to members and readers; addresses of members only to readers', async () => {
      const group = await made('usergroups', { _name: 'Seen' });
      const member = await newPerson(passport, 'Mona');
      expect((await member.get(`/usergroups/${group._id}`)).status).toBe(404);
      expect((await member.get(`/usergroups/${group._id}/users`)).status).toBe(404);
      expect((await acme.inApp.post(`/usergroups/${group._id}/users`, [member.id])).body).toEqual([expect.objectContaining({ _id: member.id, _email: member.email, _firstname: 'Mona', _type: { accType: expect.any(String) }, _isSocial: false, _socialProfile: {} })]);
      expect((await member.get('/usergroups')).body).toMatchObject({ _total: 1, _list: [{ _id: group._id, _isMember: true }] });
      expect((await member.get(`/usergroups/${group._id}`)).body._isMember).toBe(true);
      expect((await member.get(`/usergroups/${group._id}/users`)).status).toBe(403);
      expect((await acme.inApp.get(`/usergroups/${group._id}/users`)).body).toMatchObject({ _offset: 0, _total: 1, _list: [{ _id: member.id, _username: member.email }] });
    });

    it('refuse with 403 to change a group that exists, 404 where there is none, 400 for a malformed id', async () => {
      const group = await made('usergroups', { _name: 'Closed' });
      for (const stranger of [guest, other.inApp]) {
        expect((await stranger.put(`/usergroups/${group._id}`, { _name: 'x' })).status).toBe(403);
        expect((await stranger.post(`/usergroups/${group._id}/users`, [stranger.id])).status).toBe(403);
        expect((await stranger.delete(`/usergroups/${group._id}/users`, [acme.owner.id])).status).toBe(403);
        expect((await stranger.delete(`/usergroups/${group._id}`)).status).toBe(404);
        expect((await stranger.get('/usergroups?includeAll=true')).body._list.map(({ _name }: { _name: string }) => _name)).not.toContain('Closed');
      }
      for (const [id, status] of [[randomUUID(), 404], ['nonsense', 400]] as const) {
        expect((await acme.inApp.get(`/usergroups/${id}`)).status).toBe(status);
        expect((await acme.inApp.put(`/usergroups/${id}`, { _name: 'x' })).status).toBe(status);
        expect((await acme.inApp.get(`/usergroups/${id}/users`)).status).toBe(status);
        expect((await acme.inApp.post(`/usergroups/${id}/users`, [])).status).toBe(status);
        expect((await acme.inApp.delete(`/usergroups/${id}/users`, [])).status).toBe(status);
        expect((await acme.inApp.delete(`/usergroups/${id}`)).status).toBe(status);
      }
    });

    it('take members twice without complaint, and name each id that is no user, adding nobody', async () => {
      const group = await made('usergroups', { _name: 'Twice' });
      const [ann, bob] = [await newPerson(passport, 'Ann'), await newPerson(passport, 'Bob')];
      const add = (body: unknown) => acme.inApp.post(`/usergroups/${group._id}/users`, body);
      expect((await add([ann.id])).status).toBe(200);
      expect((await add([ann.id, bob.id, ann.id])).body).toHaveLength(2);
      expect(fieldsOf((await add([ann.id, 'x', 5])).body)).toEqual(['[1]', '[2]']);
      expect((await add([outsider.id, randomUUID()])).status).toBe(400);
      expect((await add({ id: ann.id })).status).toBe(400);
      expect((await acme.inApp.post(`/usergroups/${group._id}/users?inviteId=${randomUUID()}`)).status).toBe(400);
      expect(idsOf((await acme.inApp.get(`/usergroups/${group._id}/users`)).body)).toEqual([ann.id, bob.id]);
      expect((await acme.inApp.get(`/usergroups/${group._id}/users?_offset=1&_pageSize=1`)).body).toMatchObject({ _total: 2, _list: [{ _id: bob.id }] });
      expect((await acme.inApp.delete(`/usergroups/${group._id}/users`, [ann.id, outsider.id])).status).toBe(204);
      expect(idsOf((await acme.inApp.get(`/usergroups/${group._id}/users`)).body)).toEqual([bob.id]);
      expect((await acme.inApp.delete(`/usergroups/${group._id}/users`, ['x'])).status).toBe(400);
    });

    it('give and take rights with membership, in force when the call has returned', async () => {
      const workspace = await made('workspaces', { _name: 'Shared' });
      const group = await made('usergroups', { _name: 'Readers' });
      await grant(acme.inApp, { _type: 'usergroup', _id: group._id }, workspace._namespaces[0], 'passportsvc:workspace:*', ['READ']);
      const person = await newPerson(passport, 'Rudi');
      for (let round = 0; round < 10; round += 1) {
        await acme.inApp.post(`/usergroups/${group._id}/users`, [person.id]);
        expect((await person.get('/workspaces')).body._total).toBe(1);
        await acme.inApp.delete(`/usergroups/${group._id}/users`, [person.id]);
        expect((await person.get('/workspaces')).body._total).toBe(0);
      }
      await acme.inApp.post(`/usergroups/${group._id}/users`, [person.id]);
      expect((await acme.inApp.delete(`/usergroups/${group._id}`)).status).toBe(204);
      expect((await person.get('/workspaces')).body._total).toBe(0);
      expect((await acme.inApp.get(`/usergroups/${group._id}`)).status).toBe(404);
    });

    it('are changed, and filtered by everything the specification names', async () => {
      const mark = randomUUID().slice(0, 8);
      const group = await made('usergroups', { _name: `g ${mark}`, _shortName: mark });
      const { status, body } = await acme.inApp.put(`/usergroups/${group._id}`, { ...group, _userType: mark, _userAttributes: { team: mark } });
      expect({ status, body }).toMatchObject({ status: 200, body: { _name: `g ${mark}`, _userType: mark, _userAttributes: { team: mark } } });
      for (const filter of [`_id=${group._id}`, `_name=g%20${mark}`, `_shortName=${mark}`, `_userType=${mark}`, `_userAttributes.team=${mark}`, `query=G*${mark}`]) {
        expect(idsOf((await acme.inApp.get(`/usergroups?includeAll=true&${filter}`)).body)).toEqual([group._id]);
        expect((await acme.inApp.get(`/usergroups?includeAll=true&_orgId=${acme.organization._id}&${filter}`)).body._total).toBe(0);
      }
      expect((await acme.inApp.put(`/usergroups/${group._id}`, { _shortName: 'x'.repeat(23) })).status).toBe(400);
    });

    it('let nobody into an admin group but an owner of what it administers', async () => {
      const admins = (await acme.inApp.get('/usergroups?_userType=default_app_user_group')).body._list[0];
      const clerk = await newPerson(passport, 'Clara');
      await grant(acme.inApp, asUser(clerk), appNamespace, 'passportsvc:usergroup:*', ['READ', 'EDIT', 'DELETE']);
      expect((await clerk.get(`/usergroups/${admins._id}/users`)).status).toBe(200);
      expect((await clerk.post(`/usergroups/${admins._id}/users`, [clerk.id])).status).toBe(403);
      expect((await clerk.delete(`/usergroups/${admins._id}/users`, [acme.owner.id])).status).toBe(403);
      const plain = await made('usergroups', { _name: 'Plain' });
      expect((await clerk.post(`/usergroups/${plain._id}/users`, [clerk.id])).status).toBe(200);
      expect((await acme.inApp.post(`/usergroups/${admins._id}/users`, [clerk.id])).status).toBe(200);
      expect((await (await clerk.in(acme.app._id)).post('/workspaces', [])).status).toBe(201);
      expect((await acme.inApp.delete(`/usergroups/${admins._id}`)).status).toBe(409);
    });

    it('are found by single grants, whatever else was granted, and not when they were granted elsewhere', async () => {
      const [one, other] = [await made('usergroups', { _name: 'One' }), await made('usergroups', { _name: 'Other' })];
      const reader = await newPerson(passport, 'Ria');
      await grant(acme.inApp, asUser(reader), appNamespace, `passportsvc:usergroup:${one._id.toUpperCase()}`, ['READ']);
      for (const id of ['NULL', 'no-uuid']) for (const type of ['usergroup', 'app']) await grant(acme.inApp, asUser(reader), appNamespace, `passportsvc:${type}:${id}`, ['READ']);
      await grant(acme.inApp, asUser(reader), appNamespace, `passportsvc:app:${acme.app._id}`, ['READ']);
      await grant(acme.inApp, asUser(reader), one._namespaces[0], `passportsvc:usergroup:${other._id}`, ['READ']);
      expect((await reader.get('/usergroups?includeAll=true')).body).toMatchObject({ _total: 1, _list: [{ _id: one._id }] });
      expect((await reader.get('/apps')).body).toMatchObject({ _total: 1, _list: [{ _id: acme.app._id }] });
      await grant(acme.inApp, asUser(reader), appNamespace, `passportsvc:usergroup:${other._id}`, ['READ']);
      expect((await reader.get('/usergroups?includeAll=true')).body._list.map(({ _id }: { _id: string }) => _id)).toEqual([one._id, other._id]);
    });

    it('stand a hundred changes of one membership at once', async () => {
      const group = await made('usergroups', { _name: 'Busy' });
      const add = () => acme.inApp.post(`/usergroups/${group._id}/users`, [outsider.id, acme.owner.id]);
      const remove = () => acme.inApp.delete(`/usergroups/${group._id}/users`, [acme.owner.id, outsider.id]);
      const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? add() : remove())));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 204]));
      await add();
      expect((await acme.inApp.get(`/usergroups/${group._id}/users`)).body._total).toBe(2);
    });
  });
});
