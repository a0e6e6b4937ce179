import { randomUUID } from 'node:crypto';
import { type PassportApp, startPassport } from './passport-app';
import { ENTERPRISE, organizationScim, type ScimClient, USER } from './scim-client';
import { newTenant } from './tenancy';

/** What three providers really send, as their documentation, their logs and their source show it. */
describe('provisioning', () => {
  let passport: PassportApp;
  let scim: ScimClient;

  beforeAll(async () => {
    passport = await startPassport();
    scim = await organizationScim(passport, (await newTenant(passport, 'Providers')).organization._id);
  });
  afterAll(() => passport.stop());

  it('by Entra ID: connection test, create, match, update, disable, delete', async () => {
    expect(await scim.find(`userName eq "${randomUUID()}"`)).toMatchObject({ status: 200, body: { totalResults: 0, Resources: [] } });

    const upn = `Test_User_${randomUUID()}@testuser.com`;
    const made = await scim.post('/Users', {
      schemas: [USER, ENTERPRISE], externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef', userName: upn, active: true, displayName: 'lennay', emails: [{ primary: true, type: 'work', value: upn }],
      meta: { resourceType: 'User' }, name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' }, roles: [], addresses: [{ type: 'work', formatted: '' }],
      [ENTERPRISE]: { department: 'bob', manager: null },
    });
    expect(made).toMatchObject({ status: 201, body: { userName: upn, [ENTERPRISE]: { department: 'bob' } } });
    const { id } = made.body as { id: string };
    expect((await scim.find(`userName eq "${upn.toLowerCase()}"`)).body).toMatchObject({ totalResults: 1, Resources: [{ id }] });
    expect((await scim.find('externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"', '&attributes=id')).body.Resources).toEqual([{ schemas: [USER, ENTERPRISE], id }]);
    expect((await scim.find(`id eq "${id}" and manager eq "x"`)).status).toBe(400);
    expect((await scim.find(`id eq "${id}" and ${ENTERPRISE}:manager eq "x"`)).body).toMatchObject({ totalResults: 0 });

    const updated = await scim.patch(id, [
      { op: 'Replace', path: 'emails[type eq "work"].value', value: `new.${upn}` }, { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+41 44 555 55 55' }, { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'Zürich' },
      { op: 'Add', path: `${ENTERPRISE}:manager`, value: '5d48a0a8-e9b8-4e3c-8a92-3d0a8b5d3c11' }, { op: 'Replace', path: `${ENTERPRISE}:department`, value: [{ value: 'alice' }] },
      { op: 'Add', path: 'roles', value: [{ display: 'Admin', value: '500', type: 'WindowsAzureActiveDirectoryRole', primary: 'True' }] }, { op: 'Remove', path: 'displayName' },
    ]);
    expect(updated).toMatchObject({
      status: 200,
      body: {
        emails: [{ type: 'work', primary: true, value: `new.${upn}` }], name: { givenName: 'givenName', familyName: 'updatedFamilyName' }, phoneNumbers: [{ type: 'mobile', value: '+41 44 555 55 55' }],
        addresses: [{ type: 'work', locality: 'Zürich' }], roles: [{ value: '500', primary: true }], [ENTERPRISE]: { department: 'alice', manager: { value: '5d48a0a8-e9b8-4e3c-8a92-3d0a8b5d3c11' } },
      },
    });
    expect(updated.body).not.toHaveProperty('displayName');

    for (const [value, active] of [['False', false], ['True', true], [false, false], [['False'], false]] as const) {
      expect(await scim.patch(id, [{ op: 'Replace', path: 'active', value }])).toMatchObject({ status: 200, body: { active } });
    }
    expect((await scim.delete(`/Users/${id}`)).status).toBe(204);
    expect((await scim.find(`userName eq "${upn}"`)).body).toMatchObject({ totalResults: 0, Resources: [] });
  });

  it('by Entra ID for a user who has no e-mail address yet, and with paths as the names of a pathless operation', async () => {
    const { id } = await scim.newUser();
    const address = `${randomUUID()}@example.com`;
    expect((await scim.patch(id, [{ op: 'Replace', path: 'emails[type eq "work"].value', value: address }])).body.emails).toEqual([{ type: 'work', value: address }]);
    const second = await scim.patch(id, [{
      op: 'Add', value: { 'name.givenName': 'Ada', 'emails[type eq "home"].value': `home.${address}`, [`${ENTERPRISE}:employeeNumber`]: '7', [ENTERPRISE]: { costCenter: '1' }, externalId: 'x', unknown: { a: 1 } },
    }]);
    expect(second).toMatchObject({ status: 200, body: { externalId: 'x', name: { givenName: 'Ada' }, emails: [{ type: 'work' }, { type: 'home', value: `home.${address}` }], [ENTERPRISE]: { employeeNumber: '7', costCenter: '1' } } });
    const again = await scim.patch(id, [{ op: 'Replace', path: 'emails[type eq "work"].value', value: address }]);
    expect(again).toMatchObject({ status: 200, body: { meta: second.body.meta } });
  });

  it('by Okta: import, match, create, a second create, whole replacement, deactivation without a path, reactivation', async () => {
    expect((await scim.get('/Users?startIndex=1&count=2')).body).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'], startIndex: 1, itemsPerPage: expect.any(Number), Resources: expect.any(Array) });
    const userName = `test.user.${randomUUID()}@okta.local`;
    const filter = `userName eq "${userName}"`;
    expect((await scim.find(filter, '&startIndex=1&count=100')).body).toMatchObject({ totalResults: 0, itemsPerPage: 0, Resources: [] });

    const user = {
      schemas: [USER], userName, name: { givenName: 'Test', familyName: 'User' }, emails: [{ primary: true, value: userName, type: 'work' }], displayName: 'Test User', locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7', groups: [], password: '1mz050nq', active: true,
    };
    const made = await scim.post('/Users', user);
    expect(made).toMatchObject({ status: 201, body: { displayName: 'Test User', locale: 'en-US', active: true } });
    expect(made.body).not.toHaveProperty('password');
    expect(await scim.post('/Users', user)).toMatchObject({ status: 409, body: { scimType: 'uniqueness', status: '409' } });
    const { id } = made.body as { id: string };
    expect((await scim.find(filter, '&startIndex=1&count=100')).body).toMatchObject({ totalResults: 1, Resources: [{ id, userName }] });

    const replaced = await scim.put(`/Users/${id}`, { ...made.body, name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' }, meta: { resourceType: 'User' }, externalId: undefined });
    expect(replaced).toMatchObject({ status: 200, body: { id, name: { givenName: 'Another', middleName: 'Excited' } } });
    expect(replaced.body).not.toHaveProperty('externalId');
    expect(await scim.patch(id, [{ op: 'replace', value: { active: false } }])).toMatchObject({ status: 200, body: { active: false, displayName: 'Test User' } });
    const { active: _active, ...without } = replaced.body as Record<string, unknown>;
    expect((await scim.put(`/Users/${id}`, without)).body.active).toBe(false);
    expect(await scim.put(`/Users/${id}`, { ...without, active: true })).toMatchObject({ status: 200, body: { active: true } });
  });

  it.each([['with', { schemas: [USER] }], ['without, as its older versions', {}]])('by authentik, %s schemas: configuration, create, hourly replacement, deactivation, a name that is taken, deletion', async (_name, schemas) => {
    expect((await scim.get('/ServiceProviderConfig')).body).toMatchObject({ patch: { supported: true }, filter: { supported: true }, bulk: { supported: false }, changePassword: { supported: false }, sort: { supported: true }, authenticationSchemes: [expect.any(Object)] });
    const userName = `ada-${randomUUID()}`;
    const email = `${userName}@acme.example`;
    const user = {
      ...schemas, userName, name: { formatted: 'Ada Lovelace', givenName: 'Ada', familyName: 'Lovelace' }, displayName: 'Ada Lovelace', active: true,
      photos: [{ value: 'https://auth.example/avatar.png', type: 'photo' }], emails: [{ value: email, type: 'other', primary: true }], externalId: '5f0c3a'.repeat(10),
    };
    const made = await scim.post('/Users', user);
    expect(made).toMatchObject({ status: 201, body: { userName, active: true, emails: [{ value: email, type: 'other', primary: true }], externalId: user.externalId } });
    const { id } = made.body as { id: string };
    const again = await scim.put(`/Users/${id}`, { ...user, id });
    expect(again).toMatchObject({ status: 200, body: { id, meta: { version: made.body.meta.version } } });
    expect(await scim.put(`/Users/${id}`, { ...user, id, photos: [], active: false })).toMatchObject({ status: 200, body: { active: false } });
    expect(await scim.post('/Users', user)).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } });
    expect(await scim.find(`userName eq ${userName}`)).toMatchObject({ status: 400, body: { scimType: 'invalidFilter' } });
    expect([(await scim.delete(`/Users/${id}`)).status, (await scim.post('/Groups', { displayName: 'Engineers' })).status]).toEqual([204, 404]);
  });
});
