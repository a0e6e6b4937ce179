import { type PassportApp, startPassport } from './passport-app';
import { type Caller, newPerson, newTenant, send, type Tenant } from './tenancy';

describe('configurations and limits', () => {
  let passport: PassportApp;
  let acme: Tenant;
  let stranger: Caller;
  beforeAll(async () => {
    passport = await startPassport();
    acme = await newTenant(passport, 'Acme');
    stranger = await newPerson(passport, 'Stan');
  });
  afterAll(async () => { await passport.stop(); });

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

  it.each([
    ['apps', 'workspaces', 'workspaces.limit'], ['organizations', 'workspaces', 'workspaces.limit'],
    ['apps', 'usergroups', 'usergroups.limit'], ['organizations', 'usergroups', 'usergroups.limit'],
  ])('the limit of %s on %s holds under thirty creates at once', async (holder, noun, key) => {
    const before = (await acme.inApp.get(`/${noun}?includeAll=true&_pageSize=1000`)).body._list.filter(({ _userType = '' }) => !_userType.startsWith('default_')).length;
    await acme.owner.put(pathOf(holder), { [key]: before + 5 });
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => acme.inApp.post(`/${noun}`, [{ _name: `n${n}` }])));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(new Set(answers.filter(({ status }) => status !== 201).map(({ status, body }) => `${status} ${body.code}`))).toEqual(new Set(['400 limit_exceeded']));
    await acme.owner.delete(pathOf(holder));
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
