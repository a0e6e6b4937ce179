import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { atHand } from '../checks/ci/at-hand';
import { run } from './run';

/** Debian's packages: the daemon, what it filters packets with, and what makes a root file system. */
const APT_PACKAGES: Readonly<Record<string, string>> = { dockerd: 'docker.io', iptables: 'iptables', mmdebstrap: 'mmdebstrap' };
const APT = ['-qq', '-o', 'Dpkg::Use-Pty=0', '-o', 'DPkg::Lock::Timeout=600'];
/** Packages of `npm run engines` that the images are made of, and Compose itself. */
const ENGINE_PACKAGES = ['kafka', 'mongo', 'versitygw', 'compose'] as const;

export type EnginePackage = (typeof ENGINE_PACKAGES)[number];

/** Whether this machine has what all of it is made with, and may run it. */
export const canMakeImages = (root: string): boolean => ['containers', 'go', 'java', 'mvn', 'javac'].every(atHand(root));

/** Where things are, once they are installed: a folder, of `compose` and `versitygw` the program. */
export type Programs = Readonly<Record<EnginePackage, string>>;

export type Say = (line: string) => void;

/** Installs what is missing, once for all clones of a machine. */
export async function installPrograms(root: string, say: Say): Promise<Programs> {
  await installFromDebian(APT_PACKAGES, say);
  return installPackages(root, ENGINE_PACKAGES);
}

/** Throws where something is not installed. */
export const findPrograms = (root: string): Promise<Programs> => findPackages(root, ENGINE_PACKAGES);

/** Installs Debian's packages, of those programs that are not there. */
export async function installFromDebian(packageOf: Readonly<Record<string, string>>, say: Say): Promise<void> {
  const packages = Object.entries(packageOf).flatMap(([program, name]) => (isOnPath(program) ? [] : [name]));
  if (packages.length === 0) return;
  say(`installing ${packages.join(', ')}`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', [...APT, 'update'], { env });
  await run('apt-get', [...APT, 'install', '--yes', '--no-install-recommends', ...packages], { env });
}

/** Installs packages of `npm run engines`, and says where each is. */
export async function installPackages<Name extends string>(root: string, names: readonly Name[]): Promise<Readonly<Record<Name, string>>> {
  for (const name of names) await engines(root, 'install', name);
  return findPackages(root, names);
}

async function findPackages<Name extends string>(root: string, names: readonly Name[]): Promise<Readonly<Record<Name, string>>> {
  const paths = await Promise.all(names.map(async (name) => [name, (await engines(root, 'path', name)).trim()] as const));
  return Object.fromEntries(paths) as Record<Name, string>;
}

/** The folder for all that a daemon of our own keeps, beside what is installed. */
export const containersFolder = ({ compose }: Programs): string => join(dirname(compose), '..', 'containers');

const engines = (root: string, ...args: string[]) => run(process.execPath, [join(root, 'dist', 'deploy', 'engines', 'src', 'main.js'), ...args]);

/** Debian keeps the programs of a daemon where only root looks for them, and plug-ins for the networks of containers in a folder of their own. */
const isOnPath = (program: string) => [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin', '/usr/lib/cni'].some((folder) => existsSync(join(folder, program)));
