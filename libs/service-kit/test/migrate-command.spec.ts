import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createTestDatabase, eventually, freePort } from '@twinyard/testing';
import { thingsEnvironment } from './things-service';

const FILE = join(__dirname, '..', '..', '..', 'dist', 'libs', 'service-kit', 'test', 'stopping-process.js');

it('the command migrate waits for a store that starts at the same time', async () => {
  const [database, port] = [await createTestDatabase(), await freePort()];
  const url = new URL(database.url);
  const way = createServer((caller) => {
    const store = connect(Number(url.port), url.hostname);
    for (const [from, to] of [[caller, store], [store, caller]] as const) from.on('error', () => to.destroy()).pipe(to);
  });
  const [known, late] = [thingsEnvironment(database), new URL(database.url)];
  late.port = String(port);
  const child = spawn(process.execPath, [FILE, 'migrate'], {
    env: { PATH: process.env.PATH, ...known, DATABASE_URL: late.href, LOG_LEVEL: 'info' }, stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let log = '';
    child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
    const exit = once(child, 'close');
    await eventually(() => expect(log).toContain('a store cannot be reached yet'));
    way.listen(port, '127.0.0.1');
    expect(await exit).toEqual([0, null]);
    expect(log).toContain('the stores are up to date');
  } finally {
    child.kill('SIGKILL');
    way.close();
    await database.drop();
  }
});
