import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICES } from '@twinyard/conventions';
import { canPassClosedFolders, isAlive } from '@twinyard/service-kit/process';
import { eventually, freePort, startZombie } from '@twinyard/testing';
import { Client } from 'pg';
import { readPlatformSettings } from '../config';
import { Platform } from '../platform';
import { PlatformLog } from '../platform-log';
import type { PlatformContext } from '../process-table';
import type { ProcessSpec } from '../supervised-process';

/** A real process with the manners of a service: ready after a moment, gone on SIGTERM and when its starter is gone. */
const SERVICE = `
  const http = require('node:http');
  const server = http.createServer((request, response) => response.end('{}'));
  server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log(JSON.stringify({ level: 'info', msg: 'listening', port: 1 })));
  process.on('SIGTERM', () => { console.log('goodbye'); process.exit(0); });
  process.on('disconnect', () => process.exit(0));
`;
const DEAF = `${SERVICE}; process.removeAllListeners('SIGTERM'); process.on('SIGTERM', () => {});`;
const THROWING = `${SERVICE}; process.on('SIGUSR2', () => { throw new Error('nobody catches this'); });`;
const BROKEN = 'console.error("DATABASE_URL: is missing"); process.exit(1);';

const onLinux = existsSync('/proc/self/stat') ? it : it.skip;
let scratch: string;
let lines: string[];
let platform: Platform | undefined;

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'twinyard-platform-'));
  lines = [];
});

afterEach(async () => {
  await platform?.stop();
  platform = undefined;
  rmSync(scratch, { recursive: true, force: true });
});

async function create(programs: Record<string, string>, port?: number, environment: NodeJS.ProcessEnv = {}, args: readonly string[] = []): Promise<Platform> {
  const settings = readPlatformSettings({ PORT: String(port ?? (await freePort())), HOST: '127.0.0.1', DATA_DIR: join(scratch, 'data'), ...environment }, args);
  const ports = await Promise.all(Object.keys(programs).map(() => freePort()));
  const table = ({ databaseUrl }: PlatformContext): ProcessSpec[] =>
    Object.entries(programs).map(([name, program], index) => {
      const file = join(scratch, `${name}.js`);
      writeFileSync(file, program);
      const env = { PORT: String(ports[index]), DATABASE_URL: databaseUrl('itemsvc') };
      if (index === 0) writeFileSync(join(scratch, 'url'), env.DATABASE_URL);
      return { name, file, env, readyUrl: `http://127.0.0.1:${ports[index]}`, killAfterMs: program === DEAF ? 1_000 : 30_000 };
    });
  platform = new Platform(settings, new PlatformLog((text) => lines.push(text), { colour: false, verbose: true }), table);
  return platform;
}

async function query(sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: readFileSync(join(scratch, 'url'), 'utf8') });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows as unknown[];
  } finally {
    await client.end();
  }
}

