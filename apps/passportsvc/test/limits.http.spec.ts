import { type PassportApp, startPassport, startReplica } from './passport-app';
import { type Caller, newPerson, newTenant, send, type Tenant } from './tenancy';

describe('configurations and limits', () => {
  let passport: PassportApp;
  let acme: Tenant;
  let stranger: Caller;
  let replica: Awaited<ReturnType<typeof startReplica>>;
  beforeAll(async () => {
    passport = await startPassport();
    replica = await startReplica(passport);
    acme = await newTenant(passport, 'Acme');
    stranger = await newPerson(passport, 'Stan');
  });
  afterAll(async () => {
    await replica.stop();
    await passport.stop();
  });

  const pathOf = (noun: string) => `/${noun}/${noun === 'apps' ? acme.app._id : acme.organization._id}/configs`;

  it.each(['organizations', 'apps'])('%s: replace, change, clear, and then there is none', async (noun) => {
    const path = pathOf(noun);
    expect((await acme.owner.get(path)).status).toBe(404);
    expect(await acme.owner.put(path, { 'workspaces.limit': '50', 'usergroups.limit': 60 })).toEqual({ status: 200, body: { 'workspaces.limit': 50, 'usergroups.limit': 60 } });
    expect(await acme.owner.patch(path, { 'workspaces.limit': 55 })).toEqual({ status: 200, body: { 'workspaces.limit': 55 } });
    expect((await acme.owner.get(path)).body).toEqual({ 'workspaces.limit': 55, 'usergroups.limit': 60 });
    expect((await acme.owner.put(path, { 'usergroups.limit': 70 })).body).toEqual({ 'usergroups.limit': 70 });
    expect((await acme.owner.get(path)).body).toEqual({ 'usergroups.limit': 70 });
    expect((await acme.owner.delete(path)).status).toBe(204);
    expect((await acme.owner.get(path)).status).toBe(404);
    expect((await acme.owner.delete(path)).status).toBe(404);
  });

  it.each(['organizations', 'apps'])('%s: refuse unknown keys and bad values, naming each, and change nothing', async (noun) => {
    const bad = { 'other.limit': 1, 'workspaces.limit': -1, 'usergroups.limit': 1.5 };
    for (const answer of [await acme.owner.put(pathOf(noun), bad), await acme.owner.patch(pathOf(noun), bad)]) {
      expect(answer.status).toBe(400);
      expect(answer.body.details.map(({ field }: { field: string }) => field)).toEqual(Object.keys(bad));
    }
    expect((await acme.owner.put(pathOf('apps'), { 'applications.limit': 1 })).status).toBe(400);
    expect((await acme.owner.get(pathOf(noun))).status).toBe(404);
  });

  it.each(['organizations', 'apps'])('%s: nothing without a token, nothing to be seen by a stranger', async (noun) => {
    expect((await send(passport, 'PUT', pathOf(noun))).status).toBe(401);
    for (const answer of [await stranger.get(pathOf(noun)), await stranger.put(pathOf(noun), {}), await stranger.patch(pathOf(noun), {}), await stranger.delete(pathOf(noun))]) {
      expect(answer.status).toBe(404);
    }
    const keys = (await stranger.get(`/${noun}/configs`)).body.map(({ key }: { key: string }) => key);
    expect(keys).toEqual([...(noun === 'apps' ? [] : ['applications.limit']), 'workspaces.limit', 'usergroups.limit']);
  });

  /** Fifty creates at once, half of them at another replica; answers how many were made. */
  const raceFor = async (caller: Caller, path: string, body: (n: number) => unknown): Promise<number> => {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? caller : caller.at(replica.url)).post(path, body(n))));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(({ status, body: { code } }) => `${status} ${code}`))).toEqual(new Set(['400 limit_exceeded']));
    return answers.length - refused.length;
  };
  const countOf = async (noun: string): Promise<number> =>
    (await acme.inApp.get(`/${noun}?includeAll=true&_pageSize=1000`)).body._list.filter(({ _userType = '' }) => !_userType.startsWith('default_')).length;

  it.each([
    ['apps', 'workspaces', 'workspaces.limit'], ['organizations', 'workspaces', 'workspaces.limit'],
    ['apps', 'usergroups', 'usergroups.limit'], ['organizations', 'usergroups', 'usergroups.limit'],
  ])('the limit of %s on %s holds under fifty creates at once over two replicas', async (holder, noun, key) => {
    const before = await countOf(noun);
    await acme.owner.put(pathOf(holder), { [key]: before + 7 });
    expect(await raceFor(acme.inApp, `/${noun}`, (n) => [{ _name: `n${n}` }])).toBe(7);
    expect(await countOf(noun)).toBe(before + 7);
    await acme.owner.delete(pathOf(holder));
  });

  it('the limit of organizations on applications holds likewise', async () => {
    const made = await newTenant(passport, 'Racing');
    await made.owner.put(`/organizations/${made.organization._id}/configs`, { 'applications.limit': 4 });
    expect(await raceFor(made.owner, '/apps', (n) => ({ _name: `n${n}`, _orgId: made.organization._id }))).toBe(3);
    expect((await made.owner.get(`/apps?_orgId=${made.organization._id}`)).body._total).toBe(4);
  });

  it('the lower one of two limits counts, whichever holds it', async () => {
    const before = await countOf('workspaces');
    await acme.owner.put(pathOf('apps'), { 'workspaces.limit': before + 9 });
    await acme.owner.put(pathOf('organizations'), { 'workspaces.limit': before + 2 });
    expect(await raceFor(acme.inApp, '/workspaces', (n) => [{ _name: `n${n}` }])).toBe(2);
    await Promise.all([acme.owner.delete(pathOf('apps')), acme.owner.delete(pathOf('organizations'))]);
  });

  it('a limit may be put below what there is: nothing goes, nothing more is made until there is room', async () => {
    const { inApp, owner, app } = await newTenant(passport, 'Shrinking');
    const three = (await inApp.post('/workspaces', [{ _name: 'a' }, { _name: 'b' }, { _name: 'c' }])).body._list as { _id: string }[];
    expect((await owner.put(`/apps/${app._id}/configs`, { 'workspaces.limit': 2 })).status).toBe(200);
    expect((await inApp.get('/workspaces')).body._total).toBe(3);
    const statusOfAnother = async () => (await inApp.post('/workspaces', [{ _name: 'another' }])).status;
    expect(await statusOfAnother()).toBe(400);
    await inApp.delete(`/workspaces/${three[0]?._id}`);
    expect(await statusOfAnother()).toBe(400);
    await inApp.delete(`/workspaces/${three[1]?._id}?purge=true`);
    expect(await statusOfAnother()).toBe(201);
  });

  it('a limit of 0 lets nothing be made but nothing, and default groups do not count', async () => {
    const { inApp, owner, organization } = await newTenant(passport, 'Closed');
    await owner.put(`/organizations/${organization._id}/configs`, { 'workspaces.limit': 0, 'usergroups.limit': 0 });
    for (const noun of ['workspaces', 'usergroups']) {
      expect((await inApp.post(`/${noun}`, [{ _name: 'one' }])).body.code).toBe('limit_exceeded');
      expect((await inApp.post(`/${noun}`, [])).body).toMatchObject({ _total: 0 });
    }
    // An application comes with a group of administrators.
    expect((await owner.post('/apps', { _name: 'Second', _orgId: organization._id })).status).toBe(201);
  });

  it('counts a bulk create as a whole, and hidden workspaces not at all', async () => {
    const shown = (await acme.inApp.get('/workspaces?_pageSize=1')).body;
    await acme.owner.put(pathOf('apps'), { 'workspaces.limit': shown._total + 1 });
    expect((await acme.inApp.post('/workspaces', [{ _name: 'a' }, { _name: 'b' }])).body.code).toBe('limit_exceeded');
    expect((await acme.inApp.get('/workspaces')).body._total).toBe(shown._total);
    expect((await acme.inApp.post('/workspaces', [{ _name: 'a' }])).status).toBe(201);
    expect((await acme.inApp.post('/workspaces', [{ _name: 'b' }])).status).toBe(400);
    await acme.inApp.delete(`/workspaces/${shown._list[0]._id}`);
    expect((await acme.inApp.post('/workspaces', [{ _name: 'b' }])).status).toBe(201);
  });

  it('limits the applications of an organization', async () => {
    await acme.owner.put(pathOf('organizations'), { 'applications.limit': 2 });
    const make = () => acme.owner.post('/apps', { _name: 'More', _orgId: acme.organization._id });
    expect((await Promise.all([make(), make(), make()])).map(({ status }) => status).sort()).toEqual([201, 400, 400]);
  });
});
