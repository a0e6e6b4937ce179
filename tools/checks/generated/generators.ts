import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFiles } from '../repository/repository';

/** A command that writes files, and which ones. */
export interface Generator {
  readonly command: string;
  readonly writes: RegExp;
}

export const GENERATORS: readonly Generator[] = [
  { command: 'dist/libs/events/src/write-schemas.js', writes: /^libs\/events\/schemas\/|^docs\/events\.md$/ },
  { command: 'dist/tools/sample/generate.js', writes: /^tools\/sample\/sample-[\w-]+\.(ifc|csv)$|^tools\/platform\/gateway\/front\/plan\.svg$/ },
  { command: 'dist/tools/openapi/main.js', writes: /^apps\/\w+\/openapi\.json$/ },
  { command: 'dist/tools/settings/main.js', writes: /^docs\/operations\/settings\.md$/ },
];

/** Resolves with what went wrong. */
export function regenerate({ command }: Generator, root: string): string[] {
  const { status, stderr } = spawnSync(process.execPath, [join(root, command)], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  return status === 0 ? [] : [`${command} ended with ${status}: ${stderr.trim()}`];
}

/** The files that the generator would change, add or remove; whatever it did is undone. */
export function staleAfter(generator: Generator, root: string, run = regenerate): string[] {
  const before = contents(generator, root);
  const faults = run(generator, root);
  const after = contents(generator, root);
  const stale = [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
  for (const path of stale) putBack(join(root, path), before.get(path));
  return [...faults, ...stale.map((path) => `stale: ${path} (npm run generate)`)];
}

function contents({ writes }: Generator, root: string): ReadonlyMap<string, string> {
  const paths = repositoryFiles(root).filter((path) => writes.test(path));
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

function putBack(file: string, content: string | undefined): void {
  if (content === undefined) rmSync(file);
  else writeFileSync(file, content);
}
