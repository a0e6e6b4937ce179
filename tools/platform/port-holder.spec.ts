import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { freePort } from '@twinyard/service-kit/process';
import { holderByLsof, holderIn, holderOf } from './port-holder';
import { requireFree, takenPort } from './ports';

/** Says its port, and has a title with a secret behind its name. */
const LISTENER = `const server = require('node:net').createServer().listen(0, process.argv[1], () => console.log(server.address().port)); process.title = 'holder: --password=hidden';`;
/** Of both families, where the machine has both. */
const HOSTS = ['127.0.0.1', '::1'].filter((host) => Object.values(networkInterfaces()).flat().some((one) => one?.address === host));
const onLinux = existsSync('/proc/net/tcp') ? it : it.skip;

async function listenApart(host: string): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, ['-e', LISTENER, host], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, port: Number(said.toString()) };
}

describe('the holder of a port', () => {
  onLinux.each(HOSTS)('is told by name and process, at %s, without what it was given', async (host) => {
    const { child, port } = await listenApart(host);
    try {
      expect(holderOf(port)).toEqual({ name: 'holder', pid: child.pid });
      await expect(requireFree('PORT', port, host)).rejects.toThrow(
        `PORT: port ${port} is taken by holder (process ${child.pid}). Stop it, or set PORT to a free one, for example PORT=${port + 10} npm start.`,
      );
    } finally {
      child.kill('SIGKILL');
    }
  });

  onLinux('is this process where it listens itself', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    expect(holderOf((server.address() as AddressInfo).port)?.pid).toBe(process.pid);
    server.close();
  });

  it('is told by lsof on systems without these tables', async () => {
    expect(holderIn('p4711\ncnode\nf21\n')).toEqual({ name: 'node', pid: 4_711 });
    expect(holderIn('p4711\ncholder: --passw\nf21\n')).toEqual({ name: 'holder', pid: 4_711 });
    expect(holderIn('')).toBeUndefined();
    const hasLsof = spawnSync('lsof', ['-v']).status === 0;
    const { child, port } = await listenApart('127.0.0.1');
    try {
      expect(holderByLsof(port)?.pid).toBe(hasLsof ? child.pid : undefined);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('is another program where the system does not say', async () => {
    const port = await freePort();
    expect(holderOf(port)).toBeUndefined();
    expect(takenPort('PORT', port)).toBe(`PORT: port ${port} is taken by another program. Set PORT to a free one, for example PORT=${port + 10} npm start.`);
  });
});
