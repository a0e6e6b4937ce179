import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { eventually, onEngine } from '@twinyard/testing';
import { cli, PROGRAM } from './cli';
import { listens } from '../src/engines/health';

const ENGINES = ['mongo', 'postgres'];
/** A dozen processes one after the other, some of them engines: a busy machine has taken three minutes for them. */
const COMMANDS_MS = 600_000;

onEngine(['mongo', 'postgres'], () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'twinyard-commands-'))));
  afterEach(async () => {
    await cli(['down', '--folder', folder]);
    rmSync(folder, { recursive: true, force: true });
  });

  const run = async (...args: readonly string[]) => {
    const { status, stdout, stderr } = await cli([...args, '--folder', folder]);
    expect({ args, status, stderr: status === 0 ? '' : stderr }).toEqual({ args, status: 0, stderr: '' });
    return stdout.trimEnd().split('\n');
  };
  const states = async () => (await run('status')).map((line) => line.split(' ').slice(0, 2).join(' '));

  it('up, env, kill, restart and down do what they are called, over processes', async () => {
    await run('up', ...ENGINES);
    const settings = await run('env');
    expect(settings).toEqual([expect.stringMatching(/^MONGO_URL=mongodb:\/\/127\.0\.0\.1:\d+\/twinyard$/), 'MONGO_ALLOW_STANDALONE=true', expect.stringMatching(/^POSTGRES_URL=postgresql:/)]);
    await query(settings, 'create table kept as select 1 as one');
    for (const name of ENGINES) await run('kill', name);
    expect(await states()).toEqual(['mongo stopped', 'postgres stopped']);
    for (const name of ENGINES) await run('restart', name);
    expect(await run('env')).toEqual(settings);
    expect(await query(settings, 'select one from kept')).toEqual([{ one: 1 }]);
    await run('up', ...ENGINES); // they run: nothing to do
    expect(await run('env')).toEqual(settings);
    await run('down');
    expect(await states()).toEqual(['mongo stopped', 'postgres stopped']);
  }, COMMANDS_MS);

  it('engines of a test end, with their folder, when the test is killed', async () => {
    const held = join(folder, 'held');
    const starter = spawn(process.execPath, ['-e', STARTER, PROGRAM, 'hold', '--folder', held, ...ENGINES], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [first] = (await once(starter.stdout, 'data')) as [Buffer];
    const { settings } = JSON.parse(first.toString()) as { settings: Record<string, Record<string, string>> };
    const ports = [settings.mongo?.MONGO_URL, settings.postgres?.POSTGRES_URL].map((url) => Number(new URL(url ?? '').port));
    await eventually(async () => expect(await Promise.all(ports.map(listens))).toEqual([true, true]));
    starter.kill('SIGKILL');
    await eventually(async () => {
      expect(await Promise.all(ports.map(listens))).toEqual([false, false]);
      expect(existsSync(held)).toBe(false);
    });
  }, COMMANDS_MS);
});

/** A test process in small: it holds the other end of the pipe. */
const STARTER = `
  const { spawn } = require('node:child_process');
  spawn(process.execPath, process.argv.slice(1), { stdio: ['pipe', 'pipe', 'inherit'], detached: true }).stdout.pipe(process.stdout);
`;

async function query(settings: readonly string[], statement: string): Promise<unknown[]> {
  const url = settings.find((line) => line.startsWith('POSTGRES_URL='))?.slice('POSTGRES_URL='.length);
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows as unknown[];
  } finally {
    await client.end();
  }
}
