import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFiles } from './repository';

/** Written so that this file does not find itself. */
const TRACES: Readonly<Record<string, RegExp>> = {
  'a path of a machine': /(?<![\w.)}\]-])\/((work|home|root)\/[\w.-]+|Users\/[\w-]+\/[\w.-]+\/)/, // `/Users/{id}` is a path of SCIM too
  'a registry host': /\bregistry\.[\w-]+\.\w{2,}|\bartifactor[y]\b|\bnpmmirro[r]\b/i,
};

/** Where a file says on which machine it was made, or from where its packages came. */
export function strayTraces(root: string): string[] {
  return repositoryFiles(root).flatMap((path) => tracesIn(readFileSync(join(root, path), 'utf8')).map((trace) => `${path}:${trace}`));
}

export function tracesIn(text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const found = Object.entries(TRACES).find(([, pattern]) => pattern.test(line));
    return found ? [`${index + 1}: ${found[0]}: ${line.trim().slice(0, 120)}`] : [];
  });
}

/** Packages come from whatever registry npm is set to: the lock file has checksums, no addresses. */
export function lockedHosts(root: string): string[] {
  return lockedAddresses(readFileSync(join(root, 'package-lock.json'), 'utf8'));
}

export function lockedAddresses(lock: string): string[] {
  const { packages } = JSON.parse(lock) as { packages: Record<string, { resolved?: string }> };
  return Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined).map(([name]) => `package-lock.json: ${name} has an address`);
}
