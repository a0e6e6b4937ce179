import { type ChildProcess, spawn, spawnSync, type SpawnOptions } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, linkSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, eventually, freePort, type TestDatabase } from '@twinyard/testing';
import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { addressVariable } from '../../platform/gateway/config';
import { IMAGES, type ImageName } from '../image';
import { type Staged, stageImage } from '../stage';

/** As USER of the Dockerfile. Where the tests are not run by root they are run by somebody who may not become another user. */
const NOBODY = 65_532;
const isRoot = process.getuid?.() === 0;
const asNobody: SpawnOptions = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

interface Running {
  readonly child: ChildProcess;
  readonly log: string[];
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** All images, put together as deploy/Dockerfile does it, each in a folder of its own, and processes started from them. */
export class StagedImages {
  private readonly folder = mkdtempSync(join(tmpdir(), 'twinyard-images-'));
  private readonly copies = new Map<string, string>();
  private readonly contents = new Map<ImageName, Staged>();
  private readonly ports = new Map<ImageName, number>();
  private readonly databases = new Map<string, TestDatabase>();
  private readonly processes = new Map<ImageName, Running>();

  constructor(private readonly root: string) {}

  stage(): void {
    chmodSync(this.folder, 0o755); // another user reads it
    for (const image of IMAGES) this.contents.set(image, stageImage(this.root, image, this.folderOf(image), (from, to) => this.copyOnce(from, to)));
  }

  /** What several images hold is copied out of the repository once: eight times ten thousand files would take a minute. */
  private copyOnce(from: string, to: string): void {
    const copy = this.copies.get(from);
    if (copy !== undefined) return linkSync(copy, to);
    copyFileSync(from, to);
    this.copies.set(from, to);
  }

  folderOf(image: ImageName): string {
    return join(this.folder, image);
  }

  contentOf(image: ImageName): Staged {
    return this.contents.get(image) ?? { files: [], packages: [] };
  }

  addressOf(image: ImageName): string {
    return `http://127.0.0.1:${this.ports.get(image)}`;
  }

  logOf(image: ImageName): readonly string[] {
    return this.processes.get(image)?.log ?? [];
  }

  /** As a deployment does: every service is migrated by the command, then started without the right to. */
  async start(): Promise<void> {
    for (const image of IMAGES) this.ports.set(image, await freePort());
    for (const name of [...SERVICES, 'events']) this.databases.set(name, await createTestDatabase());
    for (const image of ['passportsvc', 'filesvc', 'notificationsvc'] as const) this.mount(image);
    for (const service of SERVICES) this.migrate(service);
    for (const image of IMAGES) this.processes.set(image, this.run(image));
  }

  async untilReady(image: ImageName): Promise<void> {
    await eventually(async () => {
      const { status } = await fetch(`${this.addressOf(image)}/health/ready`);
      if (status !== 200) throw new Error(`${image}: ${status}\n${this.logOf(image).join('')}`);
    }, { timeoutMs: 100_000 });
  }

  healthcheck(image: ImageName, port = String(this.ports.get(image))): number | null {
    return spawnSync(process.execPath, ['healthcheck.js'], { ...asNobody, cwd: this.folderOf(image), env: { PORT: port } }).status;
  }

  terminate(image: ImageName): Running['ended'] {
    const running = this.processes.get(image);
    if (!running) throw new Error(`${image} was not started`);
    running.child.kill('SIGTERM');
    return running.ended;
  }

  async remove(): Promise<void> {
    for (const { child } of this.processes.values()) child.kill('SIGKILL');
    await Promise.all([...this.processes.values()].map(({ ended }) => ended));
    await Promise.all([...this.databases.values()].map((database) => database.drop()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The one folder that a service without S3 or a mail server may write to: a volume. */
  private mount(image: ImageName): void {
    mkdirSync(this.volumeOf(image), { recursive: true });
    if (isRoot) chownSync(this.volumeOf(image), NOBODY, NOBODY);
  }

  private volumeOf(image: ImageName): string {
    return join(this.folder, 'volumes', image);
  }

  /** `node main.js` with these arguments, to its end. */
  runOnce(image: ImageName, args: readonly string[], more: NodeJS.ProcessEnv = {}): { readonly status: number | null; readonly said: string } {
    const options = { ...asNobody, cwd: this.folderOf(image), env: { ...this.environmentOf(image), ...more }, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['main.js', ...args], options);
    return { status, said: `${stdout}${stderr}` };
  }

  databaseUrlOf(image: ImageName): string {
    return this.databases.get(image)?.url ?? '';
  }

  private migrate(service: ServiceName): void {
    const { status, said } = this.runOnce(service, ['migrate']);
    if (status !== 0) throw new Error(`${service}: migrate ended with ${status}\n${said}`);
  }

  private run(image: ImageName): Running {
    const child = spawn(process.execPath, ['main.js'], { ...asNobody, cwd: this.folderOf(image), env: { ...this.environmentOf(image), MIGRATE_ON_START: 'false' } });
    const log: string[] = [];
    child.stdout?.on('data', (text: Buffer) => log.push(String(text)));
    child.stderr?.on('data', (text: Buffer) => log.push(String(text)));
    const ended: Running['ended'] = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
    return { child, log, ended };
  }

  private environmentOf(image: ImageName): NodeJS.ProcessEnv {
    const addresses = Object.fromEntries(SERVICES.map((service) => [addressVariable(service), this.addressOf(service)]));
    return {
      PORT: String(this.ports.get(image)), HOST: '127.0.0.1', BASE_URL: this.addressOf('gateway'), ...addresses,
      DATABASE_URL: this.databases.get(image)?.url, EVENTS_DATABASE_URL: this.databases.get('events')?.url,
      SERVICE_TOKEN: 'service-token-of-the-tests', KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'), ADMIN_PASSWORD: 'password-of-the-tests',
      DATA_DIR: this.volumeOf(image), MAIL_DIR: this.volumeOf(image), DRAIN_SECONDS: '0',
    };
  }
}
