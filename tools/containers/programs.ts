import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { run } from './run';

/** Debian's packages: the daemon, what it filters packets with, and what makes a root file system. */
const APT_PACKAGES: Readonly<Record<string, string>> = { dockerd: 'docker.io', iptables: 'iptables', mmdebstrap: 'mmdebstrap' };
const APT = ['-qq', '-o', 'Dpkg::Use-Pty=0', '-o', 'DPkg::Lock::Timeout=600'];
/** Packages of `npm run engines` that the images are made of, and Compose itself. */
const ENGINE_PACKAGES = ['kafka', 'mongo', 'versitygw', 'compose'] as const;

export type EnginePackage = (typeof ENGINE_PACKAGES)[number];

/** Where things are, once they are installed: a folder, of `compose` and `versitygw` the program. */
export type Programs = Readonly<Record<EnginePackage, string>>;

export type Say = (line: string) => void;

/** Installs what is missing, once for all clones of a machine. */
export async function installPrograms(root: string, say: Say): Promise<Programs> {
  const missing = Object.keys(APT_PACKAGES).filter((program) => !isOnPath(program));
  if (missing.length > 0) {
    const packages = missing.map((program) => APT_PACKAGES[program] ?? '');
    say(`installing ${packages.join(', ')}`);
    const env = { DEBIAN_FRONTEND: 'noninteractive' };
    await run('apt-get', [...APT, 'update'], { env });
    await run('apt-get', [...APT, 'install', '--yes', '--no-install-recommends', ...packages], { env });
  }
  await engines(root, 'install', ...ENGINE_PACKAGES);
  return findPrograms(root);
}

/** Throws where something is not installed. */
export async function findPrograms(root: string): Promise<Programs> {
  const paths = await Promise.all(ENGINE_PACKAGES.map(async (name) => [name, (await engines(root, 'path', name)).trim()] as const));
  return Object.fromEntries(paths) as Programs;
}

/** The folder for all that a daemon of our own keeps, beside what is installed. */
export const containersFolder = ({ compose }: Programs): string => join(dirname(compose), '..', 'containers');

const engines = (root: string, ...args: string[]) => run(process.execPath, [join(root, 'dist', 'deploy', 'engines', 'src', 'main.js'), ...args]);

/** Debian keeps the programs of a daemon where only root looks for them. */
const isOnPath = (program: string) => [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'].some((folder) => existsSync(join(folder, program)));