const postgresPid = () => Number(readFileSync(join(scratch, 'data', 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]);
const ofServer = (prefix: string) => ({ POSTGRES_URL: String(process.env['TEST_POSTGRES_URL']), POSTGRES_DATABASE_PREFIX: prefix });
const mustPid = (name: string) => platform?.processId(name) ?? fail(`${name} does not run`);
const fail = (message: string): never => {
  throw new Error(message);
};

describe('the platform', () => {
  it('starts everything, stops everything, and finds its data again', async () => {
    const first = await create({ one: SERVICE, two: SERVICE });
    const data = join(scratch, 'data');
    mkdirSync(data);
    chmodSync(data, 0o755); // as somebody else's hand made it
    await first.start();
    expect(statSync(data).mode & 0o777).toBe(canPassClosedFolders() ? 0o700 : 0o755);
    const pids = [mustPid('one'), mustPid('two'), postgresPid()];
    await query('create table kept as select 1 as one');
    await first.stop();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(lines.join('')).toMatch(/one +info +goodbye/);

    const second = await create({ one: SERVICE });
    await second.start();
    expect(await query('select one from kept')).toEqual([{ one: 1 }]);
    expect(second.secrets).toEqual({ ...first.secrets, isAdminPasswordNew: false });
    expect(statSync(join(scratch, 'data', 'secrets', 'admin-password')).mode & 0o777).toBe(0o600);
  });

  it('starts a killed service again, at its address', async () => {
    await (await create({ one: SERVICE })).start();
    const killed = mustPid('one');
    process.kill(killed, 'SIGKILL');
    await eventually(() => expect(lines.filter((line) => line.includes('listening'))).toHaveLength(2));
    expect(mustPid('one')).not.toBe(killed);
    expect(lines.join('')).toMatch(/error died and is started again process=one how=SIGKILL/);
  });

  it('logs what a service did not catch, and starts it again', async () => {
    await (await create({ one: THROWING })).start();
    const failed = mustPid('one');
    process.kill(failed, 'SIGUSR2');
    await eventually(() => expect(lines.filter((line) => line.includes('listening'))).toHaveLength(2));
    expect(mustPid('one')).not.toBe(failed);
    await eventually(() => expect(lines.join('')).toMatch(/one +warn +Error: nobody catches this/));
  });

  it('starts a killed database server again, at its address, with what was committed', async () => {
    await (await create({ one: SERVICE })).start();
    await query('create table kept as select 1 as one');
    const killed = postgresPid();
    process.kill(killed, 'SIGKILL');
    await eventually(async () => expect(await query('select one from kept')).toEqual([{ one: 1 }]));
    expect(postgresPid()).not.toBe(killed);
  });

  it('does not let two share a folder', async () => {
    const first = await create({ one: SERVICE });
    await first.start();
    const port = await freePort();
    const other = createServer().listen(port, '127.0.0.1'); // as the first one has the port that both are given by default
    await expect((await create({ one: SERVICE }, port)).start()).rejects.toThrow(/runs already.*set DATA_DIR/);
    other.close();
    await first.stop();
    await (await create({ one: SERVICE })).start();
  });

  onLinux('takes over the lock of a platform that was killed and that nobody has collected', async () => {
    const first = await create({ one: SERVICE });
    await first.start();
    await first.stop();
    const zombie = await startZombie();
    const began = readFileSync(`/proc/${zombie.pid}/stat`, 'utf8').replace(/^.*\)/s, '').split(' ')[20] ?? '';
    try {
      writeFileSync(join(scratch, 'data', 'platform.lock'), `${zombie.pid} ${began} ${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`);
      await (await create({ one: SERVICE })).start();
    } finally {
      zombie.release();
    }
  });

  it('takes over the lock of a platform that was killed', async () => {
    const first = await create({ one: SERVICE });
    await first.start();
    await first.stop();
    writeFileSync(join(scratch, 'data', 'platform.lock'), `${process.ppid} 1 another-boot`);
    await (await create({ one: SERVICE })).start();
    expect(existsSync(join(scratch, 'data', 'platform.lock'))).toBe(true);
  });

  it('names the setting when the port is taken, before it touches anything', async () => {
    const port = await freePort();
    const other = createServer().listen(port, '127.0.0.1');
    await expect((await create({ one: SERVICE }, port)).start()).rejects.toThrow(/PORT: port \d+ is taken by .+ set PORT to a free one/i);
    expect(existsSync(join(scratch, 'data'))).toBe(false);
    other.close();
  });

  it('names the setting when the port of PostgreSQL is taken', async () => {
    const port = await freePort();
    const other = createServer().listen(port, '127.0.0.1');
    await expect((await create({ one: SERVICE }, undefined, { POSTGRES_PORT: String(port) })).start()).rejects.toThrow(/POSTGRES_PORT: port \d+ is taken by .+ set POSTGRES_PORT to a free one/i);
    other.close();
  });

  it('refuses the database of another version of PostgreSQL, before it touches anything', async () => {
    const cluster = join(scratch, 'data', 'postgres', 'cluster');
    mkdirSync(cluster, { recursive: true });
    writeFileSync(join(cluster, 'PG_VERSION'), '99\n');
    await expect((await create({ one: SERVICE })).start()).rejects.toThrow(/was made by a newer version of Twinyard: it is of PostgreSQL 99, .* set DATA_DIR to another folder/);
    expect(readdirSync(join(scratch, 'data'), { recursive: true }).sort()).toEqual(['postgres', 'postgres/cluster', 'postgres/cluster/PG_VERSION']);
  });

  it('refuses data that a newer version has worked with, before it makes anything, unless that is accepted', async () => {
    const secrets = join(scratch, 'data', 'secrets');
    const first = await create({ one: SERVICE });
    await first.start();
    await query('create table migrations (id serial, name text)');
    await query(`insert into migrations (name) values ('CreateTeams1700000000001'), ('OfTomorrow1900000000001')`);
    await first.stop();
    rmSync(secrets, { recursive: true });
    await expect((await create({ one: SERVICE })).start()).rejects.toThrow(
      `The data in ${join(scratch, 'data')} was made by a newer version of Twinyard: this one does not know the migrations of itemsvc, OfTomorrow1900000000001. Start that version again, or set DATA_DIR`,
    );
    expect(existsSync(secrets)).toBe(false);
    await (await create({ one: SERVICE }, undefined, {}, ['--accept-newer-data'])).start();
    expect(lines.join('')).toMatch(/warn +the data was made by a newer version of Twinyard/);
  });

  it('gives up on a service that never starts, and leaves nothing running', async () => {
    const broken = await create({ one: SERVICE, broken: BROKEN });
    await expect(broken.start()).rejects.toThrow(/broken does not start: it ended 5 times/);
    expect(lines.join('')).toMatch(/broken +warn +DATABASE_URL: is missing/);
    expect(existsSync(join(scratch, 'data', 'postgres', 'cluster', 'postmaster.pid'))).toBe(false);
  });

  it('stops in order even in the middle of a start', async () => {
    const half = await create({ one: SERVICE });
    const starting = half.start();
    await eventually(() => expect(lines.join('')).toContain('starting PostgreSQL'));
    await half.stop();
    await expect(starting).rejects.toThrow('stopped while it was starting');
    expect(half.processId('one')).toBeUndefined();
    expect(existsSync(join(scratch, 'data', 'postgres', 'cluster', 'postmaster.pid'))).toBe(false);
  });

  it('kills a service that does not stop', async () => {
    await (await create({ deaf: DEAF })).start();
    const pid = mustPid('deaf');
    await platform?.stop();
    expect(isAlive(pid)).toBe(false);
    expect(lines.join('')).toContain('does not stop and is killed');
  });

  it('kills at once what is not waited for, and starts it no more', async () => {
    const left = await create({ deaf: DEAF });
    await left.start();
    const pid = mustPid('deaf');
    left.killProcesses();
    await eventually(() => expect(isAlive(pid)).toBe(false));
    await left.stop();
    expect(lines.join('')).not.toContain('is started again');
  });
});

