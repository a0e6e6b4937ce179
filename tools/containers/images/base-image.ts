import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Docker } from '../docker';
import { run } from '../run';

const NODE = '24.11.1';
const NPM = '11.6.2';
const DEBIAN = 'bookworm';
export const BASE_IMAGE = 'node:24-slim';
export const SOURCES_LABEL = 'twinyard.sources';

/** What this machine trusts and asks besides what everybody does: an image that is built here has to reach the same registry. */
const CA_FILE = '/etc/ssl/certs/ca-certificates.crt';

/** The image that all others stand on, where none can be pulled: Debian, Node and npm, each of an exact version, from the registries. */
export async function makeBaseImage(docker: Docker, say: (line: string) => void): Promise<void> {
  const registry = (await run('npm', ['config', 'get', 'registry'])).trim();
  const sources = [DEBIAN, NODE, NPM, registry].join(' ');
  if ((await docker.image(BASE_IMAGE))?.labels[SOURCES_LABEL] === sources) return;
  say(`making ${BASE_IMAGE}`);
  const folder = mkdtempSync(join(tmpdir(), 'twinyard-base-'));
  try {
    const system = join(folder, 'system');
    await run('mmdebstrap', ['--quiet', '--variant=minbase', '--include=ca-certificates', DEBIAN, system]);
    await addNode(folder, system);
    cpSync(CA_FILE, join(system, CA_FILE));
    const changes = [
      `LABEL ${SOURCES_LABEL}="${sources}"`, `ENV NODE_VERSION=${NODE} NODE_EXTRA_CA_CERTS=${CA_FILE} NPM_CONFIG_REGISTRY=${registry}`,
      'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'CMD ["node"]',
    ];
    const archive = join(folder, 'system.tar');
    await run('tar', ['-C', system, '-cf', archive, '.']);
    await docker.run(['import', ...changes.flatMap((change) => ['--change', change]), archive, BASE_IMAGE]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Node as npm has it for this processor, and npm beside it. */
async function addNode(folder: string, system: string): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{}');
  const node = `node-linux-${process.arch}`;
  await run('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', `${node}@${NODE}`, `npm@${NPM}`]);
  const [from, to] = [join(folder, 'node_modules'), join(system, 'usr', 'local')];
  cpSync(join(from, node, 'bin', 'node'), join(to, 'bin', 'node'));
  cpSync(join(from, 'npm'), join(to, 'lib', 'node_modules', 'npm'), { recursive: true });
  for (const program of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${program}-cli.js`, join(to, 'bin', program));
}
