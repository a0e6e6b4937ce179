import { BOOTSTRAP_CLIENT, type PassportApp, startPassport } from './passport-app';
import { type Caller, grant, newPerson, newTenant, send, type Tenant } from './tenancy';

interface Permission {
  readonly _id: string;
  readonly _actions: string[];
  readonly _resourceDesc: { readonly _irn: string };
}

describe('permissions over HTTP', () => {
  let passport: PassportApp;
  let house: Tenant;
  let ns: string;
  let alice: Caller;
  let bob: Caller;

  beforeAll(async () => {
    passport = await startPassport();
    house = await newTenant(passport, 'House');
    ns = String(house.app._namespaces[0]);
    [alice, bob] = await Promise.all([newPerson(passport, 'Alice'), newPerson(passport, 'Bob')]);
  });
  afterAll(() => passport?.stop());

  const user = ({ id }: Caller) => ({ _type: 'user', _id: id });
  const permission = (to: { _type: string; _id: string }, _actions: string[], _irn: string, rest: object = {}) => ({ _namespace: ns, _actions, _resourceDesc: { _irn, ...rest }, _user: to });
  const put = async (caller: Caller, ...entries: unknown[]) => (await caller.put('/permissions', entries)).body as { _success: Permission[]; _failures: { _reason: string }[] };

  it('creates once and replaces the actions the second time', async () => {
    const first = await put(house.owner, permission(user(alice), ['READ'], 'filesvc:file:*'));
    const second = await put(house.owner, permission(user(alice), ['READ', 'EDIT', 'EDIT'], 'filesvc:file:*'));
    expect(second._success).toEqual([{ ...first._success[0], _actions: ['READ', 'EDIT'] }]);
    expect((await alice.get(`/permissions/${second._success[0]?._id}`)).body).toEqual(second._success[0]);
  });

  it('keeps permissions apart that differ in criteria or in the related items they speak of', async () => {
    const { _success } = await put(
      house.owner,
      permission(user(alice), ['READ'], 'itemsvc:nameduseritem:*'),
      permission(user(alice), ['EDIT'], 'itemsvc:nameduseritem:*', { _criteria: { _userType: 'a' } }),
      permission(user(alice), ['READ'], 'itemsvc:nameduseritem:65a1b2c3d4e5f60718293a4b', { _subresourceDesc: { _type: 'relateditem', _criteria: { floor: 1 } } }),
    );
    expect(new Set(_success.map(({ _id }) => _id)).size).toBe(3);
    const listed = (await house.owner.get(`/permissions?_user._id=${alice.id}&_resourceDesc._criteria._userType=a`)).body;
    expect(listed._list).toEqual([_success[1]]);
    expect((await house.owner.get(`/permissions?_user._id=${alice.id}&_resourceDesc._criteria=null&_resourceDesc._irn=itemsvc:nameduseritem:*`)).body._list).toEqual([_success[0]]);
  });

  it('says of each bad entry why, and grants the rest', async () => {
    const nobody = { _type: 'user', _id: '00000000-0000-4000-8000-000000000000' };
    const { _success, _failures } = await put(
      house.owner, permission(user(bob), ['READ'], 'aisvc:team:*'), permission(nobody, ['READ'], 'aisvc:team:*'), permission(user(bob), ['FLY'], 'aisvc:team:*'), 'nonsense',
      permission(user(bob), ['READ'], 'nonsense'), permission(user(bob), ['READ'], 'filesvc:file:*', { _criteria: { _userType: 'a' } }),
    );
    expect(_success).toHaveLength(1);
    expect(_failures.map(({ _reason }) => _reason)).toEqual([
      expect.stringContaining('there is no user'), expect.stringContaining('_actions'), expect.stringContaining('_namespace'), expect.stringContaining('_irn'), expect.stringContaining('_criteria'),
    ]);
    const part = (_criteria: object) => permission(user(bob), ['READ'], 'itemsvc:nameduseritem:65a1b2c3d4e5f60718293a4b', { _subresourceDesc: { _type: 'relateditem', _criteria } });
    const unreadable = await put(house.owner, ...[{}, { floor: { $gt: 0 } }, { floor: [1] }, { $where: 'true' }, { 'a.$b': 1 }, { 'a.': 1 }].map(part));
    expect([unreadable._success, unreadable._failures.map(({ _reason }) => _reason)]).toEqual([[], Array(6).fill(expect.stringContaining('_subresourceDesc'))]);
    expect((await house.owner.put('/permissions', {})).status).toBe(400);
  });

  it('lets nobody grant what it may not share, or does not hold itself', async () => {
    await grant(house.owner, user(bob), ns, 'notificationsvc:*:*', ['SHARE', 'READ']);
    expect((await put(bob, permission(user(alice), ['READ'], 'notificationsvc:trigger:*')))._success).toHaveLength(1);
    for (const entry of [permission(user(alice), ['EDIT'], 'notificationsvc:trigger:*'), permission(user(bob), ['*'], '*:*:*'), permission(user(bob), ['READ'], 'filesvc:file:*'), { ...permission(user(alice), ['READ'], 'notificationsvc:trigger:*'), _namespace: 'elsewhere_12345678' }]) {
      const { _success, _failures } = await put(bob, entry);
      expect([_success, _failures[0]?._reason]).toEqual([[], expect.stringMatching(/SHARE .* in .*, which an owner there can grant$/)]);
    }
  });

  it('shows grants to oneself and on what one may share, and no others', async () => {
    const { _success } = await put(house.owner, permission(user(bob), ['READ'], 'metricsvc:metric:*'));
    const id = _success[0]?._id;
    expect((await bob.get(`/permissions/${id}`)).status).toBe(200);
    expect((await house.owner.get(`/permissions?_namespace=${ns}&_user._id=${bob.id}`)).body._total).toBeGreaterThan(0);
    expect((await alice.get(`/permissions/${id}`)).status).toBe(404);
    expect((await alice.get(`/permissions?_user._id=${bob.id}`)).body).toMatchObject({ _list: [] });
    const stranger = await newTenant(passport, 'Stranger');
    expect((await stranger.owner.get(`/permissions?_namespace=${ns}`)).body._total).toBe(0);
    expect((await stranger.owner.delete(`/permissions/${id}`)).status).toBe(404);
    expect((await bob.get('/permissions/nonsense')).status).toBe(404);
    expect((await send(passport, 'GET', '/permissions')).status).toBe(401);
  });

  it('is taken back by those who may share it, and by nobody else', async () => {
    const { _success } = await put(house.owner, permission(user(alice), ['READ'], 'datasourcesvc:orchestrator:*'));
    const path = `/permissions/${_success[0]?._id}`;
    expect((await alice.delete(path)).status).toBe(403);
    expect((await house.owner.delete(path)).status).toBe(204);
    expect((await house.owner.get(path)).status).toBe(404);
  });

  it("answers another service's share of the list with its own types and those on everything", async () => {
    await put(house.owner, permission(user(bob), ['READ'], '*:*:*'), permission(user(bob), ['READ'], 'aisvc:agent:*'));
    const irns = ((await bob.get('/permissions?_service=aisvc&_pageSize=100')).body._list as Permission[]).map(({ _resourceDesc }) => _resourceDesc._irn);
    expect(new Set(irns)).toEqual(new Set(['aisvc:team:*', 'aisvc:agent:*', '*:*:*']));
    const refused = (await house.owner.put('/permissions?_service=aisvc', [permission(user(bob), ['READ'], 'filesvc:file:*')])).body;
    expect(refused).toMatchObject({ _success: [], _failures: [{ _reason: expect.stringContaining('aisvc') }] });
  });

  it('is read and taken back by id through the services that list it, and through no other', async () => {
    const { _success } = await put(house.owner, permission(user(bob), ['READ'], 'filesvc:file:*'), permission(user(bob), ['EDIT'], '*:*:*'));
    const [ofFiles, ofAll] = _success.map(({ _id }) => `/permissions/${_id}`);
    for (const ask of [house.owner.get, house.owner.delete]) expect((await ask(`${ofFiles}?_service=itemsvc`)).status).toBe(404);
    expect((await house.owner.get(`${ofFiles}?_service=filesvc`)).status).toBe(200);
    expect((await house.owner.get(`${ofAll}?_service=itemsvc`)).status).toBe(200);
    expect((await house.owner.delete(`${ofAll}?_service=itemsvc`)).status).toBe(403);
    expect((await house.owner.delete(`${ofFiles}?_service=filesvc`)).status).toBe(204);
    expect((await house.owner.delete(`${ofAll}`)).status).toBe(204);
  });

  it('speaks of resource types that there are', async () => {
    const unknown = ['itemsvc:planet:*', 'filesvc:agent:*', 'moonsvc:file:*', 'moonsvc:*:*', '*:planet:*'].map((irn) => permission(user(bob), ['READ'], irn));
    for (const path of ['/permissions', '/permissions?_service=itemsvc']) {
      const { body } = await house.owner.put(path, unknown);
      expect([body._success, body._failures.length]).toEqual([[], unknown.length]);
      expect(body._failures[0]._reason).toContain('itemsvc:planet');
    }
    const known = ['itemsvc:nameduseritem:*', 'itemsvc:*:*', '*:file:*', '*:*:*'].map((irn) => permission(user(bob), ['READ'], irn));
    expect((await house.owner.put('/permissions', known)).body).toMatchObject({ _failures: [] });
    const profile = { _name: 'planets', _namespaces: [ns], _permissions: [{ _namespace: ns, _actions: ['READ'], _resourceDesc: { _irn: 'itemsvc:planet:*' } }] };
    expect((await house.owner.post(`/permissionprofiles?nsfilter=${ns}`, [profile])).status).toBe(400);
  });

  it('is held through a group, told of by the group, and gone with the membership', async () => {
    const made = (await house.inApp.post('/usergroups', [{ _name: 'Crew', _shortName: 'crew' }])).body._list[0] as { _id: string };
    const { _success } = await put(house.owner, permission({ _type: 'usergroup', _id: made._id }, ['READ'], 'aisvc:team:*'));
    expect((await house.inApp.get(`/usergroups/${made._id}/permissions`)).body).toMatchObject({ _total: 1, _list: [{ _id: _success[0]?._id }] });
    expect((await alice.get(`/permissions/${_success[0]?._id}`)).status).toBe(404);
    await house.inApp.post(`/usergroups/${made._id}/users`, [alice.id]);
    expect((await alice.get(`/permissions/${_success[0]?._id}`)).status).toBe(200);
    await house.inApp.delete(`/usergroups/${made._id}/users`, [alice.id]);
    expect((await alice.get(`/permissions/${_success[0]?._id}`)).status).toBe(404);
    expect((await alice.get(`/usergroups/${made._id}/permissions`)).status).toBe(404);
  });

  it('can be granted to a client', async () => {
    expect((await put(house.owner, permission({ _type: 'client', _id: BOOTSTRAP_CLIENT.id }, ['READ'], 'filesvc:file:*')))._success).toHaveLength(1);
    expect((await put(house.owner, permission({ _type: 'client', _id: 'nobody' }, ['READ'], 'filesvc:file:*')))._failures).toHaveLength(1);
  });

  it('ends at the scopes of a token', async () => {
    const readOnly = await house.owner.in('console', ['read']);
    expect((await put(readOnly, permission(user(bob), ['READ'], 'filesvc:file:*')))._success).toEqual([]);
  });
});
