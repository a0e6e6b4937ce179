import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICES } from '@twinyard/conventions';
import { eventually } from '@twinyard/testing';
import { Client } from 'pg';
import { ROOT, RunningPlatform } from '../../platform/test/running-platform';
import { Traces } from '../../platform/test/traces';
import { runTour } from '../../tour/tour';

const SAMPLE = { model: join(ROOT, 'tools/sample/sample-building.ifc'), readings: join(ROOT, 'tools/sample/sample-readings.csv') };
/** What goes on by itself: leases, feeds, sessions of the grants cache, jobs, how far the reconciliation is, what the operator has done since. */
const MOVING = /^(event_(outbox|inbox|positions|heads|sequences|log)|restatement|reconciliation$|job$|grant_|.*lease)/;
/** What has its time, minutes or hours, and is swept when that is over: in one of two starts, and in the other not yet. */
const EXPIRING = /^(oidc_state|revocation|sign_in_failure|attempt_count|password_reset|upstream_sign_in|counted_message)$/;
const CURRENT = `SELECT metric, namespace, outer_dimension, inner_dimension, value FROM (
  SELECT DISTINCT ON (metric, namespace, outer_dimension, inner_dimension) * FROM point ORDER BY metric, namespace, outer_dimension, inner_dimension, hour DESC) last
  WHERE value <> 0 ORDER BY 1, 2, 3, 4`;

describe('the platform on one machine', () => {
  let platform: RunningPlatform;
  let backup: string;
  beforeAll(async () => {
    backup = mkdtempSync(join(tmpdir(), 'twinyard-backup-'));
    platform = await RunningPlatform.start();
    const { project } = await runTour({ baseUrl: platform.baseUrl, ...platform.admin, ...SAMPLE, mailDir: platform.mailDir, print: () => undefined });
    // Nothing is under way that one of two starts would be further with than the other: no picture, no event, no entry of the audit log.
    const traces = await Traces.open(platform);
    await eventually(async () => expect(await traces.undrawn(project.namespace)).toBe(0), { timeoutMs: 240_000 }).finally(() => traces.close());
    await platform.settled();
  }, 900_000);
  afterAll(async () => {
    await platform?.remove();
    rmSync(backup, { recursive: true, force: true });
  });

  const query = async <R>(database: string, sql: string): Promise<R[]> => {
    const client = new Client({ connectionString: platform.databaseUrl(database) });
    await client.connect();
    return client.query(sql).then(({ rows }) => rows as R[]).finally(() => client.end());
  };
  const operate = (...args: string[]) =>
    execFileSync(process.execPath, [join(ROOT, 'dist/tools/operations/main.js'), ...args], { env: { PATH: process.env.PATH, DATA_DIR: platform.dataDir }, encoding: 'utf8' });
  /** Rows of every table of every service, and the bytes of every file. */
  const contents = async () => {
    const found: Record<string, unknown> = {};
    for (const database of SERVICES) {
      const tables = await query<{ name: string }>(database, `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`);
      for (const { name } of tables.filter((table) => !MOVING.test(table.name) && !EXPIRING.test(table.name))) {
        found[`${database}.${name}`] = (await query<{ n: string }>(database, `SELECT count(*) AS n FROM "${name}"`))[0]?.n;
      }
    }
    for (const folder of ['blobs', 'mail']) {
      const root = join(platform.dataDir, folder);
      for (const name of (readdirSync(root, { recursive: true, encoding: 'utf8' }) as string[]).sort()) {
        const file = join(root, name);
        if (statSync(file).isFile()) found[`${folder}/${name}`] = createHash('sha256').update(readFileSync(file)).digest('hex');
      }
    }
    return found;
  };

  it('has after a restore what it had when its folder was copied', async () => {
    await platform.stop();
    execFileSync('cp', ['-a', `${platform.dataDir}/.`, backup]);
    await platform.restart();
    const before = await contents();
    expect(Object.keys(before).filter((name) => name.startsWith('blobs/')).length).toBeGreaterThanOrEqual(2);

    await platform.stop();
    execFileSync('sh', ['-c', 'rm -rf "$1"/* "$1"/.[!.]*; cp -a "$2/." "$1"', 'sh', platform.dataDir, backup]);
    await platform.restart();
    expect(await contents()).toEqual(before);
    expect(JSON.parse(operate('filesvc', 'scrub', '--json').trim().split('\n').at(-1) ?? '')).toMatchObject({ missing: 0, orphaned: 0 });
  }, 900_000);

  it('computes its metrics anew from what the other services keep, also those that are lost', async () => {
    const before = await query('metricsvc', CURRENT);
    expect(before.length).toBeGreaterThan(10);
    expect(operate('metricsvc', 'rebuild')).toContain('0 series corrected');
    await query('metricsvc', `UPDATE point SET value = value + 1`);
    operate('metricsvc', 'rebuild');
    expect(await query('metricsvc', CURRENT)).toEqual(before);
    await query('metricsvc', 'TRUNCATE point, measurement, restatement');
    operate('metricsvc', 'rebuild', '--history');
    expect(await query('metricsvc', CURRENT)).toEqual(before);
  });

  it('has its keys rotated by an operator while it runs', async () => {
    const list = () => operate('passportsvc', 'keys', 'list').trim().split('\n');
    const before = list().length;
    operate('passportsvc', 'keys', 'rotate');
    expect(list()).toHaveLength(before + 2);
    expect((await fetch(`${platform.baseUrl}/health/ready`)).status).toBe(200);
  });
});
