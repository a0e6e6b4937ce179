import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Programs } from './programs';
import { run, type RunOptions } from './run';

/** Docker's command line against the daemon of our own. */
export class Docker {
  readonly configFolder: string;
  private readonly env: Readonly<Record<string, string>>;

  /** `folder`: of the daemon (`containersFolder`). */
  constructor(folder: string, programs: Programs) {
    this.configFolder = join(folder, 'config');
    const plugins = join(this.configFolder, 'cli-plugins');
    mkdirSync(plugins, { recursive: true });
    rmSync(join(plugins, 'docker-compose'), { force: true });
    symlinkSync(programs.compose, join(plugins, 'docker-compose'));
    // The older of the two ways to build a file of Compose: the newer one needs a plug-in more.
    this.env = { DOCKER_HOST: `unix://${socketIn(folder)}`, DOCKER_CONFIG: this.configFolder, DOCKER_BUILDKIT: '1', COMPOSE_BAKE: 'false' };
  }

  run(args: readonly string[], options: RunOptions = {}): Promise<string> {
    return run('docker', args, { ...options, env: { ...this.env, ...options.env } });
  }

  /** Of an image: its bytes and its labels; `undefined` when it is not there. */
  async image(name: string): Promise<{ readonly size: number; readonly labels: Readonly<Record<string, string>> } | undefined> {
    const answer = await this.run(['image', 'inspect', '--format', '{{json .}}', name]).catch(() => undefined);
    if (answer === undefined) return undefined;
    const { Size, Config } = JSON.parse(answer) as { Size: number; Config: { Labels: Record<string, string> | null } };
    return { size: Size, labels: Config.Labels ?? {} };
  }
}

export const socketIn = (folder: string): string => join(folder, 'run', 'docker.sock');
