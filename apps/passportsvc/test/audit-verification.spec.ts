import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDataSource, createLogger, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { createTestDatabase, type TestDatabase } from '@twinyard/testing';
import type { DataSource } from 'typeorm';
import { type AuditEntry, chain, EMPTY_CHAIN } from '../src/audit/audit-chain';
import { AuditChainsRepository } from '../src/audit/audit-chains.repository';
import { BROKEN, MISUSED, runAuditCommand } from '../src/audit/audit-command';
import { AuditLog } from '../src/audit/audit-log';
import { AuditPendingRepository } from '../src/audit/audit-pending.repository';
import { AuditVerificationRepository } from '../src/audit/audit-verification.repository';
import { ChainFollower } from '../src/audit/chain-follower';
import { migrations } from '../src/migrations';

/** More than one batch of the walk. */
const ENTRIES = 1_203;
const ACTOR = { id: 'alice', address: '203.0.113.7', requestId: 'r-1' };

describe('the verification of audit chains', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let unitOfWork: TypeOrmUnitOfWork;
  let log: AuditLog;
  let follower: ChainFollower;
  let chains: AuditChainsRepository;
  const folder = mkdtempSync(join(tmpdir(), 'twinyard-audit-'));

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await createDataSource({ url: database.url, entities: [], migrations, poolSize: 3 }).initialize();
    await dataSource.runMigrations();
    unitOfWork = new TypeOrmUnitOfWork(dataSource);
    log = new AuditLog(new AuditPendingRepository());
    chains = new AuditChainsRepository();
    follower = new ChainFollower(unitOfWork, chains, log, createLogger('passportsvc', 'silent'));
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const record = async (namespace: string, entries: number) => {
    const facts = Array.from({ length: entries }, (_, n) => ({ action: 'CREATE', irn: `filesvc:file:${n}`, namespace, details: { n, name: `Müller's "plan" \u2028 ${n}`, tags: ['a', 'b'] } }));
    await unitOfWork.run((tx) => log.record(tx, ACTOR, ...facts));
    for (let done = 1; done > 0;) done = await follower.step();
  };
  const run = async (...args: string[]) => {
    const printed: string[] = [];
    const code = await runAuditCommand(args, new AuditVerificationRepository(dataSource), (line) => printed.push(line));
    return { code, printed };
  };
  /** As a superuser can, whom no trigger stops. */
  const tamper = (...statements: string[]) => dataSource.transaction(async (manager) => {
    await manager.query('SET LOCAL session_replication_role = replica');
    for (const statement of statements) await manager.query(statement);
  });
  const entriesOf = async (namespace: string): Promise<AuditEntry[]> => {
    const entries: AuditEntry[] = [];
    await new AuditVerificationRepository(dataSource).read(namespace, async ({ batches }) => {
      for await (const batch of batches) entries.push(...batch);
    });
    return entries;
  };
  /** The chain written anew by somebody who knows how it is made: whole in itself. */
  const rewrite = async (namespace: string, change: (entry: AuditEntry) => AuditEntry) => {
    const entries = chain(EMPTY_CHAIN, (await entriesOf(namespace)).map(change));
    await unitOfWork.run(async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica');
      await tx.query('DELETE FROM audit_entry WHERE namespace = $1', [namespace]);
      await chains.append(tx, entries, [entries.at(-1) as AuditEntry]);
    });
  };

  it('finds whole what was only written', async () => {
    await record('whole_aaaaaaaa', ENTRIES);
    await record('whole_bbbbbbbb', 1);
    expect(await run('verify', 'whole_aaaaaaaa', 'whole_bbbbbbbb')).toEqual({ code: 0, printed: [`2 chains with ${ENTRIES + 1} entries: whole`] });
    expect(await run('head', 'whole_bbbbbbbb')).toEqual({ code: 0, printed: [expect.stringMatching(/^\{"namespace":"whole_bbbbbbbb","sequence":1,"hash":"[0-9a-f]{64}"\}$/)] });
  });

  const FIELDS = {
    namespace: `'elsewhere'`, at: `at + interval '1 millisecond'`, by_id: `'bob'`, action: `'READ'`, irn: `'filesvc:file:x'`, address: `'198.51.100.1'`, request_id: `'r-2'`,
    details: `details || '{"n": -1}'`, id: 'gen_random_uuid()', hash: `sha256(hash)`, previous_hash: `sha256(hash)`,
  };
  it.each(Object.entries(FIELDS))('finds a changed %s', async (column, value) => {
    const namespace = `field_${column}`;
    await record(namespace, 3);
    await tamper(`UPDATE audit_entry SET ${column} = ${value} WHERE namespace = '${namespace}' AND sequence = 2`);
    const { code, printed } = await run('verify', namespace);
    expect({ code, found: printed[0] }).toEqual({ code: BROKEN, found: expect.stringMatching(new RegExp(`^${namespace} is broken at 2: `)) });
    await tamper(`DELETE FROM audit_entry WHERE namespace = 'elsewhere'`);
  });

  const SEEN: readonly (readonly [string, (namespace: string) => string[], number, RegExp])[] = [
    ['a removed first entry', (ns) => [`DELETE FROM audit_entry WHERE namespace = '${ns}' AND sequence = 1`], 1, /after 0 comes 2/],
    ['a removed middle', (ns) => [`DELETE FROM audit_entry WHERE namespace = '${ns}' AND sequence = 1001`], 1001, /after 1000 comes 1002/],
    ['a removed middle that was numbered anew', (ns) => [`DELETE FROM audit_entry WHERE namespace = '${ns}' AND sequence = 5`, `UPDATE audit_entry SET sequence = sequence - 1 WHERE namespace = '${ns}' AND sequence > 5`], 5, /does not follow/],
    ['a removed tail', (ns) => [`DELETE FROM audit_entry WHERE namespace = '${ns}' AND sequence > 1200`], 1201, /missing at the end: the chain had 1203/],
    ['a lost head', (ns) => [`DELETE FROM audit_head WHERE namespace = '${ns}'`], 1204, /lost its head/],
    ['all entries gone', (ns) => [`DELETE FROM audit_entry WHERE namespace = '${ns}'`], 1, /missing at the end/],
    ['two that changed places', (ns) => [`UPDATE audit_entry SET sequence = CASE sequence WHEN 7 THEN 100008 ELSE 100007 END WHERE namespace = '${ns}' AND sequence IN (7, 8)`, `UPDATE audit_entry SET sequence = sequence - 100000 WHERE namespace = '${ns}' AND sequence > 100000`], 7, /does not follow/],
    ['an inserted one', (ns) => [`INSERT INTO audit_entry SELECT gen_random_uuid(), namespace, at, by_id, action, irn, address, request_id, details, 1204, hash, sha256(hash) FROM audit_entry WHERE namespace = '${ns}' AND sequence = 1203`], 1204, /fields are not those/],
  ];
  it.each(SEEN)('finds %s', async (_what, statements, sequence, issue) => {
    const namespace = `seen_${SEEN.findIndex((row) => row[1] === statements)}`;
    await record(namespace, ENTRIES);
    await tamper(...statements(namespace));
    const { code, printed } = await run('verify', namespace);
    expect(code).toBe(BROKEN);
    expect(printed[0]).toMatch(new RegExp(`^${namespace} is broken at ${sequence}: .*${issue.source}`));
    await tamper(`DELETE FROM audit_entry WHERE namespace = '${namespace}'`, `DELETE FROM audit_head WHERE namespace = '${namespace}'`);
  });

  it('finds what is whole in itself by a head that was kept elsewhere: written anew, cut off with its head, gone altogether', async () => {
    const names = ['anchor_rewritten', 'anchor_cut', 'anchor_gone', 'anchor_grown'];
    for (const namespace of names) await record(namespace, 6);
    const anchors = join(folder, 'heads.jsonl');
    writeFileSync(anchors, `${(await run('head', ...names)).printed.join('\n')}\n`);
    await record('anchor_rewritten', 1);
    await record('anchor_grown', 4);
    expect(await run('verify', '--against', anchors, ...names)).toMatchObject({ code: 0 });

    await rewrite('anchor_rewritten', (entry) => (entry.sequence === 3 ? { ...entry, byId: 'somebody else' } : entry));
    const [, , , fourth] = await entriesOf('anchor_cut');
    await tamper(`DELETE FROM audit_entry WHERE namespace = 'anchor_cut' AND sequence > 4`, `UPDATE audit_head SET sequence = 4, hash = decode('${fourth?.hash}', 'hex') WHERE namespace = 'anchor_cut'`);
    await tamper(`DELETE FROM audit_entry WHERE namespace = 'anchor_gone'`, `DELETE FROM audit_head WHERE namespace = 'anchor_gone'`);
    expect(await run('verify', ...names)).toMatchObject({ code: 0 });
    const { code, printed } = await run('verify', ...names, '--against', anchors);
    expect({ code, printed }).toEqual({
      code: BROKEN,
      printed: [
        expect.stringMatching(/^anchor_rewritten is broken at 6: .*written anew/), expect.stringMatching(/^anchor_cut is broken at 5: .*kept elsewhere, 6/),
        expect.stringMatching(/^anchor_gone is broken at 1: .*kept elsewhere, 6/), expect.stringMatching(/3 broken$/),
      ],
    });
  });

  it('finds by itself which chains there are, also one that has lost its entries, and says how it is called', async () => {
    const { code, printed } = await run('verify');
    expect(code).toBe(BROKEN);
    expect(printed.some((line) => line.startsWith('field_by_id is broken at 2'))).toBe(true);
    expect([(await run()).code, (await run('verify', '--against')).code, (await run('head', '--against', 'x')).code, (await run('verify', '--all')).code]).toEqual([MISUSED, MISUSED, MISUSED, MISUSED]);
  });

  it('does not wait for writers, who do not wait for it or for each other', async () => {
    await record('busy_aaaaaaaa', 10);
    await unitOfWork.run(async (open) => {
      await log.record(open, ACTOR, { action: 'CREATE', irn: 'filesvc:file:open', namespace: 'busy_aaaaaaaa' });
      await record('busy_aaaaaaaa', 5);
      expect(await run('verify', 'busy_aaaaaaaa')).toEqual({ code: 0, printed: ['1 chains with 15 entries: whole'] });
    });
    await Promise.all([follower.step(), follower.step()]);
    expect(await run('verify', 'busy_aaaaaaaa')).toEqual({ code: 0, printed: ['1 chains with 16 entries: whole'] });
  });

  it('leaves out what was rolled back', async () => {
    await expect(unitOfWork.run(async (tx) => {
      await log.record(tx, ACTOR, { action: 'CREATE', irn: 'filesvc:file:never', namespace: 'busy_aaaaaaaa' });
      throw new Error('changed its mind');
    })).rejects.toThrow('changed its mind');
    expect(await follower.step()).toBe(0);
  });

  it('runs as a command with the settings of the service, and by a role that may only read', () => {
    const settings = { DATABASE_URL: database.url, EVENTS_DATABASE_URL: database.url, BASE_URL: 'http://127.0.0.1:1', PASSPORT_URL: 'http://127.0.0.1:1', SERVICE_TOKEN: 'service-token-of-the-tests', KEY_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'), PATH: process.env.PATH };
    const command = join(__dirname, '..', '..', '..', 'dist', 'apps', 'passportsvc', 'src', 'audit.js');
    const of = (...args: string[]) => spawnSync(process.execPath, [command, ...args], { encoding: 'utf8', env: settings });
    expect(of('verify', 'whole_aaaaaaaa')).toMatchObject({ status: 0, stdout: `1 chains with ${ENTRIES} entries: whole\n`, stderr: '' });
    const readOnly = `${database.url}?options=${encodeURIComponent('-c default_transaction_read_only=on')}`;
    expect(spawnSync(process.execPath, [command, 'verify', 'whole_aaaaaaaa'], { encoding: 'utf8', env: { ...settings, DATABASE_URL: readOnly } })).toMatchObject({ status: 0, stderr: '' });
    expect(of('verify', 'field_by_id')).toMatchObject({ status: BROKEN });
    expect(of('verify', '--against', join(folder, 'missing'))).toMatchObject({ status: MISUSED, stderr: expect.stringContaining('no such file') });
  });
});
