import { eventually } from '@twinyard/testing';
import { type PassportApp, startPassport } from './passport-app';
import { type Answer, API, type Caller, grant, newPerson, newTenant, send, type Tenant } from './tenancy';

interface Profile {
  readonly _id: string;
  readonly _name: string;
  readonly _namespaces: string[];
  readonly _permissions: object[];
}

describe('permission profiles over HTTP', () => {
  let passport: PassportApp;
  let house: Tenant;
  let ns: string;
  let other: Tenant;

  beforeAll(async () => {
    passport = await startPassport();
    [house, other] = await Promise.all([newTenant(passport, 'House'), newTenant(passport, 'Other')]);
    ns = String(house.app._namespaces[0]);
  });
  afterAll(() => passport?.stop());

  const read = (_namespace: string, _irn = 'filesvc:file:*', _actions = ['READ']) => ({ _actions, _namespace, _resourceDesc: { _irn } });
  const draft = (_name: string, ...permissions: object[]) => ({ _name, _userType: 'import', _namespaces: [ns], _permissions: permissions });
  const polled = async (caller: Caller, { status, location }: Answer & { location?: string | null }) => {
    expect({ status, location }).toEqual({ status: 202, location: expect.stringContaining(`${API}/requests/`) });
    const path = String(location).split(API)[1] as string;
    return eventually(async () => {
      const { body } = await caller.get(path);
      return ['COMPLETED', 'FAILED'].includes(body._status) ? { path, ...body } : null;
    });
  };
  const sendFull = async (caller: Caller, method: 'POST' | 'PUT', path: string, body: unknown) => caller.full(method, `/permissionprofiles${path}`, body);
  const made = async (...drafts: object[]): Promise<Profile[]> => {
    const done = await polled(house.owner, await sendFull(house.owner, 'POST', `?nsfilter=${ns}`, drafts));
    expect(done).toMatchObject({ _status: 'COMPLETED', _response: { _status: 201, _body: { _total: drafts.length } } });
    return done._response._body._list as Profile[];
  };

  it('makes profiles later, gives them back as they were sent, and lists them by name and type', async () => {
    const sent = [draft('Importer', read(ns), { ...read(ns, 'itemsvc:nameduseritem:*', ['EDIT', 'CREATE']), _resourceDesc: { _irn: 'itemsvc:nameduseritem:*', _criteria: { _userType: 'bim' } } }), draft('Empty')];
    const [importer, empty] = await made(...sent);
    expect(importer).toMatchObject({ ...sent[0], _irn: `passportsvc:permission_profile:${importer?._id}`, _metadata: { _createdById: house.owner.id } });
    expect((await house.owner.get(`/permissionprofiles/${importer?._id}`)).body).toEqual(importer);
    const listed = async (query: string) => (await house.owner.get(`/permissionprofiles?nsfilter=${ns}&${query}`)).body._list as Profile[];
    expect(await listed('_name=Importer&_name=nothing')).toEqual([importer]);
    expect(await listed('_name=Empty&_userType=import')).toEqual([empty]);
    expect(await listed('_userType=none')).toEqual([]);
    expect((await house.owner.get(`/permissionprofiles?page=${encodeURIComponent('{"_pageSize":1}')}&nsfilter=${ns}`)).body).toMatchObject({ _pageSize: 1, _total: 2, _list: [{ _name: 'Importer' }] });
    expect(await made()).toEqual([]);
    expect((await other.owner.full('POST', `/permissionprofiles?nsfilter=${ns}`, [])).status).toBe(403);
  });

  it('ends a request for a taken name with 409, and makes none of its profiles', async () => {
    await made(draft('Taken'));
    const clash = await polled(house.owner, await sendFull(house.owner, 'POST', '', [draft('Fresh'), draft('Taken')]));
    expect(clash).toMatchObject({ _status: 'FAILED', _response: { _status: 409, _body: { message: expect.stringContaining('Taken') } } });
    expect((await house.owner.get('/permissionprofiles?_name=Fresh')).body._total).toBe(0);
    expect((await house.inApp.get(clash.path)).status).toBe(200);
    expect((await other.owner.get(clash.path)).status).toBe(404);
  });

  it('names every fault at once, and refuses what the caller may not share', async () => {
    const { status, body } = await house.owner.post('/permissionprofiles', [{ _name: 'x' }, draft('y', {}, read(ns))]);
    expect(status).toBe(400);
    expect(body.details.map(({ field }: { field: string }) => field)).toEqual(expect.arrayContaining(['[0]._userType', '[0]._namespaces', '[0]._permissions']));
    const bad = await house.owner.post('/permissionprofiles', [draft('y', read(ns), { ...read(ns), _actions: ['FLY'] }, { _actions: ['READ'] })]);
    expect(bad.body.details.map(({ field }: { field: string }) => field)).toEqual(['[0]._permissions[1]._actions', '[0]._permissions[2]._namespace', '[0]._permissions[2]._resourceDesc._irn']);
    expect((await house.owner.post(`/permissionprofiles?nsfilter=${ns}`, [{ ...draft('z'), _namespaces: [ns, 'else_12345678'] }])).status).toBe(400);
    expect((await house.owner.post('/permissionprofiles', [draft('z', read(String(other.app._namespaces[0])))])).status).toBe(403);
    expect((await house.owner.post('/permissionprofiles', {})).status).toBe(400);
    const maker = await newPerson(passport, 'Maker');
    await grant(house.owner, { _type: 'user', _id: maker.id }, ns, 'passportsvc:permission_profile:*', ['CREATE', 'READ', 'EDIT']);
    expect((await maker.post('/permissionprofiles', [draft('m', read(ns))])).status).toBe(403);
    const profile = (await made(draft('Shared', read(ns), read(ns, 'aisvc:team:*'))))[0] as Profile;
    const kept = await polled(maker, await sendFull(maker, 'PUT', `/${profile._id}`, { ...profile, _userType: 'renamed' }));
    expect(kept).toMatchObject({ _response: { _status: 200, _body: { _userType: 'renamed', _permissions: profile._permissions } } });
    expect((await maker.put(`/permissionprofiles/${profile._id}`, { _permissions: [read(ns, '*:*:*', ['*'])] })).status).toBe(403);
  });

  it('replaces the permissions of a profile, keeps what is not sent, and forgets them with it', async () => {
    const profile = (await made(draft('Changing', read(ns))))[0] as Profile;
    const changed = await polled(house.owner, await sendFull(house.owner, 'PUT', `/${profile._id}`, { _name: 'Changed', _permissions: [read(ns, 'aisvc:team:*', ['READ', 'EDIT'])] }));
    expect(changed._response._body).toMatchObject({ _id: profile._id, _name: 'Changed', _userType: 'import', _namespaces: [ns], _permissions: [read(ns, 'aisvc:team:*', ['READ', 'EDIT'])] });
    const renamed = await polled(house.owner, await sendFull(house.owner, 'PUT', `/${profile._id}`, { _name: 'Again' }));
    expect(renamed._response._body._permissions).toHaveLength(1);
    await made(draft('Changed'));
    const granted = await house.owner.put('/permissions', [{ ...read(ns), _user: { _type: 'permprofile', _id: profile._id } }, { ...read(ns), _user: { _type: 'permprofile', _id: house.owner.id } }]);
    expect(granted.body).toMatchObject({ _success: [{ _user: { _type: 'permprofile' } }], _failures: [{ _reason: expect.stringContaining('there is no permprofile') }] });
    expect((await house.owner.delete(`/permissionprofiles/${profile._id}`)).status).toBe(204);
    expect((await house.owner.get(`/permissionprofiles/${profile._id}`)).status).toBe(404);
    expect((await house.owner.delete(`/permissionprofiles/${profile._id}`)).status).toBe(404);
    expect((await house.owner.get(`/permissions?_user._id=${profile._id}`)).body._total).toBe(0);
  });

  it('is closed to others: no token, a reader, another tenant', async () => {
    const profile = (await made(draft('Closed', read(ns))))[0] as Profile;
    const path = `/permissionprofiles/${profile._id}`;
    const reader = await newPerson(passport, 'Reader');
    await grant(house.owner, { _type: 'user', _id: reader.id }, ns, 'passportsvc:permission_profile:*', ['READ']);
    expect((await send(passport, 'GET', path)).status).toBe(401);
    expect([(await reader.get(path)).status, (await reader.put(path, { _name: 'x' })).status, (await reader.delete(path)).status, (await reader.post('/permissionprofiles', [draft('r')])).status]).toEqual([200, 403, 403, 403]);
    for (const answer of [await other.owner.get(path), await other.owner.put(path, { _name: 'x' }), await other.owner.delete(path)]) expect(answer.status).toBe(404);
    expect((await other.owner.get(`/permissionprofiles?nsfilter=${ns}`)).body._total).toBe(0);
    expect((await house.owner.get('/permissionprofiles/nonsense')).status).toBe(404);
  });
});
