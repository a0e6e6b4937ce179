import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiDocument, eventually, freePort, itBoundsLists } from '@twinyard/testing';
import { type PassportApp, startPassport } from './passport-app';
import { organizationScim, type ScimClient } from './scim-client';
import { type Answer, API, type Caller, confirmAddress, grant, manager, newPerson, newTenant, type Tenant } from './tenancy';

/** Some records of any list, and not eight. */
const MOST = 2_000;
const NAMES = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight'];
const WEB = 'https://viewer.example.com';

describe('lists that weigh more than an answer may', () => {
  let passport: PassportApp;
  let house: Tenant;
  let admin: Caller;
  let scim: ScimClient;
  let namespace: string;
  let groups = 0;

  beforeAll(async () => {
    passport = await startPassport({ ANSWER_MAX_BYTES: MOST, UPSTREAM_ALLOW_PRIVATE: true });
    house = await newTenant(passport, 'House');
    namespace = String(house.app._namespaces[0]);
    admin = await manager(passport);
    scim = await organizationScim(passport, house.organization._id);
    await house.owner.put(`/apps/${house.app._id}`, { _redirectUris: `${WEB}/callback`, _authorizedOrigins: '' });
  });
  afterAll(() => passport?.stop());

  const right = async (pending: Promise<Answer>): Promise<Answer> => {
    const { status, body } = await pending;
    if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
    return { status, body };
  };
  const group = async (fields: object = {}) => (await right(house.inApp.post('/usergroups', [{ _name: `Planners ${(groups += 1)}`, ...fields }]))).body._list[0] as { _id: string };
  const inviteOf = (name: string) => ({ _email: `${name.toLowerCase()}@example.com`, _params: { base_url: WEB } });
  const grantSome = async (_type: string, _id: string) => {
    for (const name of NAMES) await grant(house.owner, { _type, _id }, namespace, `filesvc:file:${name}`, ['READ']);
  };
  const make = async (by: Caller, path: string, of: (name: string) => object) => {
    for (const name of NAMES) await right(by.post(path, of(name)));
  };
  /** Where it is not the owner in the console. */
  const askedBy: Record<string, Caller> = {};

  const ask = async (path: string, offset: number, size: number): Promise<Answer> => {
    if (path.startsWith('/scim')) return scim.get(`${path.slice('/scim'.length)}?startIndex=${offset + 1}&count=${size}`);
    return (askedBy[path] ?? house.owner).get(`${path}${path.includes('?') ? '&' : '?'}_offset=${offset}&_pageSize=${size}`);
  };

  const keys = 'those of a configuration, which the code names';
  const lists: Readonly<Record<string, (() => Promise<string>) | string>> = {
    '/apps/configs': keys,
    '/organizations/configs': keys,
    '/audit': async () => {
      const [workspace] = (await right(house.inApp.post('/workspaces', [{ _name: 'Zero' }]))).body._list as [{ readonly _id: string; readonly _namespaces: readonly string[] }];
      for (const _name of NAMES) await right(house.inApp.put(`/workspaces/${workspace._id}`, { _name: `Zero ${_name}` }));
      const path = `/audit?_namespace=${workspace._namespaces[0]}&_irn=passportsvc:workspace:${workspace._id}`;
      askedBy[path] = house.inApp;
      await eventually(async () => expect((await house.inApp.get(`${path}&_pageSize=0`)).body._total).toBe(NAMES.length + 1));
      return path;
    },
    '/apps': async () => {
      await make(house.owner, '/apps', (_name) => ({ _name, _orgId: house.organization._id }));
      return '/apps';
    },
    '/clients': async () => {
      await make(admin, '/clients', (_name) => ({ _name, _scopes: ['read'] }));
      askedBy['/clients'] = admin;
      return '/clients';
    },
    '/invites': async () => {
      const guest = await newPerson(passport, 'Guest');
      await confirmAddress(passport, guest.email);
      for (let invited = 0; invited < NAMES.length; invited += 1) await right(house.inApp.post(`/usergroups/${(await group())._id}/invites`, [{ _email: guest.email, _params: { base_url: WEB } }]));
      askedBy['/invites'] = guest;
      return '/invites';
    },
    '/notification_templates': async () => {
      const template = { _name: 'USER_GROUP_INVITE', _title: 'Invitation', _message: 'Follow ${invite_link} '.repeat(10), _format: 'text/plain' };
      await right(house.inApp.post('/notification_templates', ['de', 'fr', 'it'].map((_locale) => ({ ...template, _locale }))));
      askedBy['/notification_templates'] = house.inApp;
      return '/notification_templates';
    },
    '/organizations': async () => {
      await make(admin, '/organizations', (_name) => ({ _name, _orgOwner: house.owner.email }));
      askedBy['/organizations'] = admin;
      return '/organizations';
    },
    '/organizations/{id}/identityproviders': async () => {
      const path = `/organizations/${house.organization._id}/identityproviders`;
      const nowhere = `http://127.0.0.1:${await freePort()}`;
      await make(house.owner, path, (_name) => ({ _name, _issuer: nowhere, _clientId: 'twinyard', _clientSecret: 'a secret of theirs' }));
      return path;
    },
    '/organizations/{id}/users': async () => {
      const { _id } = await group();
      const people = await Promise.all(NAMES.map((name) => newPerson(passport, name)));
      await right(house.inApp.post(`/usergroups/${_id}/users`, people.map(({ id }) => id)));
      return `/organizations/${house.organization._id}/users`;
    },
    '/permissionprofiles': async () => {
      // The permissions weigh, the profiles hardly do.
      const _permissions = Array.from({ length: 40 }, (_, n) => ({ _actions: ['READ'], _namespace: namespace, _resourceDesc: { _irn: `filesvc:file:file${n}` } }));
      const path = `/permissionprofiles?nsfilter=${namespace}`;
      await right(house.owner.post(path, NAMES.map((_name) => ({ _name, _userType: 'import', _namespaces: [namespace], _permissions }))));
      await eventually(async () => expect((await house.owner.get(`${path}&_pageSize=0`)).body._total).toBe(NAMES.length));
      return path;
    },
    '/permissions': async () => {
      const { id } = await newPerson(passport, 'Ann');
      await grantSome('user', id);
      return `/permissions?_user._id=${id}`;
    },
    '/scim/Users': async () => {
      for (const displayName of NAMES) await scim.newUser({ displayName });
      return '/scim/Users';
    },
    '/secrets': async () => {
      const path = `/secrets?nsfilter=${namespace}`;
      await right(house.owner.post(path, NAMES.map((_name) => ({ _name, _value: `value of ${_name}`, _namespaces: [namespace] }))));
      return path;
    },
    '/usergroups': async () => {
      await make(house.inApp, '/usergroups', (name) => [{ _name: `Crew ${name}` }]);
      askedBy['/usergroups'] = house.inApp;
      return '/usergroups';
    },
    '/usergroups/{id}/invites': async () => {
      // Each tells of its group, with all attributes.
      const path = `/usergroups/${(await group({ _userAttributes: { text: 'x'.repeat(5_000) } }))._id}/invites`;
      for (const name of NAMES) await right(house.inApp.post(path, [inviteOf(name)]));
      askedBy[path] = house.inApp;
      return path;
    },
    '/usergroups/{id}/permissions': async () => {
      const { _id } = await group();
      await grantSome('usergroup', _id);
      const path = `/usergroups/${_id}/permissions`;
      askedBy[path] = house.inApp;
      return path;
    },
    '/usergroups/{id}/users': async () => {
      const { _id } = await group();
      const people = await Promise.all(NAMES.map((name) => newPerson(passport, name)));
      const path = `/usergroups/${_id}/users`;
      await right(house.inApp.post(path, people.map(({ id }) => id)));
      askedBy[path] = house.inApp;
      return path;
    },
    '/users/me/accesskeys': async () => {
      await make(house.owner, '/users/me/accesskeys', (_name) => ({ _name }));
      return '/users/me/accesskeys';
    },
    '/workspaces': async () => {
      await make(house.inApp, '/workspaces', (name) => [{ _name: `Site ${name}` }]);
      askedBy['/workspaces'] = house.inApp;
      return '/workspaces';
    },
  };

  itBoundsLists({
    document: JSON.parse(readFileSync(join(__dirname, '../openapi.json'), 'utf8')) as ApiDocument,
    most: MOST,
    ask: async (path, { offset, size }) => {
      const { status, body } = await ask(path, offset, size);
      return { status, body: body as unknown, text: JSON.stringify(body) };
    },
    lists: Object.fromEntries(Object.entries(lists).map(([path, records]) => [`GET ${API}${path}`, records])),
  });

  it('invite nobody where the answer would tell of the group more often than it may', async () => {
    const path = `/usergroups/${(await group({ _userAttributes: { text: 'x'.repeat(MOST / 4) } }))._id}/invites`;
    const refused = await house.inApp.post(path, NAMES.map(inviteOf));
    expect([refused.status, refused.body]).toEqual([400, expect.objectContaining({ code: 'limit_exceeded', message: expect.stringMatching(/^At most [1-3] people /) })]);
    expect((await house.inApp.get(path)).body._total).toBe(0);
    await right(house.inApp.post(path, NAMES.slice(0, 1).map(inviteOf)));
  });
});
