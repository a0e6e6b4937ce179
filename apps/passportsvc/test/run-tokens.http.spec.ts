import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newUuid } from '@twinyard/conventions';
import type { ApiDocument } from '@twinyard/testing';
import { RunTokens } from '../src/oauth/run-tokens';
import { type PassportApp, startPassport } from './passport-app';
import { API, type Caller, manager, newTenant, send, type Tenant } from './tenancy';

const { paths } = JSON.parse(readFileSync(join(__dirname, '../openapi.json'), 'utf8')) as ApiDocument & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly security?: readonly object[] }>>>>;
};
const guarded = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).filter(([, { security = [] }]) => security.length > 0).map(([method]) => ({ method: method.toUpperCase(), path })));

/** All that a run may ask of the identity service; whatever is added to it is closed to runs until it stands here. */
const OPEN = [
  ...['apps', 'apps/{id}', 'apps/{id}/configs', 'organizations', 'organizations/{id}', 'organizations/{id}/configs', 'organizations/{id}/identityproviders',
    'organizations/{id}/identityproviders/{idpId}', 'organizations/{id}/users', 'permissionprofiles', 'permissionprofiles/{id}', 'principalinfo', 'requests/{id}', 'secrets',
    'secrets/{id}', 'usergroups', 'usergroups/{id}', 'usergroups/{id}/invites', 'usergroups/{id}/invites/{inviteId}', 'usergroups/{id}/permissions', 'usergroups/{id}/users',
    'workspaces', 'workspaces/{id}'].map((path) => `GET ${API}/${path}`),
  `POST ${API}/secrets`, `PUT ${API}/secrets/{id}`, `DELETE ${API}/secrets/{id}`,
].sort();

describe('the token of a run', () => {
  let passport: PassportApp;
  let house: Tenant;
  let places: { readonly _id: string; readonly _namespaces: readonly string[] }[];
  let token: string;

  beforeAll(async () => {
    passport = await startPassport();
    house = await newTenant(passport, 'House');
    const drafts = ['Here', 'There'].map((name) => ({ _name: name, _shortName: name.toLowerCase(), _userType: 'project_workspace' }));
    places = (await house.inApp.post('/workspaces', drafts)).body._list as typeof places;
    token = await tokenFor(house.owner);
  });
  afterAll(() => passport?.stop());

  const at = (index: number) => String(places[index]?._namespaces[0]);
  const tokenFor = async (starter: Caller, profileId?: string) =>
    (await passport.app.get(RunTokens, { strict: false }).issue({
      userId: starter.id, appId: house.app._id, scopes: ['read', 'write'], runId: newUuid(), namespaces: [at(0)], ...(profileId !== undefined && { profileId }),
    })).token;
  const ask = async (method: string, path: string, body?: unknown) => send(passport, method, path, token, body);

  it('opens of all operations those that are listed, also to a platform manager', async () => {
    const managers = await tokenFor(await manager(passport));
    const opened: string[] = [];
    for (const { method, path } of guarded) {
      const real = path.replace(/\{\w+\}/g, newUuid());
      const response = await fetch(passport.baseUrl + real, {
        method, headers: { authorization: `Bearer ${managers}`, ...(method !== 'GET' && { 'content-type': 'application/json' }) }, ...(method !== 'GET' && { body: '{}' }),
      });
      if (!(await response.text()).includes('closed to the token of a run')) opened.push(`${method} ${path}`);
      expect([method, path, response.status < 300 && method !== 'GET']).toEqual([method, path, false]);
    }
    expect(opened.filter((operation) => !operation.endsWith('/auth/token')).sort()).toEqual(OPEN);
  });

  it('finds what its starter has in the namespaces of the run, and nothing of another that the starter owns', async () => {
    expect((await house.inApp.get('/workspaces')).body._total).toBe(2);
    expect((await ask('GET', '/workspaces')).body).toMatchObject({ _total: 1, _list: [{ _id: places[0]?._id }] });
    expect([(await ask('GET', `/workspaces/${places[0]?._id}`)).status, (await ask('GET', `/workspaces/${places[1]?._id}`)).status]).toEqual([200, 404]);
    const secret = (name: string, namespace: string) => [{ _name: name, _userType: 'key', _description: '', _namespaces: [namespace], _value: 'v' }];
    const made = await Promise.all([0, 1].map((index) => house.owner.post(`/secrets?nsfilter=${at(index)}`, secret('mine', at(index)))));
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    const [here, there] = made.map(({ body }) => String((body._list ?? body)[0]._id));
    expect([(await ask('GET', `/secrets/${here}?nsfilter=${at(0)}`)).status, (await ask('GET', `/secrets/${there}?nsfilter=${at(1)}`)).status]).toEqual([200, 404]);
    expect((await ask('GET', `/secrets?nsfilter=${at(0)}&nsfilter=${at(1)}`)).body._total).toBe(1);
    expect([
      (await ask('POST', `/secrets?nsfilter=${at(0)}`, secret('new', at(0)))).status, (await ask('POST', `/secrets?nsfilter=${at(1)}`, secret('new', at(1)))).status,
      (await ask('DELETE', `/secrets/${there}?nsfilter=${at(1)}`)).status,
    ]).toEqual([201, 403, 404]);
    expect((await ask('GET', '/organizations')).body._total).toBe(0);
    expect((await ask('GET', `/organizations/${house.organization._id}`)).status).toBe(404);
  });

  it('is exchanged for nothing, and is not given without namespaces', async () => {
    for (const appId of ['console', house.app._id]) expect((await ask('POST', `/auth/token?appId=${appId}`)).status).toBe(403);
    const unbound = { userId: house.owner.id, scopes: ['read'], runId: newUuid(), namespaces: [] };
    await expect(passport.app.get(RunTokens, { strict: false }).issue(unbound)).rejects.toMatchObject({ code: 'invalid' });
  });

  it('learns of no work that its starter did with another token', async () => {
    const { location } = await house.owner.full('POST', `/permissionprofiles?nsfilter=${at(1)}`, [{ _name: 'P', _userType: 'x', _namespaces: [at(1)], _permissions: [] }]);
    const path = String(location).split(API)[1] as string;
    expect([(await house.owner.get(path)).status, (await ask('GET', path)).status]).toEqual([200, 404]);
  });
});
