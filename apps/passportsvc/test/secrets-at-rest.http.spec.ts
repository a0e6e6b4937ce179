/** @jest-environment node */
import { randomBytes, randomUUID } from 'node:crypto';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { KeyCipher } from '@twinyard/envelope';
import { createDataSource, createService } from '@twinyard/service-kit';
import { eventually, freePort } from '@twinyard/testing';
import type * as Pino from 'pino';
import type { DataSource } from 'typeorm';
import type { PassportSettings } from '../src/config';
import { service } from '../src/service';
import { type PassportApp, startPassport } from './passport-app';
import { runCommand } from './secret-commands';
import { type DownloadClient, newClient } from './secret-downloads';
import { newTenant, type Tenant } from './tenancy';

const mockWritten: string[] = [];

/** The logger as it is, with its lines kept here in place of standard output. */
jest.mock('pino', () => {
  const actual = jest.requireActual<typeof Pino>('pino');
  const toMemory = (options: object) => actual.pino(options, { write: (line: string) => void mockWritten.push(line) });
  return { ...actual, pino: Object.assign(toMemory, actual.pino) };
});

describe('secrets at rest', () => {
  let passport: PassportApp;
  let dataSource: DataSource;
  let house: Tenant;
  let client: DownloadClient;
  const running: NestFastifyApplication[] = [];

  beforeAll(async () => {
    passport = await startPassport({ LOG_LEVEL: 'trace' });
    dataSource = await createDataSource({ url: passport.database.url, entities: [], migrations: [] }).initialize();
    [house, client] = await Promise.all([newTenant(passport, 'House'), newClient(passport)]);
  });
  afterAll(async () => {
    await Promise.all(running.map((app) => app.close()));
    await dataSource?.destroy();
    await passport?.stop();
  });

  const newWorkspace = async () => (await house.inApp.post('/workspaces', [{ _name: randomUUID() }])).body._list[0] as { _id: string; _namespaces: [string] };
  const make = async (ns: string, _name: string, more: object = {}) => {
    const { status, body } = await house.owner.post(`/secrets?nsfilter=${ns}`, [{ _name, _value: `${_name} of ${ns}`, ...more }]);
    expect(status).toBe(201);
    return body._list[0] as { _id: string; _value: string };
  };
  const told = async (ns: string, name: string, baseUrl?: string) => (await client.download(name, ns, baseUrl)).body._value as unknown;
  const replica = async (changes: Partial<PassportSettings>) => {
    const port = await freePort();
    const app = await createService(service, { ...passport.settings, PORT: port, ...changes });
    running.push(app);
    await app.listen(port, '127.0.0.1');
    return `http://127.0.0.1:${port}`;
  };

  it('come into no log on any level, neither when they are kept nor when something is wrong', async () => {
    const [ns] = (await newWorkspace())._namespaces;
    const value = `never written down ${randomUUID()}`;
    const secret = await make(ns, 'quiet', { _value: value });
    await house.owner.put(`/secrets/${secret._id}?nsfilter=${ns}`, { _value: `${value} again` });
    await house.owner.post(`/secrets?nsfilter=${ns}`, [{ _name: 'quiet', _value: value }]);
    await house.owner.post(`/secrets?nsfilter=${ns}`, [{ _name: 7, _value: value }]);
    await house.owner.post(`/secrets?nsfilter=${ns}`, [{ _name: 'long', _value: value.repeat(5_000) }]);
    expect(await told(ns, 'quiet')).toBe(`${value} again`);
    await dataSource.query('UPDATE secret SET sealed = $2 WHERE id = $1', [secret._id, secret._value.replace(/.$/, '')]);
    expect((await client.download('quiet', ns)).status).toBe(500);
    await house.owner.delete(`/secrets/${secret._id}?nsfilter=${ns}`);
    const log = mockWritten.join('');
    expect(log).toContain('The ciphertext cannot be opened');
    expect([log.includes(value), log.includes(passport.settings.KEY_ENCRYPTION_KEY), log.includes(client.token)]).toEqual([false, false, false]);
  });

  it('go with the purge of their namespace, and their data keys with them; what lies elsewhere too stays there', async () => {
    const [workspace, other] = await Promise.all([newWorkspace(), newWorkspace()]);
    const [[ns], [kept]] = [workspace._namespaces, other._namespaces];
    await make(ns, 'alone');
    const shared = await make(`${ns}&nsfilter=${kept}`, 'shared', { _namespaces: [ns, kept] });
    const second = await make(`${ns}&nsfilter=${kept}`, 'second', { _namespaces: [kept, ns] });
    const damaged = await make(`${ns}&nsfilter=${kept}`, 'damaged', { _namespaces: [ns, kept] });
    await dataSource.query('UPDATE secret SET sealed = $2 WHERE id = $1', [damaged._id, shared._value]);
    expect((await house.inApp.delete(`/workspaces/${workspace._id}?purge=true`)).status).toBe(204);
    const left = async () => Promise.all(['secret_name WHERE namespace = $1', 'secret WHERE $1 = ANY(namespaces)', 'data_key WHERE namespace = $1'].map(async (rows) =>
      ((await dataSource.query(`SELECT count(*)::int AS count FROM ${rows}`, [ns])) as [{ count: number }])[0].count));
    await eventually(async () => expect(await left()).toEqual([0, 0, 0]));
    for (const name of ['shared', 'second']) expect(await told(kept, name)).toBe(`${name} of ${ns}&nsfilter=${kept}`);
    const listed = (await house.owner.get(`/secrets?nsfilter=${kept}`)).body._list as { _name: string; _namespaces: string[] }[];
    expect(listed.map(({ _name, _namespaces }) => [_name, _namespaces])).toEqual([['shared', [kept]], ['second', [kept]]]);
    expect((await house.owner.put(`/secrets/${shared._id}?nsfilter=${kept}`, { _value: shared._value })).status).toBe(200);
    expect((await house.owner.put(`/secrets/${second._id}?nsfilter=${kept}`, { _value: 'anew' })).status).toBe(200);
    expect([await told(kept, 'shared'), await told(kept, 'second')]).toEqual([`shared of ${ns}&nsfilter=${kept}`, 'anew']);
  });

  it('move to another KEY_ENCRYPTION_KEY while they are served, with the secrets of identity providers', async () => {
    const [ns] = (await newWorkspace())._namespaces;
    const secret = await make(ns, 'moving');
    const [KEY_ENCRYPTION_KEY, old] = [randomBytes(32).toString('base64'), passport.settings.KEY_ENCRYPTION_KEY];
    const providerId = randomUUID();
    await dataSource.query(
      `INSERT INTO identity_provider (id, org_id, name, issuer, client_id, sealed_secret, scopes, domains, provision, trusted, created_at, updated_at, created_by_id, updated_by_id)
       VALUES ($1, $2, 'x', 'https://issuer.example', 'c', $3, '{openid}', '{}', true, false, now(), now(), 'test', 'test')`,
      [providerId, house.organization._id, new KeyCipher(old).seal('at the provider', `identity provider ${providerId}`)],
    );
    const refused = await runCommand(passport, 'keys', ['reseal'], { KEY_ENCRYPTION_KEY });
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('KEY_ENCRYPTION_KEY does not open') });
    const both = await replica({ KEY_ENCRYPTION_KEY, KEY_ENCRYPTION_KEY_PREVIOUS: old });
    expect(await told(ns, 'moving', both)).toBe(`moving of ${ns}`);

    const change = { KEY_ENCRYPTION_KEY, KEY_ENCRYPTION_KEY_PREVIOUS: old };
    const [{ keys }] = await dataSource.query<[{ keys: number }]>('SELECT ((SELECT count(*) FROM data_key) + (SELECT count(*) FROM signing_key) + 1)::int AS keys');
    expect((await runCommand(passport, 'keys', ['reseal'], change)).output).toContain(`${keys} rows encrypted anew`);
    expect((await runCommand(passport, 'keys', ['reseal'], change)).output).toContain('0 rows encrypted anew');

    const after = await replica({ KEY_ENCRYPTION_KEY });
    expect([await told(ns, 'moving', after), await told(ns, 'moving', both)]).toEqual([`moving of ${ns}`, `moving of ${ns}`]);
    // A replica that was never told of the new key.
    expect((await client.download('moving', ns)).status).toBe(500);
    // Ciphertext is as it was: only the wrapping of its key is another.
    expect((await house.owner.get(`/secrets/${secret._id}?nsfilter=${ns}`)).body._value).toBe(secret._value);
    const [{ sealed }] = await dataSource.query<[{ sealed: string }]>('SELECT sealed_secret AS sealed FROM identity_provider WHERE id = $1', [providerId]);
    expect(new KeyCipher(KEY_ENCRYPTION_KEY).open(sealed, `identity provider ${providerId}`)).toBe('at the provider');
    const notes = await dataSource.query<{ action: string }[]>(
      `SELECT DISTINCT action FROM (SELECT action, namespace FROM audit_pending UNION ALL SELECT action, namespace FROM audit_entry) n WHERE namespace = 'platform' AND action LIKE 'RESEAL%' ORDER BY action`,
    );
    expect(notes).toEqual([{ action: 'RESEAL' }, { action: 'RESEAL_KEY' }]);
  });
});
