import { randomUUID } from 'node:crypto';
import { eventually } from '@twinyard/testing';
import { DataSource } from 'typeorm';
import { ProvisionedUsers } from '../src/scim/provisioned-users.repository';
import { Passwords } from '../src/accounts/passwords';
import { type PassportApp, startPassport, startReplica } from './passport-app';
import { organizationScim, platformScim, type ScimClient } from './scim-client';
import { API, grant, manager, newPerson, newTenant, send, type Tenant } from './tenancy';
import { type Tokens, tokensOf } from './sign-in';

const PASSWORD = 'kettle-harbour-lantern';

describe('SCIM for many tenants', () => {
  let passport: PassportApp;
  let [house, shop] = [] as unknown as [Tenant, Tenant];
  let [ofHouse, ofShop, ofPlatform] = [] as unknown as [ScimClient, ScimClient, ScimClient];

  beforeAll(async () => {
    passport = await startPassport();
    [house, shop] = await Promise.all([newTenant(passport, 'House'), newTenant(passport, 'Shop')]);
    [ofHouse, ofShop, ofPlatform] = await Promise.all([organizationScim(passport, house.organization._id), organizationScim(passport, shop.organization._id), platformScim(passport)]);
  });
  afterAll(() => passport?.stop());

  const sql = <R = unknown>(statement: string, parameters: unknown[] = []) => passport.app.get(DataSource, { strict: false }).query<R[]>(statement, parameters);
  /** An instance that cannot know at the moment says 503: it lets nobody in, and is asked again. */
  const settled = (ask: () => Promise<Response>) => eventually(async () => {
    const response = await ask();
    if (response.status === 503) throw new Error(await response.text());
    return response;
  });
  const me = async (token: string, url = passport.baseUrl) => (await settled(() => fetch(`${url}${API}/users/me`, { headers: { authorization: `Bearer ${token}` } }))).status;

  /** Somebody whom the provider has made and who has a password by now. */
  async function withPassword(scim: ScimClient): Promise<{ readonly id: string; readonly userName: string; readonly signIn: () => Promise<Tokens> }> {
    const user = await scim.newUser();
    await sql('UPDATE app_user SET password_hash = $2 WHERE id = $1', [user.id, await passport.app.get(Passwords, { strict: false }).hash(PASSWORD)]);
    return { ...user, signIn: () => tokensOf(passport.baseUrl, { email: user.userName, password: PASSWORD }) };
  }

  it('shows a client of an organization the users that its clients have made, and nobody else', async () => {
    const [ours, theirs] = [await ofHouse.newUser(), await ofShop.newUser()];
    const second = await organizationScim(passport, house.organization._id);
    for (const client of [ofHouse, second]) {
      expect((await client.get(`/Users/${ours.id}`)).status).toBe(200);
      const { Resources, totalResults } = (await client.get('/Users?count=1000')).body as { Resources: { id: string }[]; totalResults: number };
      expect(Resources.map(({ id }) => id)).toContain(ours.id);
      expect(totalResults).toBe(Resources.length);
      for (const id of [theirs.id, shop.owner.id, house.owner.id]) {
        expect(Resources.map((user) => user.id)).not.toContain(id);
        for (const filter of [`id eq "${id}"`, `userName pr and id eq "${id}"`, `id eq "${id}" or id eq "${id}"`, `not (id ne "${id}")`, `id eq "${id}") or (id pr`]) {
          expect([0, undefined]).toContain((await client.find(filter)).body.totalResults);
        }
        const answers = [client.get(`/Users/${id}`), client.put(`/Users/${id}`, { userName: 'x' }), client.patch(id, [{ op: 'replace', path: 'active', value: false }]), client.delete(`/Users/${id}`)];
        expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([404, 404, 404, 404]);
      }
    }
    expect((await ofShop.get(`/Users/${theirs.id}`)).body).toEqual(theirs);
  });

  it('tells of a name or an address that somebody elsewhere has no more than that it is taken', async () => {
    const theirs = await ofShop.newUser();
    const own = await ofHouse.newUser();
    const answers = [
      await ofHouse.post('/Users', { userName: own.userName }), await ofHouse.post('/Users', { userName: theirs.userName }), await ofHouse.post('/Users', { userName: shop.owner.email }),
      await ofHouse.post('/Users', { userName: randomUUID(), emails: [{ value: shop.owner.email.toUpperCase() }] }), await ofHouse.patch(own.id, [{ op: 'replace', path: 'userName', value: theirs.userName }]),
    ];
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    const signUp = await send(passport, 'POST', '/accounts', undefined, { _email: theirs.userName, _password: PASSWORD, _firstname: 'A', _lastname: 'B' });
    expect(signUp.status).not.toBe(201);
  });

  it('shows a client of no organization everybody, as SCIM would have made them', async () => {
    const person = await newPerson(passport, 'Signedup');
    const shown = await ofPlatform.get(`/Users/${person.id}`);
    expect(shown).toMatchObject({ status: 200, body: { userName: person.email, active: true, name: { givenName: 'Signedup', familyName: 'Tester' }, emails: [{ value: person.email, type: 'work', primary: true }] } });
    for (const filter of [`userName eq "${person.email}"`, `emails.value eq "${person.email.toUpperCase()}"`, `emails[type eq "work" and value sw "signedup"] and id eq "${person.id}"`]) {
      expect((await ofPlatform.find(filter)).body).toMatchObject({ totalResults: 1, Resources: [{ id: person.id }] });
    }
    expect((await ofPlatform.patch(person.id, [{ op: 'add', path: 'title', value: 'Dr.' }])).body).toMatchObject({ ...shown.body, title: 'Dr.', meta: expect.anything() });
    expect((await sql(`SELECT 1 FROM app_user WHERE id = $1 AND password_hash IS NOT NULL AND email_verified = false`, [person.id]))).toHaveLength(1);
    const [ours, theirs] = [await ofHouse.newUser(), await ofShop.newUser()];
    for (const { id } of [ours, theirs]) expect((await ofPlatform.patch(id, [{ op: 'add', path: 'title', value: 'Dr.' }])).status).toBe(200);
    expect((await ofHouse.get(`/Users/${ours.id}`)).body.title).toBe('Dr.');
  });

  it('changes no platform manager, and hides one from the organization that made the account', async () => {
    const user = await ofHouse.newUser();
    await sql('UPDATE app_user SET platform_manager = true WHERE id = $1', [user.id]);
    const operations = [{ op: 'replace', path: 'emails[type eq "work"].value', value: `thief.${randomUUID()}@example.com` }];
    for (const answer of [ofHouse.get(`/Users/${user.id}`), ofHouse.patch(user.id, operations), ofHouse.put(`/Users/${user.id}`, { userName: user.userName, active: false }), ofHouse.delete(`/Users/${user.id}`)]) {
      expect((await answer).status).toBe(404);
    }
    expect((await ofPlatform.get(`/Users/${user.id}`)).status).toBe(200);
    for (const answer of [ofPlatform.patch(user.id, operations), ofPlatform.put(`/Users/${user.id}`, { userName: user.userName, active: false }), ofPlatform.delete(`/Users/${user.id}`)]) {
      expect((await answer).status).toBe(403);
    }
  });

  it('puts a user who is made inactive out at once, on every replica, and lets nothing of before in again', async () => {
    const replica = await startReplica(passport);
    try {
      const user = await withPassword(ofHouse);
      const { access_token: token } = await user.signIn();
      const key = (await (await fetch(`${passport.baseUrl}${API}/users/me/accesskeys`, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: '{"_name":"k"}' })).json()) as { _id: string; _secret: string };
      const byKey = () => settled(() => fetch(`${passport.baseUrl}${API}/auth/token?appId=${house.app._id}`, { method: 'POST', headers: { authorization: `Basic ${Buffer.from(`${key._id}:${key._secret}`).toString('base64')}` } }));
      const { access_token: tokenOfKey } = (await (await byKey()).json()) as Tokens;
      expect(await Promise.all([me(token), me(token, replica.url), me(tokenOfKey)])).toEqual([200, 200, 200]);

      expect((await ofHouse.patch(user.id, [{ op: 'Replace', path: 'active', value: 'False' }])).status).toBe(200);
      expect(await Promise.all([me(token), me(token, replica.url), me(tokenOfKey)])).toEqual([401, 401, 401]);
      expect((await user.signIn()).access_token).toBeUndefined();
      expect((await byKey()).status).toBe(401);

      expect((await ofHouse.patch(user.id, [{ op: 'Replace', path: 'active', value: 'True' }])).status).toBe(200);
      expect(await Promise.all([me(token), me(token, replica.url), me(tokenOfKey)])).toEqual([401, 401, 401]);
      expect((await byKey()).status).toBe(401);
      expect(await me((await user.signIn()).access_token)).toBe(200);
    } finally {
      await replica.stop();
    }
  });

  it.each<[string, (scim: ScimClient, id: string, userName: string) => Promise<{ status: number }>]>([
    ['a PUT', (scim, id, userName) => scim.put(`/Users/${id}`, { userName, active: false })],
    ['removing the attribute', (scim, id) => scim.patch(id, [{ op: 'remove', path: 'active' }])],
    ['a DELETE', (scim, id) => scim.delete(`/Users/${id}`)],
  ])('puts a user out by %s too', async (_, change) => {
    const user = await withPassword(ofHouse);
    const { access_token: token } = await user.signIn();
    expect(await me(token)).toBe(200);
    expect((await change(ofHouse, user.id, user.userName)).status).toBeLessThan(300);
    expect(await me(token)).toBe(401);
    expect((await user.signIn()).access_token).toBeUndefined();
  });

  it('deletes a user with its memberships and grants, keeps what it has made, and tells of it all by events', async () => {
    const user = await withPassword(ofHouse);
    const group = (await house.inApp.post('/usergroups', [{ _name: `Staff ${randomUUID()}` }])).body._list[0] as { _id: string };
    expect((await house.inApp.post(`/usergroups/${group._id}/users`, [user.id])).status).toBe(200);
    const namespace = house.app._namespaces[0] as string;
    await grant(house.owner, { _type: 'user', _id: user.id }, namespace, 'passportsvc:usergroup:*', ['CREATE', 'READ']);
    const { access_token: token } = await user.signIn();
    const inApp = ((await (await fetch(`${passport.baseUrl}${API}/auth/token?appId=${house.app._id}`, { method: 'POST', headers: { authorization: `Bearer ${token}` } })).json()) as Tokens).access_token;
    const made = (await send(passport, 'POST', '/usergroups', inApp, [{ _name: 'Made' }])).body._list[0] as { _id: string; _metadata: { _createdById: string } };
    expect(made._metadata._createdById).toBe(user.id);

    expect((await ofHouse.patch(user.id, [{ op: 'replace', value: { 'name.givenName': 'Ada' } }])).status).toBe(200);
    expect((await ofHouse.delete(`/Users/${user.id}`)).status).toBe(204);
    expect(await sql('SELECT 1 FROM usergroup_member WHERE user_id = $1 UNION SELECT 1 FROM permission WHERE principal_id = $1::text UNION SELECT 1 FROM scim_user WHERE user_id = $1', [user.id])).toEqual([]);
    expect((await house.inApp.get(`/usergroups/${made._id}`)).body._metadata._createdById).toBe(user.id);
    await eventually(async () => {
      const rows = await sql<{ name: string }>(
        `SELECT concat_ws(' ', event #>> '{data,event}', event #>> '{data,resource,type}', event #>> '{data,resource,_status}') AS name FROM event_log
         WHERE event::text LIKE $1 AND topic IN ('passportsvc.user', 'passportsvc.usergroup') ORDER BY position`, [`%${user.id}%`],
      );
      expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining([
        'resource.ResourceCreated passportsvc.User ACTIVE', 'resource.ResourceUpdated passportsvc.User ACTIVE', 'resource.ResourceDeleted passportsvc.User ACTIVE', 'resource.ResourceDeleted passportsvc.UserGroupMember',
      ]));
    });

    const again = await ofHouse.post('/Users', { userName: user.userName });
    expect(again).toMatchObject({ status: 201, body: { id: expect.not.stringMatching(user.id) } });
  });

  it('gives an account another address, and ends what was mailed to the one before', async () => {
    const { id } = await ofHouse.newUser();
    await sql(`INSERT INTO password_reset (token_hash, user_id, expires_at) VALUES ('hash of a mailed link', $1, now() + interval '1 hour')`, [id]);
    const links = () => sql('SELECT 1 FROM password_reset WHERE user_id = $1', [id]);
    await ofHouse.patch(id, [{ op: 'replace', path: 'name.givenName', value: 'Renamed' }]);
    expect(await links()).toHaveLength(1);
    expect((await ofHouse.patch(id, [{ op: 'replace', path: 'emails[type eq "work"].value', value: `new.${id}@example.com` }])).status).toBe(200);
    expect(await links()).toEqual([]);
  });

  it('tells the owners of the organization in their audit log what its provider did, and nobody else', async () => {
    const { id } = await ofHouse.newUser();
    await ofHouse.patch(id, [{ op: 'replace', path: 'active', value: false }]);
    await ofHouse.patch(id, [{ op: 'replace', path: 'emails[type eq "work"].value', value: `other.${id}@example.com` }]);
    await ofHouse.delete(`/Users/${id}`);
    const told = async ({ owner, organization }: Tenant) => (await owner.get(`/audit?_namespace=${organization._namespaces[0]}&_irn=passportsvc:user:${id}&_pageSize=100`)).body._list as { _action: string }[];
    await eventually(async () => expect((await told(house)).map(({ _action }) => _action).sort()).toEqual(['CHANGE_EMAIL', 'CREATE', 'DELETE', 'UPDATE', 'UPDATE']));
    expect(await told(shop)).toEqual([]);
  });

  it('deletes no owner of an organization or an application, which would be nobody\'s; it can be made inactive', async () => {
    for (const id of [house.owner.id, (await newTenant(passport, 'Shed')).owner.id]) {
      expect((await ofPlatform.delete(`/Users/${id}`)).status).toBe(403);
      expect((await ofPlatform.get(`/Users/${id}`)).body.active).toBe(true);
    }
    const user = await ofHouse.newUser();
    await sql('UPDATE app SET owner_id = $1 WHERE id = $2', [user.id, (await house.owner.post('/apps', { _name: `Hut ${randomUUID()}`, _orgId: house.organization._id })).body._id]);
    expect(await ofHouse.delete(`/Users/${user.id}`)).toMatchObject({ status: 403, body: { status: '403', detail: expect.stringContaining('owns') } });
    expect((await ofHouse.patch(user.id, [{ op: 'replace', path: 'active', value: false }])).status).toBe(200);
  });

  it('lists a provisioned user among those of its organization, and knows whose it is', async () => {
    const [ours, theirs] = [await ofHouse.newUser({ name: { givenName: 'Provisioned' } }), await ofShop.newUser()];
    const { body } = await house.owner.get(`/organizations/${house.organization._id}/users?_pageSize=1000`);
    const ids = (body._list as { _id: string }[]).map(({ _id }) => _id);
    expect(ids).toContain(ours.id);
    expect(ids).not.toContain(theirs.id);
    expect(body._total).toBe(ids.length);
    const provisioned = passport.app.get(ProvisionedUsers, { strict: false });
    expect(await Promise.all([[ours.id, house], [ours.id, shop], [theirs.id, house], [house.owner.id, house]].map(([id, tenant]) => provisioned.isProvisionedBy(id as string, (tenant as Tenant).organization._id)))).toEqual([true, false, false, false]);
  });

  it('gives a user whose provider knows no address one that no mail reaches, and lets nobody prove an address for somebody', async () => {
    const nobody = await ofHouse.newUser({ userName: `plain.${randomUUID()}` });
    const somebody = await ofHouse.newUser({ emails: [{ value: `home.${randomUUID()}@example.com`, type: 'home' }, { value: `Work.${randomUUID()}@Example.com`, type: 'Work' }] });
    const rows = await sql<{ id: string; email: string; email_verified: boolean }>('SELECT id, email, email_verified FROM app_user WHERE id = ANY($1)', [[nobody.id, somebody.id]]);
    const accountOf = (id: string) => rows.find((row) => row.id === id);
    expect(accountOf(nobody.id)).toEqual({ id: nobody.id, email: `${nobody.id}@users.invalid`, email_verified: false });
    expect(accountOf(somebody.id)).toEqual({ id: somebody.id, email: expect.stringMatching(/^work\..*@example\.com$/), email_verified: false });
    expect(nobody).not.toHaveProperty('emails');
    await sql('UPDATE app_user SET email_verified = true WHERE id = $1', [somebody.id]);
    await ofHouse.patch(somebody.id, [{ op: 'add', path: 'title', value: 'T' }]);
    expect(await sql('SELECT email_verified FROM app_user WHERE id = $1', [somebody.id])).toEqual([{ email_verified: true }]);
    await ofHouse.patch(somebody.id, [{ op: 'replace', path: 'emails[type eq "work"].value', value: `other.${randomUUID()}@example.com` }]);
    expect(await sql('SELECT email_verified FROM app_user WHERE id = $1', [somebody.id])).toEqual([{ email_verified: false }]);
  });

  it('serves no client that is gone', async () => {
    const client = await organizationScim(passport, shop.organization._id);
    expect((await client.get('/Users')).status).toBe(200);
    const platform = await manager(passport);
    const mine = (await platform.get('/clients?_pageSize=1000')).body._list as { client_id: string; _metadata: { _createdAt: number } }[];
    const newest = mine.reduce((last, one) => (one._metadata._createdAt > last._metadata._createdAt ? one : last));
    expect((await platform.delete(`/clients/${newest.client_id}`)).status).toBe(204);
    expect((await client.get('/Users')).status).toBe(401);
  });
});
