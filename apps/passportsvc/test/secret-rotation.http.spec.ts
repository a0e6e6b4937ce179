import { randomBytes, randomUUID } from 'node:crypto';
import { createDataSource } from '@twinyard/service-kit';
import { eventually } from '@twinyard/testing';
import type { DataSource } from 'typeorm';
import { type PassportApp, startPassport, startReplica } from './passport-app';
import { SecretsRepository } from '../src/secrets/secrets.repository';
import { runCommand, runSecrets, startCommand } from './secret-commands';
import { type DownloadClient, newClient } from './secret-downloads';
import { API, newTenant, type Tenant } from './tenancy';

interface Secret {
  readonly _id: string;
  readonly _name: string;
  readonly _value: string;
}

const keyOf = (ciphertext: string) => ciphertext.split('.')[1];

describe('the data keys of secrets', () => {
  let passport: PassportApp;
  let replica: Awaited<ReturnType<typeof startReplica>>;
  let dataSource: DataSource;
  let house: Tenant;
  let client: DownloadClient;

  beforeAll(async () => {
    passport = await startPassport();
    [replica, dataSource] = await Promise.all([startReplica(passport), createDataSource({ url: passport.database.url, entities: [], migrations: [] }).initialize()]);
    [house, client] = await Promise.all([newTenant(passport, 'House'), newClient(passport)]);
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await replica?.stop();
    await passport?.stop();
  });

  const newNamespace = async () => String((await house.inApp.post('/workspaces', [{ _name: randomUUID() }])).body._list[0]._namespaces[0]);
  const make = async (ns: string, ...names: string[]): Promise<Secret[]> => {
    const { status, body } = await house.owner.post(`/secrets?nsfilter=${ns}`, names.map((_name) => ({ _name, _value: `${_name} of ${ns}` })));
    expect(status).toBe(201);
    return body._list as Secret[];
  };
  const keysOf = (ns: string) => dataSource.query<{ id: string; version: number; secrets: number }[]>(
    'SELECT k.id, k.version, count(s.id)::int AS secrets FROM data_key k LEFT JOIN secret s ON s.data_key_id = k.id WHERE k.namespace = $1 GROUP BY k.id ORDER BY k.version', [ns],
  );
  const rotate = (ns: string) => runSecrets(passport, dataSource, 'rotate', '--namespace', ns);
  const told = async (ns: string, name: string, baseUrl?: string) => (await client.download(name, ns, baseUrl)).body._value as unknown;
  const put = (ns: string, id: string, body: object) => house.owner.put(`/secrets/${id}?nsfilter=${ns}`, body);
  const auditOf = (ns: string) => dataSource.query<{ action: string; by_id: string }[]>(
    `SELECT action, by_id FROM (SELECT action, by_id, namespace, at FROM audit_pending UNION ALL SELECT action, by_id, namespace, at FROM audit_entry) n WHERE namespace = $1 AND action LIKE '%_KEY' ORDER BY at`, [ns],
  );

  it('are replaced by a command, after which ciphertext that was read before still says "leave the value"', async () => {
    const ns = await newNamespace();
    const [one, two] = (await make(ns, 'one', 'two')) as [Secret, Secret];
    const { code, output } = await rotate(ns);
    expect({ code, output }).toEqual({ code: 0, output: `${ns}: 2 secrets sealed anew under data key 2, 1 old keys removed` });
    expect(await keysOf(ns)).toEqual([{ id: expect.any(String), version: 2, secrets: 2 }]);
    const after = (await house.owner.get(`/secrets/${one._id}?nsfilter=${ns}`)).body as Secret;
    expect([keyOf(after._value) === keyOf(one._value), { ...after, _value: one._value }]).toEqual([false, one]);

    expect((await put(ns, one._id, { ...one, _name: 'one still' })).body._list[0]).toMatchObject({ _name: 'one still', _value: after._value });
    expect((await put(ns, two._id, { _value: one._value })).status).toBe(400);
    for (const url of [passport.baseUrl, replica.url]) expect([await told(ns, 'one still', url), await told(ns, 'two', url)]).toEqual([`one of ${ns}`, `two of ${ns}`]);
    // Both still remember the first key when they seal, and find it gone.
    for (const caller of [house.owner, house.inApp]) expect((await caller.put(`/secrets/${two._id}?nsfilter=${ns}`, { _value: 'new' })).status).toBe(200);
    await make(ns, 'three');
    expect([await told(ns, 'two'), await told(ns, 'three')]).toEqual(['new', `three of ${ns}`]);
    expect(await keysOf(ns)).toMatchObject([{ version: 2, secrets: 3 }]);
    expect(await auditOf(ns)).toEqual([{ action: 'ROTATE_KEY', by_id: 'operator' }, { action: 'REMOVE_KEY', by_id: 'operator' }]);
  });

  it('are replaced under reads, writes and downloads on two replicas, and by two commands at once, with nothing lost', async () => {
    const ns = await newNamespace();
    const secrets = await make(ns, ...Array.from({ length: 30 }, (_, index) => `busy ${index}`));
    const expected = new Map(secrets.map(({ _name }) => [_name, `${_name} of ${ns}`]));
    let isOver = false;
    let writes = 0;
    /** Each is the only one that writes its secrets, so it knows what is to be read. */
    const work = async (worker: number) => {
      const own = secrets.filter((_, index) => index % 3 === worker);
      for (let turn = 0; !isOver; turn += 1) {
        const { _id, _name } = own[turn % own.length] as Secret;
        const baseUrl = turn % 2 === 0 ? passport.baseUrl : replica.url;
        const read = (await house.owner.get(`/secrets/${_id}?nsfilter=${ns}`)).body as Secret;
        if (turn % 3 === 0) expected.set(_name, `turn ${turn} of ${worker}`);
        const sent = turn % 3 === 0 ? { _value: expected.get(_name) } : { ...read, _description: String(turn) };
        expect(await house.owner.put(`/secrets/${_id}?nsfilter=${ns}`, sent)).toMatchObject({ status: 200 });
        expect(await client.download(_name, ns, baseUrl)).toMatchObject({ status: 200, body: { _value: expected.get(_name) } });
        writes += 1;
      }
    };
    const working = Promise.all([0, 1, 2].map(work));
    while (writes < 30) {
      const runs = await Promise.all([rotate(ns), rotate(ns)]);
      expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    }
    isOver = true;
    await working;
    for (const [name, value] of expected) expect(await told(ns, name)).toBe(value);
    const keys = await keysOf(ns);
    expect(keys).toMatchObject([{ secrets: 30 }]);
    expect(keys[0]?.version).toBeGreaterThanOrEqual(2);
  });

  it('may be gone when a secret that was read is opened: it is read anew', async () => {
    const ns = await newNamespace();
    await make(ns, 'one');
    const secrets = replica.app.get(SecretsRepository);
    const read = secrets.findNamed.bind(secrets);
    jest.spyOn(secrets, 'findNamed').mockImplementationOnce(async (...asked) => {
      const found = await read(...asked);
      expect((await rotate(ns)).code).toBe(0);
      return found;
    });
    expect(await client.download('one', ns, replica.url)).toMatchObject({ status: 200, body: { _value: `one of ${ns}` } });
  });

  it('are half replaced when the command is killed, all is served meanwhile, and the next one finishes', async () => {
    const ns = await newNamespace();
    const names = Array.from({ length: 250 }, (_, index) => `many ${index}`);
    await make(ns, ...names);
    const [{ id: last }] = await dataSource.query<[{ id: string }]>('SELECT id FROM secret WHERE namespaces = ARRAY[$1] ORDER BY id DESC LIMIT 1', [ns]);
    const blocker = dataSource.createQueryRunner();
    await blocker.startTransaction();
    try {
      await blocker.query('SELECT FROM secret WHERE id = $1 FOR UPDATE', [last]);
      const command = startCommand(passport, 'secrets', ['rotate', '--namespace', ns]);
      await eventually(async () => (await keysOf(ns)).some(({ version, secrets }) => version === 2 && secrets === 200));
      command.process.kill('SIGKILL');
      expect(await command.ended).toMatchObject({ signal: 'SIGKILL' });
    } finally {
      await blocker.rollbackTransaction();
      await blocker.release();
    }
    expect(await keysOf(ns)).toMatchObject([{ version: 1, secrets: 50 }, { version: 2, secrets: 200 }]);
    for (const name of names.filter((_, index) => index % 25 === 0)) expect(await told(ns, name)).toBe(`${name} of ${ns}`);
    await make(ns, 'meanwhile');

    const { code, output } = await rotate(ns);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/: 5[01] secrets sealed anew under data key 2, 1 old keys removed \(an earlier rotation was finished/) });
    expect(await keysOf(ns)).toMatchObject([{ version: 2, secrets: 251 }]);
    for (const name of names.filter((_, index) => index % 10 === 0)) expect(await told(ns, name)).toBe(`${name} of ${ns}`);
  });

  it('stay as they are under another KEY_ENCRYPTION_KEY, which the command names', async () => {
    const ns = await newNamespace();
    await make(ns, 'safe');
    const { code, output } = await runCommand(passport, 'secrets', ['rotate', '--namespace', ns], { KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') });
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(`${ns}: KEY_ENCRYPTION_KEY does not open data key 1 of ${ns}`) });
    expect(await keysOf(ns)).toMatchObject([{ version: 1, secrets: 1 }]);
    expect(await told(ns, 'safe')).toBe(`safe of ${ns}`);
  });

  it('open nothing that was moved to another row or namespace, or changed, and a rotation names it and keeps its key', async () => {
    const [ns, abroad] = [await newNamespace(), await newNamespace()];
    const [one, two, three] = (await make(ns, 'one', 'two', 'three')) as [Secret, Secret, Secret];
    const [foreign] = (await make(abroad, 'one')) as [Secret];
    const store = (id: string, sealed: string) => dataSource.query('UPDATE secret SET sealed = $2 WHERE id = $1', [id, sealed]);
    const flipped = one._value.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'));
    for (const sealed of [two._value, foreign._value, flipped, 'plain']) {
      await store(one._id, sealed);
      expect(await client.download('one', ns)).toMatchObject({ status: 500, body: { message: expect.not.stringMatching(/cipher|key|open/i) } });
    }
    await store(three._id, two._value);
    const all = await runSecrets(passport, dataSource, 'rotate');
    expect(all.code).toBe(1);
    expect(all.output).toContain(`${ns}: cannot be opened, and keep their key: `);
    for (const { _id } of [one, three]) expect(all.output).toContain(`passportsvc:secret:${_id}`);
    expect(all.output).toContain(`${abroad}: 1 secrets sealed anew`);
    expect(await keysOf(ns)).toMatchObject([{ version: 1, secrets: 2 }, { version: 2, secrets: 1 }]);
    await store(one._id, one._value);
    await store(three._id, three._value);
    expect(await rotate(ns)).toMatchObject({ code: 0, output: expect.stringContaining('2 secrets sealed anew under data key 2') });
    for (const name of ['one', 'two', 'three']) expect(await told(ns, name)).toBe(`${name} of ${ns}`);
  });

  it('are one in a namespace whose first secrets two replicas keep at once', async () => {
    const ns = await newNamespace();
    const token = (house.owner as unknown as { token: string }).token;
    const raced = await Promise.all(Array.from({ length: 8 }, (_, index) =>
      fetch(`${index % 2 === 0 ? passport.baseUrl : replica.url}${API}/secrets?nsfilter=${ns}`, {
        method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: JSON.stringify([{ _name: `first ${index}`, _value: `${index}` }]),
      })));
    expect(raced.map(({ status: each }) => each)).toEqual(Array(8).fill(201));
    expect(await keysOf(ns)).toMatchObject([{ version: 1, secrets: 8 }]);
    for (let index = 0; index < 8; index += 1) expect(await told(ns, `first ${index}`, index % 2 === 0 ? replica.url : passport.baseUrl)).toBe(`${index}`);
  });

  it('are for the namespaces that are named, and a misuse says how', async () => {
    expect(await rotate('nobody_12345678')).toMatchObject({ code: 1, output: expect.stringContaining('has no data key') });
    for (const args of [[], ['turn'], ['rotate', 'x'], ['rotate', '--namespace'], ['rotate', '--namespace', '--all']]) {
      expect(await runSecrets(passport, dataSource, ...args)).toMatchObject({ code: 2, output: expect.stringContaining('secrets rotate [--namespace') });
    }
  });
});
