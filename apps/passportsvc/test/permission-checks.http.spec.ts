import { type PassportApp, startPassport } from './passport-app';
import { type Caller, grant, newPerson, newTenant, send, type Tenant } from './tenancy';

describe('explaining permissions over HTTP', () => {
  let passport: PassportApp;
  let house: Tenant;
  let ns: string;
  let alice: Caller;

  beforeAll(async () => {
    passport = await startPassport();
    house = await newTenant(passport, 'House');
    ns = String(house.app._namespaces[0]);
    alice = await newPerson(passport, 'Alice');
  });
  afterAll(() => passport?.stop());

  const check = async (caller: Caller, ...questions: object[]) => (await caller.post('/permissions/check', questions.map((question) => ({ _namespace: ns, ...question })))).body;
  const of = ({ id }: Caller) => ({ _type: 'user', _id: id });

  it('names the permission that allows, the group it comes through, and nothing where nothing does', async () => {
    const group = (await house.inApp.post('/usergroups', [{ _name: 'Readers' }])).body._list[0];
    await house.owner.post(`/usergroups/${group._id}/users`, [alice.id]);
    await grant(house.owner, { _type: 'usergroup', _id: group._id }, ns, 'filesvc:file:*', ['READ']);
    await grant(house.owner, of(alice), ns, 'aisvc:*:*', ['READ', 'EDIT']);
    const file = { _irn: 'filesvc:file:4d0b1c52-7d2f-4a5e-8d0b-0c6f1f8c9c11', _action: 'READ' };
    expect(await check(alice, file, { ...file, _action: 'EDIT' }, { _irn: 'aisvc:team:*', _action: 'EDIT' })).toEqual([
      { ...file, _namespace: ns, _allowed: true, _because: [expect.objectContaining({ _resourceDesc: { _irn: 'filesvc:file:*' }, _through: { _type: 'usergroup', _id: group._id } })] },
      { ...file, _namespace: ns, _action: 'EDIT', _allowed: false, _because: [] },
      { _irn: 'aisvc:team:*', _namespace: ns, _action: 'EDIT', _allowed: true, _because: [expect.not.objectContaining({ _through: expect.anything() as unknown })] },
    ]);
    const readOnly = await alice.in('console', ['read']);
    expect(await check(readOnly, { _irn: 'aisvc:team:*', _action: 'EDIT' })).toMatchObject([{ _allowed: false, _because: [{ _actions: ['READ', 'EDIT'] }] }]);
    expect(await check(house.owner, { ...file, _user: of(alice) }, { ...file, _user: { _type: 'usergroup', _id: group._id } })).toMatchObject([{ _allowed: true }, { _allowed: true }]);
    const permission = (await house.owner.get(`/permissions?_user._id=${group._id}&_namespace=${ns}`)).body._list[0];
    expect((await check(alice, file))[0]._because[0]).toEqual({ ...permission, _through: permission._user });
  });

  it('counts a permission that is narrowed by criteria only for items that meet them', async () => {
    const narrow = { _namespace: ns, _actions: ['READ'], _resourceDesc: { _irn: 'itemsvc:nameduseritem:*', _criteria: { _userType: 'bim' } }, _user: of(alice) };
    await house.owner.put('/permissions', [narrow]);
    const item = { _irn: 'itemsvc:nameduseritem:65a1b2c3d4e5f60718293a4b', _action: 'READ' };
    const allowed = (await check(alice, item, { ...item, _criteria: { _userType: 'bim' } }, { ...item, _criteria: { _userType: 'other' } })) as { _allowed: boolean }[];
    expect(allowed.map(({ _allowed }) => _allowed)).toEqual([false, true, false]);
  });

  it('answers for related items by what is granted on some of them, and by what the collection covers', async () => {
    const _irn = 'itemsvc:nameduseritem:65a1b2c3d4e5f60718293a4c';
    const put = (user: object, _actions: string[], _subresourceDesc?: object) => house.owner.put('/permissions', [{ _namespace: ns, _actions, _resourceDesc: { _irn, ...(_subresourceDesc && { _subresourceDesc }) }, _user: user }]);
    const bob = await newPerson(passport, 'Bob');
    await put(of(alice), ['READ', 'DELETE'], { _type: 'relateditem', _criteria: { floor: 1, wing: 'a' } });
    await put(of(bob), ['EDIT']);
    const asked = async (caller: Caller, _action: string, _criteria?: object) => ((await check(caller, { _irn, _action, ...(_criteria && { _subresourceDesc: { _type: 'relateditem', _criteria } }) })) as [{ _allowed: boolean }])[0]._allowed;
    const part = { floor: 1, wing: ['b', 'a'], other: 2 };
    const answers = [await asked(alice, 'READ', part), await asked(alice, 'DELETE', part), await asked(alice, 'EDIT', part), await asked(alice, 'READ', { floor: 1 }), await asked(alice, 'READ', { floor: 2, wing: 'a' }), await asked(alice, 'READ')];
    expect(answers).toEqual([true, true, false, false, false, false]);
    // EDIT on the collection covers making, changing and deleting what is in it.
    expect([await asked(bob, 'CREATE', part), await asked(bob, 'EDIT', part), await asked(bob, 'DELETE', part), await asked(bob, 'READ', part), await asked(bob, 'DELETE')]).toEqual([true, true, true, false, false]);
    const { status, body } = await alice.post('/permissions/check', [{ _irn, _action: 'READ', _namespace: ns, _subresourceDesc: { _type: 'relateditem' } }]);
    expect([status, body.details.map(({ field }: { field: string }) => field)]).toEqual([400, ['[0]._subresourceDesc']]);
  });

  it('says again what was asked, without what was sent as null', async () => {
    const question = { _irn: 'filesvc:file:*', _action: 'READ', key: 1 };
    expect(await check(alice, { ...question, _user: null, _criteria: null, _subresourceDesc: null })).toEqual([{ ...question, _namespace: ns, _allowed: expect.any(Boolean) as boolean, _because: expect.any(Array) as object[] }]);
  });

  it('tells about others only the owner of the namespace, and names every fault', async () => {
    const question = { _irn: 'filesvc:file:*', _action: 'READ', _namespace: ns };
    const stranger = await newTenant(passport, 'Stranger');
    expect((await alice.post('/permissions/check', [{ ...question, _user: of(house.owner) }])).status).toBe(403);
    expect((await stranger.owner.post('/permissions/check', [{ ...question, _user: of(alice) }])).status).toBe(403);
    expect(await check(stranger.owner, question)).toMatchObject([{ _allowed: false, _because: [] }]);
    expect((await send(passport, 'POST', '/permissions/check', undefined, [question])).status).toBe(401);
    const { status, body } = await alice.post('/permissions/check', [question, { _irn: 'x', _action: 'FLY', _user: 1, _criteria: 2 }, null]);
    expect(status).toBe(400);
    expect(body.details.map(({ field }: { field: string }) => field)).toEqual([
      '[1]._irn', '[1]._action', '[1]._namespace', '[1]._user', '[1]._criteria', '[2]._irn', '[2]._action', '[2]._namespace',
    ]);
    expect((await alice.post('/permissions/check', {})).status).toBe(400);
  });
});
