import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@twinyard/service-kit/process';
import type { Docker } from './docker';

/** As `docker compose ps` tells it. */
export interface Container {
  readonly ID: string;
  readonly Service: string;
  readonly State: 'running' | 'exited' | string;
  readonly Health: 'healthy' | 'unhealthy' | 'starting' | '';
  readonly ExitCode: number;
}

/** docker-compose.yml as it stands, on free ports. The one thing beside it: MongoDB's stand-in has no users and no transactions, or MONGO_URL names a real one. */
export class ComposeProject {
  private constructor(
    private readonly docker: Docker,
    private readonly files: readonly string[],
    private readonly folder: string,
    private readonly ports: { readonly platform: number; readonly mails: number },
  ) {}

  static async prepare(docker: Docker, root: string, mongoUrl?: string): Promise<ComposeProject> {
    const folder = mkdtempSync(join(tmpdir(), 'twinyard-compose-'));
    const override = join(folder, 'override.json');
    const stores = mongoUrl === undefined ? { MONGO_URL: 'mongodb://mongo:27017/itemsvc', MONGO_ALLOW_STANDALONE: 'true' } : { MONGO_URL: mongoUrl };
    // The platform's own network has no way out.
    const itemsvc = { environment: { ...stores, MONGO_URL_FILE: '' }, ...(mongoUrl !== undefined && { networks: ['platform', 'outside'] }) };
    writeFileSync(override, JSON.stringify({ services: { itemsvc, 'itemsvc-migrate': itemsvc } }));
    const files = ['--project-name', 'twinyard-test', '--project-directory', root, '-f', join(root, 'docker-compose.yml'), '-f', override];
    const project = new ComposeProject(docker, files, folder, { platform: await freePort(), mails: await freePort() });
    await project.compose('down', '--volumes', '--remove-orphans'); // of a run that was killed
    return project;
  }

  get baseUrl(): string {
    return `http://localhost:${this.ports.platform}`;
  }

  get mailsUrl(): string {
    return `http://localhost:${this.ports.mails}`;
  }

  /** Until all that have a health check are healthy. `replicas`: how many of each of some services; of the others one. */
  async up(replicas: Readonly<Record<string, number>> = {}): Promise<void> {
    await this.compose('up', '--wait', '--no-build', '--quiet-pull', ...Object.entries(replicas).flatMap(([service, count]) => ['--scale', `${service}=${count}`]));
  }

  async down(): Promise<void> {
    await this.compose('down');
  }

  async restart(): Promise<void> {
    await this.compose('restart');
  }

  async remove(): Promise<void> {
    await this.compose('down', '--volumes', '--remove-orphans', '--timeout', '1').finally(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  async adminPassword(): Promise<string> {
    return (await this.compose('run', '--rm', 'secrets', 'admin-password')).trim();
  }

  /** Those that have ended too. */
  async containers(): Promise<Container[]> {
    const lines = (await this.compose('ps', '--all', '--no-trunc', '--format', 'json')).split('\n').filter((line) => line.trim() !== '');
    return lines.map((line) => JSON.parse(line) as Container);
  }

  /** The process in a container that its health and its life depend on, by its number on this machine. */
  async processOf({ ID }: Container): Promise<number> {
    return Number(await this.docker.run(['inspect', '--format', '{{.State.Pid}}', ID]));
  }

  async stop({ ID }: Container): Promise<void> {
    await this.docker.run(['stop', ID]);
  }

  exec({ ID }: Container, ...command: readonly string[]): Promise<string> {
    return this.docker.run(['exec', ID, ...command]);
  }

  private compose(...args: readonly string[]): Promise<string> {
    const env = { PUBLISH_PORT: String(this.ports.platform), PUBLISH_MAIL_PORT: String(this.ports.mails), BASE_URL: this.baseUrl };
    return this.docker.run(['compose', ...this.files, ...args], { env });
  }
}
