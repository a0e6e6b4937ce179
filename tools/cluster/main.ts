/** `npm run test:cluster`: a Kubernetes node of our own, and the suites that run on it (k8s/README.md). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../checks/repository/repository';
import { canMakeImages } from '../containers/programs';
import { PARTS_VARIABLE } from './parts';
import { prepareParts } from './prepare';

const CONTROL_GROUPS = '/sys/fs/cgroup';

/**
 * A network without a way out, processes and mounts of its own: nothing of the machine is touched, and all of the node ends with the process that it began with.
 * The name is that of the overlay `dev`, which k8s/README.md has people put into their hosts file.
 */
const IN_NAMESPACES = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
const BEGIN = 'set -e; ip link set lo up; mount -t tmpfs tmpfs /run; mount --bind "$0" /etc/hosts; exec "$@"';
const HOSTS = '127.0.0.1 localhost twinyard.localhost\n';

const root = repositoryRoot();
const suites = [process.execPath, join(root, 'tools', 'test.mjs'), '--testMatch=**/*.cluster.ts', ...process.argv.slice(2)];
const say = (line: string) => void process.stderr.write(`cluster: ${line}\n`);

async function main(): Promise<number> {
  if (!canMakeImages(root)) {
    say('skipped: a node needs root on Debian, with the capabilities to mount and to route, and Go, a JDK and Maven');
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'twinyard-cluster-'));
  try {
    const [parts, hosts] = [join(folder, 'parts.json'), join(folder, 'hosts')];
    writeFileSync(parts, JSON.stringify(await prepareParts(root, folder, say)));
    writeFileSync(hosts, HOSTS);
    const child = spawn('unshare', [...IN_NAMESPACES, 'sh', '-c', BEGIN, hosts, ...suites], { stdio: 'inherit', env: { ...process.env, [PARTS_VARIABLE]: parts } });
    const [status] = (await once(child, 'close')) as [number | null];
    return status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    for (const group of readdirSync(CONTROL_GROUPS)) removeGroups(join(CONTROL_GROUPS, group, 'kubepods'));
    removeGroups(join(CONTROL_GROUPS, 'kubepods'));
  }
}

/** Control groups of a node that is gone: folders that hold nothing but folders of their own. */
function removeGroups(group: string): void {
  try {
    for (const entry of readdirSync(group, { withFileTypes: true })) if (entry.isDirectory()) removeGroups(join(group, entry.name));
    rmdirSync(group);
  } catch {
    // it is not there, or another node has it
  }
}

main().then((status) => {
  process.exitCode = status;
}, (error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
