import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enginePath, eventually, freePort } from '@twinyard/testing';

type S3Engine = 'versitygw' | 'minio';

const ACCESS = { accessKey: 'twinyard', secretKey: 'twinyard-secret' };

/** An S3 that speaks TLS alone, for `localhost`, `s3.test` and buckets below it, with a certificate of an authority that nobody knows. */
export class TlsServer {
  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(engine: S3Engine): Promise<TlsServer> {
    const binary = enginePath(engine);
    if (binary === undefined) throw new Error(`${engine} is not installed`);
    const folder = await mkdtemp(join(tmpdir(), 'twinyard-tls-'));
    for (const name of ['certificates', 'kept']) await mkdir(join(folder, name));
    makeCertificates(folder);
    const port = await freePort();
    const { args, environment } = COMMANDS[engine](folder, port);
    const child = spawn(binary, args, { env: { ...process.env, ...environment }, stdio: 'ignore' });
    await eventually(() => reach(port));
    return new TlsServer(port, folder, child);
  }

  get authority(): string {
    return join(this.folder, 'authority.crt');
  }

  options(host: string, pathStyle: boolean) {
    return { endpoint: `https://${host}:${this.port}`, bucket: 'a-bucket', region: 'us-east-1', ...ACCESS, pathStyle };
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}

const COMMANDS: Readonly<Record<S3Engine, (folder: string, port: number) => { args: string[]; environment: NodeJS.ProcessEnv }>> = {
  versitygw: (folder, port) => ({
    args: [
      '--port', `127.0.0.1:${port}`, '--virtual-domain', `s3.test:${port}`, '--quiet', '--keep-alive',
      '--cert', join(folder, 'certificates', 'public.crt'), '--key', join(folder, 'certificates', 'private.key'), 'posix', join(folder, 'kept'),
    ],
    environment: { ROOT_ACCESS_KEY_ID: ACCESS.accessKey, ROOT_SECRET_ACCESS_KEY: ACCESS.secretKey },
  }),
  minio: (folder, port) => ({
    args: ['server', '--quiet', '--address', `127.0.0.1:${port}`, '--certs-dir', join(folder, 'certificates'), join(folder, 'kept')],
    environment: { MINIO_ROOT_USER: ACCESS.accessKey, MINIO_ROOT_PASSWORD: ACCESS.secretKey, MINIO_DOMAIN: 's3.test', MINIO_BROWSER: 'off' },
  }),
};

function makeCertificates(folder: string): void {
  const run = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const fresh = ['req', '-newkey', 'rsa:2048', '-nodes', '-x509', '-days', '2'];
  run(...fresh, '-keyout', 'authority.key', '-out', 'authority.crt', '-subj', '/CN=An authority of the tests', '-addext', 'keyUsage=critical,keyCertSign');
  const names = 'subjectAltName=DNS:localhost,DNS:s3.test,DNS:*.s3.test';
  run(...fresh, '-keyout', 'certificates/private.key', '-out', 'certificates/public.crt', '-subj', '/CN=localhost', '-addext', names, '-addext', 'basicConstraints=critical,CA:FALSE', '-CA', 'authority.crt', '-CAkey', 'authority.key');
}

async function reach(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}
