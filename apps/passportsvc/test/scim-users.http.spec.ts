import { randomUUID } from 'node:crypto';
import { type PassportApp, startPassport } from './passport-app';
import { ENTERPRISE, organizationScim, platformScim, SCIM, type ScimAnswer, ScimClient, USER } from './scim-client';
import { newTenant } from './tenancy';
import { tokensOf } from './sign-in';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';
const refusal = (status: number, scimType?: string) => ({ status, body: { schemas: [ERROR], status: String(status), detail: expect.any(String), ...(scimType && { scimType }) } });
const idsIn = ({ body }: ScimAnswer) => (body as { Resources: { id: string }[] }).Resources.map(({ id }) => id);

describe('SCIM over HTTP', () => {
  let passport: PassportApp;
  let scim: ScimClient;

  beforeAll(async () => {
    passport = await startPassport();
    scim = await organizationScim(passport, (await newTenant(passport, 'Scim')).organization._id);
  });
  afterAll(() => passport.stop());

  it('makes, shows, replaces and deletes a user as the examples of RFC 7644 do', async () => {
    const made = await scim.post('/Users', {
      schemas: [USER], userName: 'bjensen', externalId: 'bjensen', name: { formatted: 'Ms. Barbara J Jensen III', familyName: 'Jensen', givenName: 'Barbara' },
    });
    expect(made).toMatchObject({ status: 201, body: { schemas: [USER], userName: 'bjensen', externalId: 'bjensen', active: true, meta: { resourceType: 'User' } } });
    const { id, meta } = made.body as { id: string; meta: Record<string, string> };
    expect(meta).toEqual({ resourceType: 'User', created: meta['lastModified'], lastModified: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), location: `${passport.baseUrl}${SCIM}/Users/${id}`, version: made.headers.get('etag') });
    expect(made.headers.get('location')).toBe(meta['location']);
    expect(made.headers.get('content-type')).toMatch(/^application\/scim\+json/);
    expect((await scim.get(`/Users/${id}`)).body).toEqual(made.body);

    const replaced = await scim.put(`/Users/${id}`, {
      schemas: [USER], id, userName: 'bjensen', externalId: 'bjensen', name: { formatted: 'Ms. Barbara J Jensen III', familyName: 'Jensen', givenName: 'Barbara', middleName: 'Jane' },
      roles: [], emails: [{ value: 'bjensen@example.com' }, { value: 'babs@jensen.org' }],
    });
    expect(replaced).toMatchObject({ status: 200, body: { id, name: { middleName: 'Jane' }, emails: [{ value: 'bjensen@example.com' }, { value: 'babs@jensen.org' }], meta: { created: meta['created'] } } });
    expect(replaced.body.meta.version).not.toBe(meta['version']);
    expect(replaced.body).not.toHaveProperty('roles');
    expect(await scim.delete(`/Users/${id}`)).toMatchObject({ status: 204, body: undefined });
    expect(await scim.get(`/Users/${id}`)).toMatchObject(refusal(404));
    expect(await scim.delete(`/Users/${id}`)).toMatchObject(refusal(404));
    expect(await scim.put(`/Users/${id}`, { userName: 'bjensen' })).toMatchObject(refusal(404));
    expect((await scim.post('/Users', { schemas: [USER], userName: 'bjensen' })).status).toBe(201);
  });

  it('keeps every attribute of its schemas as it was given, and leaves out what it does not know', async () => {
    const body = {
      userName: `all.${randomUUID()}`, externalId: '42', displayName: 'Babs', nickName: 'B', profileUrl: 'https://example.com/b', title: 'Guide', userType: 'Employee', preferredLanguage: 'en-US', locale: 'de-CH',
      timezone: 'America/Los_Angeles', active: false, name: { formatted: 'B J', familyName: 'J', givenName: 'B', middleName: 'M', honorificPrefix: 'Ms.', honorificSuffix: 'III' },
      emails: [{ value: `${randomUUID()}@Example.com`, type: 'work', primary: true, display: 'office' }], phoneNumbers: [{ value: '555-555-5555', type: 'work' }], ims: [{ value: 'x', type: 'aim' }],
      photos: [{ value: 'https://example.com/p.jpg', type: 'photo' }], addresses: [{ type: 'work', streetAddress: '100 Universal City Plaza', locality: 'Hollywood', region: 'CA', postalCode: '91608', country: 'US', formatted: 'a\nb', primary: true }],
      entitlements: [{ value: 'e' }], roles: [{ value: 'r', display: 'R', primary: false }],
      [ENTERPRISE]: { employeeNumber: '701984', costCenter: '4130', organization: 'Universal Studios', division: 'Theme Park', department: 'Tour', manager: { value: '26118915', $ref: '../Users/26118915', displayName: 'John' } },
    };
    const made = await scim.post('/Users', { ...body, schemas: [USER, ENTERPRISE], password: 't1meMa$heen', favouriteColour: 'green', id: 'mine', groups: [{ value: 'g' }], meta: { version: 'x' } });
    const { id, meta, ...kept } = made.body as Record<string, unknown>;
    expect({ id, meta }).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), meta: expect.objectContaining({ version: made.headers.get('etag') }) });
    expect(kept).toEqual({ ...body, schemas: [USER, ENTERPRISE] });
  });

  it('takes names in any letter case, JSON under either type, and values as providers wrap them', async () => {
    const userName = `case.${randomUUID()}@example.com`;
    const body = { USERNAME: [userName], Name: { GIVENNAME: 'G' }, ACTIVE: 'False', Emails: { value: userName, PRIMARY: 'True' }, [ENTERPRISE.toUpperCase()]: { Manager: 'm-1', department: { value: 'D' } } };
    expect(await scim.post('/Users', body, { 'content-type': 'application/json' })).toMatchObject({
      status: 201, body: { userName, name: { givenName: 'G' }, active: false, emails: [{ value: userName, primary: true }], [ENTERPRISE]: { manager: { value: 'm-1' }, department: 'D' } },
    });
  });

  it.each<[unknown, string]>([
    [{}, 'invalidValue'], [{ userName: '' }, 'invalidValue'], [{ userName: ' ' }, 'invalidValue'], [{ userName: 'x'.repeat(256) }, 'invalidValue'], [{ userName: { a: 1 } }, 'invalidValue'],
    [{ userName: 'x', active: 'perhaps' }, 'invalidValue'], [{ userName: 'x', emails: [{ value: 'not an address' }] }, 'invalidValue'], [{ userName: 'x', name: 'Babs' }, 'invalidValue'],
    [{ userName: 'x', emails: [{ value: 'a@example.com', primary: true }, { value: 'b@example.com', primary: true }] }, 'invalidValue'], [{ userName: 'x', title: 'x'.repeat(5_000) }, 'invalidValue'],
    [{ userName: 'x', roles: Array.from({ length: 101 }, (_, index) => ({ value: String(index) })) }, 'invalidValue'], [{ userName: ['a', 'b'] }, 'invalidValue'],
    ['[]', 'invalidSyntax'], ['{"userName":', 'invalidSyntax'], ['"text"', 'invalidSyntax'], ['', 'invalidSyntax'],
  ])('refuses %j', async (body, scimType) => {
    expect(await scim.post('/Users', body)).toMatchObject(refusal(400, scimType));
  });

  it('refuses values that are nested without an end', async () => {
    for (const nested of [`${'['.repeat(50_000)}${']'.repeat(50_000)}`, `${'{"value":'.repeat(50_000)}1${'}'.repeat(50_000)}`]) {
      for (const name of ['title', 'emails', 'roles']) expect(await scim.post('/Users', `{"userName":"x","${name}":${nested}}`)).toMatchObject(refusal(400, 'invalidSyntax'));
    }
  });

  it('answers in SCIM whatever goes wrong under its path', async () => {
    const stranger = (token: string) => new ScimClient(passport.baseUrl, token);
    const bare = await fetch(`${passport.baseUrl}${SCIM}/Users`);
    expect([bare.status, bare.headers.get('www-authenticate'), await bare.json()]).toEqual([401, 'Bearer', refusal(401).body]);
    expect(await stranger('a.b.c').get('/Users')).toMatchObject(refusal(401));
    expect(await stranger((await tokensOf(passport.baseUrl)).access_token).get('/Users')).toMatchObject(refusal(403));
    for (const path of ['/Users', '/Users/x', '/ServiceProviderConfig', '/Schemas', '/ResourceTypes/User']) expect(await (await platformScim(passport, 'read write')).get(path)).toMatchObject(refusal(403));
    for (const path of ['/Users/not-an-id', `/Users/${randomUUID()}`, '/Groups', '/Me', '/Users/x/y', '/Schemas/urn:x', '/ResourceTypes/Group', '']) expect(await scim.get(path)).toMatchObject(refusal(404));
    expect(await scim.send('POST', '/Users', 'a=b', { 'content-type': 'text/csv' })).toMatchObject(refusal(415));
    expect(await scim.post('/Users', `{"userName":"${'x'.repeat(18_000_000)}"}`)).toMatchObject(refusal(413));
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await scim.send(method, '/Schemas');
      expect({ ...answer, allow: answer.headers.get('allow') }).toMatchObject({ ...refusal(405), allow: 'GET' });
    }
  });

  it('describes itself', async () => {
    const config = await scim.get('/ServiceProviderConfig');
    expect(config).toMatchObject({ status: 200, body: { patch: { supported: true }, bulk: { supported: false }, filter: { supported: true, maxResults: 1_000 }, sort: { supported: true }, etag: { supported: true }, changePassword: { supported: false } } });
    const types = await scim.get('/ResourceTypes');
    expect(types).toMatchObject({ status: 200, body: { totalResults: 1, Resources: [{ id: 'User', endpoint: '/Users', schema: USER, schemaExtensions: [{ schema: ENTERPRISE, required: false }] }] } });
    expect((await scim.get('/ResourceTypes/User')).body).toEqual(types.body.Resources[0]);
    const schemas = await scim.get('/Schemas');
    expect(schemas.body).toMatchObject({ totalResults: 2, Resources: [{ id: USER }, { id: ENTERPRISE }] });
    expect((await scim.get(`/Schemas/${ENTERPRISE}`)).body).toEqual(schemas.body.Resources[1]);
    expect(schemas.body.Resources[0].attributes[0]).toEqual({
      name: 'userName', type: 'string', multiValued: false, required: true, caseExact: false, mutability: 'readWrite', returned: 'default', uniqueness: 'server', description: expect.any(String),
    });
    expect(await scim.get('/Schemas?filter=id%20pr')).toMatchObject(refusal(403));
  });

  it('has one user of a name and of an address, whatever the letter case, also when two come at once', async () => {
    const [userName, email] = [`Twice.${randomUUID()}`, `twice.${randomUUID()}@example.com`];
    const both = await Promise.all([1, 2].map(() => scim.post('/Users', { userName, emails: [{ value: email }] })));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(both.find(({ status }) => status === 409)).toMatchObject(refusal(409, 'uniqueness'));
    expect(await scim.post('/Users', { userName: userName.toUpperCase() })).toMatchObject(refusal(409, 'uniqueness'));
    expect(await scim.post('/Users', { userName: randomUUID(), emails: [{ value: email.toUpperCase() }] })).toMatchObject(refusal(409, 'uniqueness'));
    const other = await scim.newUser();
    expect(await scim.patch(other.id, [{ op: 'replace', path: 'userName', value: userName }])).toMatchObject(refusal(409, 'uniqueness'));
    expect(await scim.put(`/Users/${other.id}`, { userName: other.userName, emails: [{ value: email }] })).toMatchObject(refusal(409, 'uniqueness'));
    expect((await scim.get(`/Users/${other.id}`)).body).toEqual(other);
  });

  it('knows the letters of all scripts: JÜRGEN.x and Jürgen.x are one user', async () => {
    const end = randomUUID();
    const { body } = await scim.post('/Users', { userName: `Jürgen.Жук.${end}`, emails: [{ value: `jürgen.${end}@example.com` }] });
    expect(await scim.post('/Users', { userName: `JÜRGEN.ЖУК.${end}`, emails: [{ value: `other.${end}@example.com` }] })).toMatchObject(refusal(409, 'uniqueness'));
    expect(await scim.post('/Users', { userName: randomUUID(), emails: [{ value: `JÜRGEN.${end}@example.com` }] })).toMatchObject(refusal(409, 'uniqueness'));
    const found = await scim.get(`/Users?filter=${encodeURIComponent(`userName eq "JÜRGEN.ЖУК.${end}"`)}`);
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id: body.id }] });
  });

  it('guards changes by versions, and answers 304 to whoever knows the version', async () => {
    const { id, ...user } = await scim.newUser({ title: 'a' });
    const { version } = user.meta;
    expect((await scim.get(`/Users/${id}`, { 'if-none-match': version })).status).toBe(304);
    expect((await scim.get(`/Users/${id}`, { 'if-none-match': 'W/"other"' })).status).toBe(200);
    const same = await scim.patch(id, [{ op: 'replace', path: 'title', value: 'a' }], { 'if-match': version });
    expect(same).toMatchObject({ status: 200, body: { meta: user.meta } });
    const changed = await scim.patch(id, [{ op: 'replace', path: 'title', value: 'b' }], { 'if-match': version });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(version);
    for (const stale of [scim.patch(id, [{ op: 'remove', path: 'title' }], { 'if-match': version }), scim.put(`/Users/${id}`, { userName: 'x' }, { 'if-match': version }), scim.delete(`/Users/${id}`, { 'if-match': version })]) {
      expect(await stale).toMatchObject(refusal(412));
    }
    expect((await scim.get(`/Users/${id}`)).body).toEqual(changed.body);
    expect((await scim.delete(`/Users/${id}`, { 'if-match': `"x", ${changed.headers.get('etag')}` })).status).toBe(204);
  });

  it('changes a user by one change after the other, and by none when one of its operations fails', async () => {
    const { id, ...before } = await scim.newUser({ title: 'a' });
    expect(await scim.patch(id, [{ op: 'replace', path: 'title', value: 'b' }, { op: 'replace', path: 'emails[type eq "other"]', value: { display: 'x' } }])).toMatchObject(refusal(400, 'noTarget'));
    expect((await scim.get(`/Users/${id}`)).body).toEqual({ id, ...before });
    const roles = Array.from({ length: 8 }, (_, index) => ({ value: `r${index}` }));
    expect((await Promise.all(roles.map((role) => scim.patch(id, [{ op: 'add', path: 'roles', value: [role] }])))).map(({ status }) => status)).toEqual(roles.map(() => 200));
    expect((await scim.get(`/Users/${id}`)).body.roles).toHaveLength(8);
  });

  it('pages, counts, sorts and searches', async () => {
    const own = await organizationScim(passport, (await newTenant(passport, 'Pages')).organization._id);
    const made = [];
    for (const title of ['c', 'A', undefined, 'b']) made.push((await own.newUser(title === undefined ? {} : { title, emails: [{ value: `${title}.${randomUUID()}@example.com` }] })).id);
    const [c, a, none, b] = made as [string, string, string, string];
    expect((await own.get('/Users')).body).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'], totalResults: 4, startIndex: 1, itemsPerPage: 4 });
    expect(idsIn(await own.get('/Users'))).toEqual(made);
    expect((await own.get('/Users?startIndex=2&count=2')).body).toMatchObject({ totalResults: 4, startIndex: 2, itemsPerPage: 2, Resources: [{ id: a }, { id: none }] });
    expect((await own.get('/Users?count=0')).body).toMatchObject({ totalResults: 4, itemsPerPage: 0, Resources: [] });
    expect((await own.get('/Users?startIndex=-5&count=-1')).body).toMatchObject({ totalResults: 4, startIndex: 1, itemsPerPage: 0, Resources: [] });
    expect((await own.get('/Users?startIndex=99999999999&count=1000000')).body).toMatchObject({ totalResults: 4, itemsPerPage: 0, Resources: [] });
    expect(idsIn(await own.get('/Users?sortBy=title'))).toEqual([a, b, c, none]);
    expect(idsIn(await own.get('/Users?sortBy=TITLE&sortOrder=descending&startIndex=2&count=2'))).toEqual([c, b]);
    expect(idsIn(await own.get('/Users?sortBy=emails&filter=emails%20pr'))).toEqual([a, b, c]);
    expect(await own.get('/Users?sortBy=name')).toMatchObject(refusal(400, 'invalidPath'));
    expect(await own.get('/Users?count=many')).toMatchObject(refusal(400, 'invalidValue'));
    for (const path of ['/Users/.search', '/.search']) {
      const found = await own.post(path, { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], attributes: ['title'], filter: 'title sw "B"', startIndex: 1, count: 10 });
      expect(found).toMatchObject({ status: 200, body: { totalResults: 1 } });
      expect(found.body.Resources).toEqual([{ schemas: [USER], id: b, title: 'b' }]);
    }
  });

  it('shows the attributes that are asked for', async () => {
    const address = `${randomUUID()}@example.com`;
    const { id, userName } = await scim.newUser({ name: { givenName: 'G', familyName: 'F' }, emails: [{ value: address, type: 'work' }], [ENTERPRISE]: { department: 'D', division: 'V' } });
    const shown = async (parameters: string) => (await scim.get(`/Users/${id}?${parameters}`)).body as unknown;
    const schemas = [USER, ENTERPRISE];
    expect(await shown('attributes=userName')).toEqual({ schemas, id, userName });
    expect(await shown(`attributes=NAME.givenname,emails.value,${ENTERPRISE}:department`)).toEqual({ schemas, id, name: { givenName: 'G' }, emails: [{ value: address }], [ENTERPRISE]: { department: 'D' } });
    expect(await shown(`attributes=${USER}:userName,unknown`)).toEqual({ schemas, id, userName });
    expect(await shown(`excludedAttributes=id,meta,active,emails.type,name.familyName,${ENTERPRISE}`)).toEqual({ schemas, id, userName, name: { givenName: 'G' }, emails: [{ value: address }] });
    expect(await scim.get(`/Users/${id}?attributes=a&excludedAttributes=b`)).toMatchObject(refusal(400, 'invalidValue'));
    expect((await scim.send('PATCH', `/Users/${id}?attributes=title`, { Operations: [{ op: 'add', path: 'title', value: 'T' }] })).body).toEqual({ schemas, id, title: 'T' });
  });
});
