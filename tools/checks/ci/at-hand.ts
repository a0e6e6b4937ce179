import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isAtHand as isFileAtHand } from '@twinyard/testing/shared-data';
import { isRegistryThere, newEnoughPython } from '../../judges/python-tools';

/** Numbers of capabilities(7): a Docker daemon mounts and routes. */
const [NET_ADMIN, SYS_ADMIN] = [12n, 21n];

/** A Docker daemon can be installed and started: root on Debian, with capabilities that a container has not. */
export function canRunContainers(): boolean {
  if (!canUseApt()) return false;
  const [, mask = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return [NET_ADMIN, SYS_ADMIN].every((number) => (BigInt(`0x${mask}`) & (1n << number)) !== 0n);
}

/** Debian's packages can be installed. */
export const canUseApt = () => isRoot() && existsSync('/etc/debian_version') && isProgram('apt-get');

const isRoot = () => process.getuid?.() === 0;

const FACTS: Readonly<Record<string, () => boolean>> = {
  root: isRoot,
  'root on Debian': canUseApt,
  containers: canRunContainers,
  'Python 3.11': () => newEnoughPython() !== undefined,
  'Python registry': () => isRegistryThere(),
  'ENGINES_ALL=1': () => process.env.ENGINES_ALL === '1',
};

/** Whether this machine has what a line of allowed-skips.txt names: a fact of the list above, a path (relative to the repository) or a program. */
export function atHand(root: string): (what: string) => boolean {
  const known = new Map<string, boolean>();
  return (what) => {
    const answer = known.get(what) ?? FACTS[what]?.() ?? (what.includes('/') ? isFileAtHand(what, root) : isProgram(what));
    known.set(what, answer);
    return answer;
  };
}

function isProgram(name: string, path = process.env.PATH ?? ''): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
