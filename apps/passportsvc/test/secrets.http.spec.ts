import { randomUUID } from 'node:crypto';
import { createDataSource } from '@twinyard/service-kit';
import { eventually } from '@twinyard/testing';
import type { DataSource } from 'typeorm';
import { RunSecrets } from '../src/secrets/run-secrets';
import { type PassportApp, startPassport } from './passport-app';
import { download, type DownloadClient, newClient } from './secret-downloads';
import { type Answer, type Caller, grant, newPerson, newTenant, send, type Tenant } from './tenancy';

const CIPHERTEXT = /^ty1\.[\w-]{16}\.[\w-]{22}\.[\w-]{38,}$/;

describe('secrets over HTTP', () => {
  let passport: PassportApp;
  let dataSource: DataSource;
  let house: Tenant;
  let other: Tenant;
  let ns: string;
  let second: string;
  let client: DownloadClient;

  beforeAll(async () => {
    passport = await startPassport();
    dataSource = await createDataSource({ url: passport.database.url, entities: [], migrations: [] }).initialize();
    [house, other, client] = await Promise.all([newTenant(passport, 'House'), newTenant(passport, 'Other'), newClient(passport)]);
    ns = String(house.app._namespaces[0]);
    second = String((await house.inApp.post('/workspaces', [{ _name: 'Second' }])).body._list[0]._namespaces[0]);
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await passport?.stop();
  });

  const draft = (_name: string, more: object = {}) => ({ _name, _value: `value of ${_name}`, _namespaces: [ns], ...more });
  const make = async (...drafts: object[]) => {
    const { status, body } = await house.owner.post(`/secrets?nsfilter=${ns}&nsfilter=${second}`, drafts);
    expect({ status, total: body._total }).toEqual({ status: 201, total: drafts.length });
    return body._list as { _id: string; _name: string; _value: string; _namespaces: string[]; _metadata: object }[];
  };
  const makeOne = async (one: Parameters<typeof make>[0]) => (await make(one))[0] as NonNullable<Awaited<ReturnType<typeof make>>[number]>;
  const at = (id: unknown, nsfilter = `${ns}&nsfilter=${second}`) => `/secrets/${String(id)}?nsfilter=${nsfilter}`;
  const told = async (name: string, nsfilter = ns) => (await client.download(name, nsfilter)).body._value as unknown;
  const fieldsOf = ({ body }: Answer) => (body.details as { field: string }[]).map(({ field }) => field);

  it('keeps secrets and shows ciphertext for their values, in every answer', async () => {
    const sent = [draft('database', { _description: 'of the reports', _userType: 'password' }), draft('token')];
    const made = await make(...sent);
    for (const [index, secret] of made.entries()) {
      expect(secret).toMatchObject({ ...sent[index], _value: expect.stringMatching(CIPHERTEXT), _irn: `passportsvc:secret:${secret._id}`, _metadata: { _createdById: house.owner.id } });
      expect((await house.owner.get(at(secret._id))).body).toEqual(secret);
    }
    expect(made[1]).toMatchObject({ _description: '' });
    const listed = async (query: string) => ((await house.owner.get(`/secrets?nsfilter=${ns}&${query}`)).body._list as { _name: string }[]).map(({ _name }) => _name);
    expect(await listed('_name=database&_name=token')).toEqual(['database', 'token']);
    expect(await listed('_userType=password')).toEqual(['database']);
    expect(await listed('query=REP*TS')).toEqual(['database']);
    expect(await listed(`_id=${made[1]?._id}`)).toEqual(['token']);
    expect(await listed('_name=no&_userType=password')).toEqual([]);
    expect((await house.owner.get(`/secrets?nsfilter=${ns}&page=${encodeURIComponent('{"_pageSize":0}')}`)).body).toMatchObject({ _list: [], _total: 2 });
  });

  it('tells the value to a trusted client with the scope, and to no other', async () => {
    const [secret] = await make(draft('to tell/über?'));
    const answer = await client.download('to tell/über?', ns);
    expect(answer).toEqual({ status: 200, body: { ...secret, _value: 'value of to tell/über?' } });
    const { headers } = await fetch(`${passport.baseUrl}/passportsvc/api/v1/secrets/${encodeURIComponent('to tell/über?')}/download?nsfilter=${ns}`, { headers: { authorization: `Bearer ${client.token}` } });
    expect([headers.get('etag'), headers.get('cache-control')]).toEqual([`"${secret?._id}-1"`, 'no-store']);
    const [untrusted, unscoped] = await Promise.all([newClient(passport, { _trusted: false }), newClient(passport, { _scopes: ['read', 'write'] })]);
    await grant(house.owner, { _type: 'client', _id: untrusted.id }, ns, '*:*:*', ['*']);
    await grant(house.owner, { _type: 'client', _id: unscoped.id }, ns, '*:*:*', ['*']);
    for (const refused of [untrusted, unscoped]) expect((await refused.download('to tell/über?', ns)).status).toBe(403);
    for (const name of ['to tell/über?', 'nothing']) expect((await house.owner.get(`/secrets/${encodeURIComponent(name)}/download?nsfilter=${ns}`)).status).toBe(403);
    expect((await download(passport.baseUrl, undefined, 'to tell/über?', ns)).status).toBe(401);
    expect((await client.download('nothing', ns)).status).toBe(404);
    expect((await client.download(String(secret?._id), ns)).status).toBe(404);
    expect((await client.download('to tell/über?', second)).status).toBe(404);
    const without = await send(passport, 'GET', '/secrets/token/download', client.token);
    expect({ ...without, body: undefined }).toEqual({ status: 400, body: undefined });
    expect(fieldsOf(without)).toEqual(['nsfilter']);
  });

  it('tells a client of an organization only what lies in its namespaces', async () => {
    await make(draft('bounded', { _namespaces: [second] }));
    const [own, foreign] = await Promise.all([newClient(passport, { _orgId: house.organization._id }), newClient(passport, { _orgId: other.organization._id })]);
    expect((await own.download('bounded', second)).body._value).toBe('value of bounded');
    expect((await foreign.download('bounded', second)).status).toBe(404);
    expect((await foreign.download('bounded', `${second}&nsfilter=${String(other.app._namespaces[0])}`)).status).toBe(404);
  });

  it('tells nothing in the namespace of a hidden workspace', async () => {
    const workspace = (await house.inApp.post('/workspaces', [{ _name: 'Hidden' }])).body._list[0] as { _id: string; _namespaces: string[] };
    const hidden = String(workspace._namespaces[0]);
    expect((await house.owner.post(`/secrets?nsfilter=${hidden}`, [{ _name: 'gone', _value: 'v' }])).body._list[0]).toMatchObject({ _namespaces: [hidden] });
    expect(await told('gone', hidden)).toBe('v');
    await house.inApp.delete(`/workspaces/${workspace._id}`);
    expect((await client.download('gone', hidden)).status).toBe(404);
  });

  it('asks which is meant when several namespaces have a secret of the name', async () => {
    await make(draft('twin'), draft('twin', { _namespaces: [second], _value: 'second' }), draft('both', { _namespaces: [ns, second] }));
    expect([await told('twin', ns), await told('twin', second)]).toEqual(['value of twin', 'second']);
    expect(fieldsOf(await client.download('twin', `${ns}&nsfilter=${second}`))).toEqual(['nsfilter']);
    for (const filter of [ns, second, `${ns}&nsfilter=${second}`]) expect(await told('both', filter)).toBe('value of both');
  });

  it('takes any text of up to 64 KiB, and no other', async () => {
    const values = [' ', '\n\t', 'ünï„©🔑', '{"a":1}', 'x'.repeat(65_536), '🔑'.repeat(16_384), 'ty1.', 'ty1.short.value'];
    await make(...values.map((_value, index) => draft(`text ${index}`, { _value })));
    for (const [index, value] of values.entries()) expect(await told(`text ${index}`)).toBe(value);
    for (const _value of ['', 'x'.repeat(65_537), '🔑'.repeat(16_385), 'nul\u0000', '\ud800', 7, null, undefined, ['x'], {}]) {
      const answer = await house.owner.post(`/secrets?nsfilter=${ns}`, [draft('good'), draft('bad', { _value })]);
      expect([answer.status, JSON.stringify(answer.body).length < 500]).toEqual([400, true]);
    }
    const bad = await house.owner.post(`/secrets?nsfilter=${ns}`, [{ _namespaces: 'x' }, { _name: 7, _value: 'v', _userType: {}, _description: [], _namespaces: [] }]);
    expect(fieldsOf(bad)).toEqual(expect.arrayContaining(['[0]._name', '[0]._value', '[0]._namespaces', '[1]._name', '[1]._userType', '[1]._description', '[1]._namespaces']));
    expect((await house.owner.post(`/secrets?nsfilter=${ns}`, draft('no array'))).status).toBe(400);
    expect((await house.owner.get(`/secrets?nsfilter=${ns}&_name=good`)).body._total).toBe(0);
  });

  it('makes all of them or none: a name is taken once in a namespace', async () => {
    await make(draft('taken'));
    expect((await house.owner.post(`/secrets?nsfilter=${ns}`, [draft('fresh'), draft('taken')])).status).toBe(409);
    expect((await house.owner.post(`/secrets?nsfilter=${ns}`, [draft('fresh'), draft('fresh')])).status).toBe(409);
    expect((await house.owner.get(`/secrets?nsfilter=${ns}&_name=fresh`)).body._total).toBe(0);
    const [one] = await make(draft('one'));
    expect((await house.owner.put(at(one?._id), { _name: 'taken' })).status).toBe(409);
    expect((await house.owner.put(at(one?._id), { _name: 'one', _description: 'its own name' })).status).toBe(200);
    const raced = await Promise.all(Array.from({ length: 6 }, () => house.owner.post(`/secrets?nsfilter=${ns}`, [draft('raced'), draft('raced too')])));
    expect(raced.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it('answers a PUT with a page, keeps what is not sent, and the value when its ciphertext is sent back', async () => {
    const secret = await makeOne(draft('changing', { _description: 'before', _userType: 'kind' }));
    const whole = { ...secret, _description: 'after', _metadata: { _createdAt: 1 }, _isMember: true };
    const answer = await house.owner.put(at(secret._id), whole);
    expect(answer).toMatchObject({ status: 200, body: { _total: 1, _list: [{ ...secret, _description: 'after', _metadata: { ...secret._metadata, _updatedAt: expect.any(Number) } }] } });
    expect(await told('changing')).toBe('value of changing');
    await house.owner.put(at(secret._id), { _value: ` ${secret._value}\n` });
    expect(await told('changing')).toBe('value of changing');

    const changed = (await house.owner.put(at(secret._id), { _value: 'another' })).body._list[0] as { _value: string };
    expect(changed._value).toMatch(CIPHERTEXT);
    expect(await told('changing')).toBe('another');
    // Ciphertext of its earlier value is ciphertext of this secret: it says "leave it".
    await house.owner.put(at(secret._id), { ...secret, _value: secret._value, _name: 'renamed' });
    expect([await told('renamed'), (await client.download('changing', ns)).status]).toEqual(['another', 404]);
    expect((await house.owner.get(at(secret._id))).body).toMatchObject({ _value: changed._value, _userType: 'kind', _description: 'before' });
    for (const _value of ['', 7, 'x'.repeat(65_537)]) expect((await house.owner.put(at(secret._id), { _value })).status).toBe(400);
  });

  it('refuses ciphertext that is not of this secret, or was changed', async () => {
    const [one, two] = await make(draft('first one'), draft('second one'));
    const value = String(two?._value);
    for (const sent of [value, value.slice(0, 40), `${value}x`]) {
      expect(fieldsOf(await house.owner.put(at(one?._id), { _value: sent }))).toEqual(['_value']);
      expect(fieldsOf(await house.owner.post(`/secrets?nsfilter=${ns}`, [draft('third'), draft('copy', { _value: sent })]))).toEqual(['[1]._value']);
    }
    const own = String(one?._value);
    const flipped = `${own.slice(0, 60)}${own[60] === 'A' ? 'B' : 'A'}${own.slice(61)}`;
    for (const sent of [flipped, own.slice(0, -4), own.slice(0, 50)]) expect(fieldsOf(await house.owner.put(at(one?._id), { _value: sent }))).toEqual(['_value']);
    expect([await told('first one'), await told('second one')]).toEqual(['value of first one', 'value of second one']);
  });

  it('moves a secret between namespaces of nsfilter, under the key of the new one', async () => {
    const secret = await makeOne(draft('moving'));
    const keyOf = (text: unknown) => String(text).split('.')[1];
    const there = await makeOne(draft('there', { _namespaces: [second] }));
    expect((await house.owner.put(at(secret._id, ns), { _namespaces: [second] })).status).toBe(400);
    const moved = (await house.owner.put(at(secret._id), { ...secret, _namespaces: [second] })).body._list[0] as { _value: string };
    expect([keyOf(moved._value), keyOf(secret._value) === keyOf(moved._value)]).toEqual([keyOf(there._value), false]);
    expect([await told('moving', second), (await client.download('moving', ns)).status]).toEqual(['value of moving', 404]);
    expect((await house.owner.get(at(secret._id, ns))).status).toBe(404);
    // Ciphertext from before the move is still of this secret.
    expect((await house.owner.put(at(secret._id), { _value: secret._value })).status).toBe(200);
    await house.owner.put(at(secret._id), { _namespaces: [second, ns] });
    await house.owner.put(at(secret._id, second), { _namespaces: [second], _description: 'what lies outside of nsfilter stays' });
    expect((await house.owner.get(at(secret._id, ns))).body._namespaces).toEqual([second, ns]);
    await make(draft('moving too', { _namespaces: [second] }));
    expect([await told('moving', ns), await told('moving too', second)]).toEqual(['value of moving', 'value of moving too']);
  });

  it('is closed to others: no token, no nsfilter, a reader, another tenant', async () => {
    const [secret] = await make(draft('closed'));
    const reader = await newPerson(passport, 'Reader');
    await grant(house.owner, { _type: 'user', _id: reader.id }, ns, 'passportsvc:secret:*', ['READ']);
    const readOnly = await house.owner.in('console', ['read']);
    const ways = (caller: Caller) => [
      caller.get(at(secret?._id, ns)), caller.put(at(secret?._id, ns), { _description: 'x' }), caller.delete(at(secret?._id, ns)), caller.post(`/secrets?nsfilter=${ns}`, [draft('no')]),
    ];
    const statuses = async (caller: Caller) => (await Promise.all(ways(caller))).map(({ status }) => status);
    expect(await statuses(reader)).toEqual([200, 403, 403, 403]);
    expect(await statuses(readOnly)).toEqual([200, 403, 403, 403]);
    expect(await statuses(other.owner)).toEqual([404, 404, 404, 403]);
    expect((await other.owner.get(`/secrets?nsfilter=${ns}`)).body).toMatchObject({ _list: [], _total: 0 });
    expect((await reader.post(`/secrets?nsfilter=${ns}`, [])).status).toBe(403);
    expect((await house.owner.post(`/secrets?nsfilter=${ns}`, [])).body).toMatchObject({ _total: 0 });
    for (const [method, path] of [['GET', '/secrets'], ['POST', '/secrets'], ['GET', `/secrets/${secret?._id}`], ['PUT', `/secrets/${secret?._id}`], ['DELETE', `/secrets/${secret?._id}`]] as const) {
      expect((await send(passport, method, `${path}?nsfilter=${ns}`, undefined, method === 'GET' ? undefined : [])).status).toBe(401);
      expect((await house.owner.full(method, path, method === 'GET' || method === 'DELETE' ? undefined : [])).status).toBe(400);
    }
    expect((await house.owner.post(`/secrets?nsfilter=${ns}`, [draft('x', { _namespaces: [second] })])).status).toBe(400);
    expect((await house.owner.get(at('nonsense'))).status).toBe(404);
    expect((await house.owner.get(at(randomUUID()))).status).toBe(404);
    const single = await newPerson(passport, 'Single');
    await grant(house.owner, { _type: 'user', _id: single.id }, ns, `passportsvc:secret:${secret?._id}`, ['READ', 'EDIT']);
    expect((await single.get(`/secrets?nsfilter=${ns}`)).body._list).toHaveLength(1);
    expect((await single.put(at(secret?._id), { _namespaces: [ns, second] })).status).toBe(403);
  });

  it('deletes a secret once, and its name is free', async () => {
    const [secret] = await make(draft('short-lived'));
    expect([(await house.owner.delete(at(secret?._id))).status, (await house.owner.delete(at(secret?._id))).status]).toEqual([204, 404]);
    expect((await client.download('short-lived', ns)).status).toBe(404);
    await make(draft('short-lived', { _value: 'again' }));
    expect(await told('short-lived')).toBe('again');
  });

  it('tells each download and each refusal to the audit log before it answers, and nothing of the value', async () => {
    const [secret] = await make(draft('audited', { _value: 'value that nobody logs' }));
    await client.download('audited', ns);
    const untrusted = await newClient(passport, { _trusted: false });
    await untrusted.download('audited', ns);
    await house.owner.get(`/secrets/audited/download?nsfilter=${ns}`);
    const foreign = await newClient(passport, { _orgId: other.organization._id });
    await foreign.download('audited', ns);
    const notes = await dataSource.query<{ by_id: string; action: string; namespace: string }[]>(
      `SELECT by_id, action, namespace FROM (SELECT by_id, action, namespace, irn, at FROM audit_pending UNION ALL SELECT by_id, action, namespace, irn, at FROM audit_entry) n
       WHERE irn = $1 AND action LIKE 'DOWNLOAD%' ORDER BY at`, [`passportsvc:secret:${secret?._id}`],
    );
    const note = (by_id: string, action: string) => ({ by_id, action, namespace: ns });
    expect(notes).toEqual([note(client.id, 'DOWNLOAD'), ...[untrusted.id, house.owner.id, foreign.id].map((id) => note(id, 'DOWNLOAD_REFUSED'))]);
  });

  it('tells a run what its starter may READ, and the audit log of both that and the refusals', async () => {
    const [secret] = await make(draft('of a run', { _value: 'value that a run uses' }));
    const reader = await newPerson(passport, 'Reader');
    const asked = async () => (await passport.app.get(RunSecrets, { strict: false }).tell({
      principal: { type: 'user', id: reader.id, tokenId: '', scopes: ['read', 'write'], run: { id: 'the-run', namespaces: [ns] } }, names: ['of a run'],
    })).secrets;
    expect(await asked()).toEqual([{ name: 'of a run', verdict: 'unknown' }]);
    await grant(house.owner, { _type: 'user', _id: reader.id }, ns, `passportsvc:secret:${secret?._id}`, ['READ']);
    expect(await asked()).toEqual([{ name: 'of a run', verdict: 'told', value: 'value that a run uses' }]);
    const notes = await dataSource.query<object[]>(
      `SELECT by_id, action, namespace, details FROM (SELECT by_id, action, namespace, details, irn, at FROM audit_pending UNION ALL SELECT by_id, action, namespace, details, irn, at FROM audit_entry) n
       WHERE irn = $1 AND action LIKE 'DOWNLOAD%' ORDER BY at`, [`passportsvc:secret:${secret?._id}`],
    );
    expect(notes).toEqual(['DOWNLOAD_REFUSED', 'DOWNLOAD'].map((action) => ({ by_id: reader.id, action, namespace: ns, details: { runId: 'the-run' } })));
  });

  it('publishes what becomes of secrets, without their values', async () => {
    const [secret] = await make(draft('published', { _value: 'value that no event tells' }));
    await house.owner.put(at(secret?._id), { _description: 'x' });
    await house.owner.delete(at(secret?._id));
    const published = await eventually(async () => {
      const rows = await dataSource.query<{ event: { type: string } }[]>(`SELECT event FROM event_log WHERE topic = 'passportsvc.secret' AND event::text LIKE $1 ORDER BY position`, [`%${secret?._id}%`]);
      return rows.length === 3 && rows.map(({ event }) => event);
    });
    const text = JSON.stringify(published);
    expect(['ResourceCreated', 'ResourceUpdated', 'ResourceDeleted'].every((kind) => text.includes(kind))).toBe(true);
    expect([text.includes('value that no event tells'), text.includes('ty1.')]).toEqual([false, false]);
  });

  it('leaves no value anywhere in the database', async () => {
    const value = `in no table: ${randomUUID()}`;
    const [secret] = await make(draft('dumped', { _value: value }));
    await house.owner.put(at(secret?._id), { _value: `${value} again`, _namespaces: [second] });
    await client.download('dumped', second);
    const tables = await dataSource.query<{ name: string }[]>(`SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`);
    expect(tables.length).toBeGreaterThan(20);
    const found: string[] = [];
    for (const { name } of tables) {
      const hits = await dataSource.query<unknown[]>(`SELECT 1 FROM ${name} t WHERE t::text LIKE $1 LIMIT 1`, [`%${value}%`]);
      const known = await dataSource.query<unknown[]>(`SELECT 1 FROM ${name} t WHERE t::text LIKE $1 LIMIT 1`, [`%${secret?._id}%`]);
      if (known.length > 0) found.push(name);
      expect({ name, hits }).toEqual({ name, hits: [] });
    }
    // The same search finds what is there.
    expect(found).toEqual(expect.arrayContaining(['public.secret', 'public.secret_name']));
  });
});
