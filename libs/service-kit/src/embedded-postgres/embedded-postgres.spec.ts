import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { chooseAccount, commandAs, firstClosedFolder } from './account';
import { hydrateSymlinks } from './binaries';
import { freePort } from './free-port';
import { startZombie } from '@twinyard/testing';
import { isAlive } from '../alive-process';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './server';

const onLinux = existsSync('/proc/self/stat') ? it : it.skip;
const isRoot = process.getuid?.() === 0;
let scratch: string;
const running: EmbeddedPostgres[] = [];

async function start(folder: string, port?: number): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ folder, durable: false, ...(port !== undefined && { port }) });
  running.push(server);
  return server;
}

async function query(server: EmbeddedPostgres, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: server.url() });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(sql);
  await client.end();
  return rows;
}

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'twinyard-launcher-'));
  chmodSync(scratch, 0o755);
});

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  rmSync(scratch, { recursive: true, force: true });
});

describe('startEmbeddedPostgres', () => {
  it('keeps data over a clean stop, with the password kept for its owner alone', async () => {
    const folder = join(scratch, 'kept');
    const first = await start(folder);
    await query(first, 'create table kept as select 1 as one');
    await first.stop();
    expect(isAlive(first.pid)).toBe(false);
    expect(statSync(join(folder, 'password')).mode & 0o777).toBe(0o600);
    expect(await query(await start(folder), 'select one from kept')).toEqual([{ one: 1 }]);
  });

  it('replaces a server that a killed starter left running, and finds what it had written', async () => {
    const folder = join(scratch, 'left');
    const left = await start(folder);
    await query(left, 'create table kept as select 1 as one');
    const next = await start(folder);
    expect(isAlive(left.pid)).toBe(false);
    expect(await query(next, 'select one from kept')).toEqual([{ one: 1 }]);
  });

  it('starts after its server was killed and its process id went to somebody else', async () => {
    const folder = join(scratch, 'killed');
    const killed = await start(folder);
    process.kill(killed.pid, 'SIGKILL');
    await killed.ended;
    const lock = join(folder, 'cluster', 'postmaster.pid');
    writeFileSync(lock, `${process.ppid}\n${join(folder, 'cluster')}\n1\n1\n\n127.0.0.1\n\n`);
    expect(await query(await start(folder), 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  onLinux('starts after its server was killed and nobody has collected it', async () => {
    const folder = join(scratch, 'zombie');
    const first = await start(folder);
    await query(first, 'create table kept as select 1 as one');
    await first.stop();
    const zombie = await startZombie();
    try {
      expect(isAlive(zombie.pid)).toBe(false);
      const files = join(folder, 'cluster');
      const lock = join(files, 'postmaster.pid');
      writeFileSync(lock, `${zombie.pid}\n${files}\n1\n1\n\n127.0.0.1\n\n`);
      chmodSync(lock, 0o644); // its own account has to read it
      expect(await query(await start(folder), 'select one from kept')).toEqual([{ one: 1 }]);
    } finally {
      zombie.release();
    }
  });

  it('throws a half-made cluster away and makes it again', async () => {
    const folder = join(scratch, 'half');
    mkdirSync(join(folder, 'initializing-0000'), { recursive: true });
    writeFileSync(join(folder, 'initializing-0000', 'PG_VERSION'), '18\n');
    writeFileSync(join(folder, 'password'), 'of the interrupted start');
    await start(folder);
    expect(readdirSync(folder).sort()).toEqual(['cluster', 'password']);
  });

  it('says so when the port that it was told to use is taken', async () => {
    const port = await freePort();
    const other = createServer().listen(port, '127.0.0.1');
    await expect(start(join(scratch, 'taken'), port)).rejects.toThrow(/Address already in use/);
    other.close();
  });

  it('works in a folder that only its owner may enter', async () => {
    chmodSync(scratch, 0o700);
    expect(await query(await start(join(scratch, 'closed')), 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('the account of the server', () => {
  it('is the current user, unless that is root', () => {
    expect(chooseAccount(1000)).toBeUndefined();
    expect(chooseAccount(0)?.uid).toBeGreaterThan(0);
  });

  (isRoot ? it : it.skip)('passes closed folders with the one capability that this needs', () => {
    const account = { uid: 65534, gid: 65534 };
    chmodSync(scratch, 0o700);
    expect(firstClosedFolder(scratch, account)).toBe(scratch);
    const { program, args } = commandAs(account, '/bin/cat', ['/proc/self/status'], [scratch]);
    const status = execFileSync(program, args, { encoding: 'utf8' });
    expect(status).toMatch(/^Uid:\t65534\t65534/m);
    expect(status).toMatch(/^CapEff:\t0000000000000002$/m);
  });

  it('names the folder and the remedy when there is no way in', () => {
    chmodSync(scratch, 0o700);
    expect(() => commandAs({ uid: 65534, gid: 65534 }, '/bin/cat', [], [scratch], [])).toThrow(new RegExp(`cannot enter ${scratch}.*DATA_DIR`));
  });
});

describe('hydrateSymlinks', () => {
  it('makes the links that an npm without install scripts left out, once', () => {
    const home = join(scratch, 'native');
    mkdirSync(join(home, 'lib'), { recursive: true });
    writeFileSync(join(home, 'lib', 'liba.so.1.2'), '');
    writeFileSync(join(home, 'pg-symlinks.json'), JSON.stringify([{ source: 'native/lib/liba.so.1.2', target: 'native/lib/liba.so.1' }]));
    hydrateSymlinks(home);
    hydrateSymlinks(home);
    expect(readlinkSync(join(home, 'lib', 'liba.so.1'))).toBe('liba.so.1.2');
  });
});