describe('the platform on a PostgreSQL outside', () => {
  const prefix = `outside_${randomBytes(4).toString('hex')}_`;

  afterAll(async () => {
    const client = new Client({ connectionString: ofServer(prefix).POSTGRES_URL });
    await client.connect();
    for (const name of [...SERVICES, 'events']) await client.query(`drop database if exists ${prefix}${name} with (force)`);
    await client.end();
  });

  it('makes its databases there, starts no server, and finds them again', async () => {
    const first = await create({ one: SERVICE }, undefined, ofServer(prefix));
    await first.start();
    await query('create table kept as select current_database() as name');
    expect(existsSync(join(scratch, 'data', 'postgres'))).toBe(false);
    await first.stop();
    await (await create({ one: SERVICE }, undefined, ofServer(prefix))).start();
    expect(await query('select name from kept')).toEqual([{ name: `${prefix}itemsvc` }]);
  });

  it('names the setting and the server that does not answer, and not who signs in to it', async () => {
    const port = await freePort();
    const start = (await create({ one: SERVICE }, undefined, { POSTGRES_URL: `postgresql://admin:hidden@127.0.0.1:${port}/postgres` })).start();
    await expect(start).rejects.toThrow(`POSTGRES_URL: databases cannot be made on the server at 127.0.0.1:${port}: connect ECONNREFUSED`);
    await expect(start).rejects.not.toThrow('hidden');
    expect(platform?.processId('one')).toBeUndefined();
  });
});
