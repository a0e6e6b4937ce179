import { eventually } from '@twinyard/testing';
import fc from 'fast-check';
import { type PassportApp, startPassport } from './passport-app';
import { organizationScim } from './scim-client';
import { runCommand } from './secret-commands';
import { type Answer, type Caller, grant, manager, newPerson, newTenant, type Tenant } from './tenancy';

const ALL = '*:*:*';
const LAST_OWNER = { status: 409, body: { code: 'last_owner' } };
const user = (id: string) => ({ _type: 'user', _id: id });
const group = (id: string) => ({ _type: 'usergroup', _id: id });

describe('the last owner of a namespace', () => {
  let passport: PassportApp;
  let house: Tenant;
  let ada: Caller;
  let bob: Caller;

  beforeAll(async () => {
    passport = await startPassport();
    house = await newTenant(passport, 'House');
    [ada, bob] = await Promise.all([newPerson(passport, 'Ada'), newPerson(passport, 'Bob')]);
    const app = String(house.app._namespaces[0]);
    for (const { id } of [ada, bob]) await grant(house.owner, user(id), app, 'passportsvc:*:*', ['*']);
    [ada, bob] = [await ada.in(house.app._id), await bob.in(house.app._id)];
  });
  afterAll(() => passport?.stop());

  const newWorkspace = async (by: Caller) => (await by.post('/workspaces', [{ _name: 'House' }])).body._list[0] as { _id: string; _namespaces: [string] };
  const newGroup = async (by: Caller, ...members: Caller[]) => {
    const { _id, _namespaces } = (await by.post('/usergroups', [{ _name: 'Crew' }])).body._list[0] as { _id: string; _namespaces: [string] };
    if (members.length > 0) await by.post(`/usergroups/${_id}/users`, members.map(({ id }) => id));
    return { _id, namespace: _namespaces[0] };
  };
  const grantsIn = async (by: Caller, namespace: string) => (await by.get(`/permissions?_namespace=${namespace}&_pageSize=100`)).body._list as { _id: string; _actions: string[]; _user: { _id: string } }[];
  const grantOf = async (by: Caller, namespace: string, id: string) => (await grantsIn(by, namespace)).find(({ _user }) => _user._id === id)?._id ?? 'none';
  const put = (by: Caller, namespace: string, ...entries: [{ _type: string; _id: string }, string[]][]) =>
    by.put('/permissions', entries.map(([to, _actions]) => ({ _namespace: namespace, _actions, _resourceDesc: { _irn: ALL }, _user: to })));

  it('keeps its grant until somebody else owns the namespace too', async () => {
    const { _namespaces: [ns] } = await newWorkspace(ada);
    const own = await grantOf(ada, ns, ada.id);
    expect(await ada.delete(`/permissions/${own}`)).toMatchObject(LAST_OWNER);
    expect((await put(ada, ns, [user(ada.id), ['READ', 'SHARE']])).body).toMatchObject({ _success: [], _failures: [{ _reason: expect.stringContaining('last_owner') }] });
    expect(await grantOf(ada, ns, ada.id)).toBe(own);
    await put(ada, ns, [user(bob.id), ['*']]);
    expect((await ada.delete(`/permissions/${own}`)).status).toBe(204);
    expect(await bob.delete(`/permissions/${await grantOf(bob, ns, bob.id)}`)).toMatchObject(LAST_OWNER);
  });

  it('hands over in one request, in any order, and keeps the rest of one that would take the last', async () => {
    const { _namespaces: [ns] } = await newWorkspace(ada);
    expect((await put(ada, ns, [user(ada.id), ['READ']], [user(bob.id), ['*']])).body).toMatchObject({ _failures: [], _success: [{}, {}] });
    const { body } = await put(bob, ns, [user(bob.id), ['READ']], [user(ada.id), ['EDIT']]);
    expect(body).toMatchObject({ _failures: [{ _user: user(bob.id) }, { _user: user(ada.id) }], _success: [] });
    expect((await put(bob, ns, [user(bob.id), ['*']], [user(bob.id), ['READ']])).body._failures).toHaveLength(1);
    expect((await put(bob, ns, [user(bob.id), ['READ']], [user(bob.id), ['*']])).body).toMatchObject({ _failures: [], _success: [{}, { _actions: ['*'] }] });
  });

  it('is refused in the entry that takes it, and the others are granted', async () => {
    const { _namespaces: [one] } = await newWorkspace(ada);
    const { _namespaces: [two] } = await newWorkspace(ada);
    const entry = (ns: string, to: string, _actions: string[]) => ({ _namespace: ns, _actions, _resourceDesc: { _irn: ALL }, _user: user(to) });
    const { body } = await ada.put('/permissions', [entry(one, ada.id, ['READ']), entry(two, bob.id, ['*']), entry(two, ada.id, ['READ'])]);
    expect([body._failures.length, body._success.length]).toEqual([1, 2]);
    expect(body._failures[0]).toMatchObject({ _namespace: one });
  });

  it('may be a group, which then keeps somebody who can sign in', async () => {
    const { _namespaces: [ns] } = await newWorkspace(ada);
    const crew = await newGroup(ada, bob);
    await put(ada, ns, [group(crew._id), ['*']]);
    expect((await ada.delete(`/permissions/${await grantOf(ada, ns, ada.id)}`)).status).toBe(204);
    expect(await ada.delete(`/usergroups/${crew._id}/users`, [bob.id])).toMatchObject(LAST_OWNER);
    expect(await ada.delete(`/usergroups/${crew._id}`)).toMatchObject(LAST_OWNER);
    expect(await ada.delete(`/usergroups/${crew._id}?purge=true`)).toMatchObject(LAST_OWNER);
    expect(await bob.delete(`/permissions/${await grantOf(bob, ns, crew._id)}`)).toMatchObject(LAST_OWNER);
    await ada.post(`/usergroups/${crew._id}/users`, [ada.id]);
    expect((await ada.delete(`/usergroups/${crew._id}/users`, [bob.id])).status).toBe(204);
    expect(await ada.delete(`/usergroups/${crew._id}/users`, [ada.id])).toMatchObject(LAST_OWNER);
  });

  it('is not made of a client, an empty group or somebody who is shut out', async () => {
    const { _namespaces: [ns] } = await newWorkspace(ada);
    const gone = await newPerson(passport, 'Gone');
    const empty = await newGroup(ada);
    await put(ada, ns, [group(empty._id), ['*']], [{ _type: 'client', _id: 'robot' }, ['*']], [user(gone.id), ['*']]);
    await (await manager(passport)).put(`/users/${gone.id}`, { _disabled: true });
    const own = await grantOf(ada, ns, ada.id);
    expect(await ada.delete(`/permissions/${own}`)).toMatchObject(LAST_OWNER);
    for (const id of [empty._id, 'robot', gone.id]) expect((await ada.delete(`/permissions/${await grantOf(ada, ns, id)}`)).status).toBe(204);
  });

  it('stays when two remove each other at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { _namespaces: [ns] } = await newWorkspace(ada);
      await put(ada, ns, [user(bob.id), ['*']]);
      const [ofAda, ofBob] = [await grantOf(ada, ns, ada.id), await grantOf(ada, ns, bob.id)];
      const answers = await Promise.all([ada.delete(`/permissions/${ofBob}`), bob.delete(`/permissions/${ofAda}`)]);
      expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
      // The other one is told that it was the last, or has no right any more by then.
      expect([403, 404, 409]).toContain(answers.find(({ status }) => status !== 204)?.status);
    }
  });

  it('goes with its workspace, its group and its application', async () => {
    const workspace = await newWorkspace(ada);
    expect((await ada.delete(`/workspaces/${workspace._id}`)).status).toBe(204);
    expect((await ada.delete(`/usergroups/${(await newGroup(ada, ada))._id}`)).status).toBe(204);
    const tenant = await newTenant(passport, 'Gone');
    expect((await tenant.owner.delete(`/apps/${tenant.app._id}`)).status).toBe(204);
    expect((await tenant.owner.delete(`/organizations/${tenant.organization._id}`)).status).toBe(204);
  });

  it('is shut out and removed by its identity provider at once: who was dismissed has to go', async () => {
    const scim = await organizationScim(passport, house.organization._id);
    const { id } = await scim.newUser();
    const { _namespaces: [ns] } = await newWorkspace(ada);
    await put(ada, ns, [user(id), ['*']]);
    await ada.delete(`/permissions/${await grantOf(ada, ns, ada.id)}`);
    expect((await scim.patch(id, [{ op: 'replace', path: 'active', value: false }])).status).toBe(200);
    await scim.patch(id, [{ op: 'replace', path: 'active', value: true }]);
    expect((await scim.delete(`/Users/${id}`)).status).toBe(204);
    expect((await runCommand(passport, 'owners', ['missing'])).output).toContain(ns);
  });

  it('is given again by an operator, who is in the audit log', async () => {
    const scim = await organizationScim(passport, house.organization._id);
    const { id } = await scim.newUser();
    const { _namespaces: [ns] } = await newWorkspace(ada);
    await put(ada, ns, [user(id), ['*']]);
    await ada.delete(`/permissions/${await grantOf(ada, ns, ada.id)}`);
    await scim.patch(id, [{ op: 'replace', path: 'active', value: false }]);
    expect((await runCommand(passport, 'owners', ['missing'])).output).toContain(`${ns} (workspace)`);
    const stranger = await newPerson(passport, 'Stranger');
    for (const [args, code] of [[['give', ns], 2], [['give', 'nowhere_12345678', bob.id], 1], [['give', ns, id], 1], [['give', ns, 'nobody@example.com'], 1]] as const) {
      expect((await runCommand(passport, 'owners', args)).code).toBe(code);
    }
    expect(await runCommand(passport, 'owners', ['give', ns, bob.id])).toMatchObject({ code: 0, output: expect.stringContaining(ns) });
    // Without a wait: it is in force when the command has ended.
    expect((await bob.get(`/permissions?_namespace=${ns}`)).body._total).toBe(2);
    expect((await stranger.get(`/permissions?_namespace=${ns}`)).body._total).toBe(0);
    await eventually(async () => expect((await bob.get(`/audit?_namespace=${ns}`)).body._list).toContainEqual(expect.objectContaining({ _action: 'GRANT', _byId: 'operator', _irn: ALL })));
    expect((await runCommand(passport, 'owners', ['missing'])).output).not.toContain(ns);
  }, 60_000);

  it('of the platform: its last manager cannot shut itself out', async () => {
    const admin = await manager(passport);
    expect(await admin.put(`/users/${admin.id}`, { _disabled: true })).toMatchObject(LAST_OWNER);
    expect((await admin.get('/users/me')).status).toBe(200);
  });

  it('is there after any requests, in any order', async () => {
    const people = [ada, bob];
    await fc.assert(fc.asyncProperty(fc.array(fc.record({ what: fc.nat(7), who: fc.nat(1), whom: fc.nat(1), which: fc.nat(3) }), { minLength: 4, maxLength: 14 }), async (steps) => {
      const { _namespaces: [ns] } = await newWorkspace(ada);
      const crew = await newGroup(ada, bob);
      await put(ada, crew.namespace, [user(bob.id), ['*']]);
      const seen = new Set((await grantsIn(ada, ns)).map(({ _id }) => _id));
      for (const { what, who, whom, which } of steps) {
        const [by, other] = [people[who] as Caller, people[whom] as Caller];
        const requests: (() => Promise<Answer>)[] = [
          () => put(by, ns, [user(other.id), ['*']]), () => put(by, ns, [user(other.id), ['READ', 'SHARE']]), () => put(by, ns, [group(crew._id), ['*']]), () => put(by, ns, [group(crew._id), ['READ']]),
          () => by.delete(`/permissions/${[...seen][which] ?? 'none'}`), () => by.post(`/usergroups/${crew._id}/users`, [other.id]), () => by.delete(`/usergroups/${crew._id}/users`, [other.id]),
          () => by.delete(`/permissions/${[...seen].at(-1)}`),
        ];
        // Two at a time: the property holds whoever comes first.
        const second = requests[(what + which) % requests.length] as () => Promise<Answer>;
        const answers = await Promise.all([(requests[what] as () => Promise<Answer>)(), second()]);
        for (const { status } of answers) expect(status).toBeLessThan(500);
        const lists = [...(await grantsIn(ada, ns)), ...(await grantsIn(bob, ns))];
        for (const { _id } of lists) seen.add(_id);
        const owns = lists.some(({ _actions, _user }) => _actions.includes('*') && [ada.id, bob.id, crew._id].includes(_user._id));
        expect(owns).toBe(true);
        const checks = await Promise.all(people.map((person) => person.post('/permissions/check', [{ _irn: ALL, _action: 'SHARE', _namespace: ns }])));
        expect(checks.some(({ body }) => body[0]._allowed)).toBe(true);
      }
    }), { numRuns: 12 });
  }, 120_000);
});
