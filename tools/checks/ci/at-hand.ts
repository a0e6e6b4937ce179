import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isAtHand as isFileAtHand } from '@twinyard/testing/shared-data';
import { isRegistryThere, newEnoughPython } from '../../judges/python-tools';

/** Debian's packages can be installed. */
export const canUseApt = () => isRoot() && existsSync('/etc/debian_version') && isProgram('apt-get');

const isRoot = () => process.getuid?.() === 0;

const FACTS: Readonly<Record<string, () => boolean>> = {
  root: isRoot,
  'root on Debian': canUseApt,
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
