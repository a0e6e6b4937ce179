import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFiles } from './repository';

export const LIMIT = 300;
const GENERATED = /(^|\/)(package-lock\.json|openapi\.json)$|^docs\/events\.md$|\.(ifc|csv)$|\.schema\.json$/;

/** Files that people write and that are too long to read. */
export function longFiles(root: string): string[] {
  const written = repositoryFiles(root).filter((path) => !GENERATED.test(path));
  const counted = written.map((path) => ({ path, lines: readFileSync(join(root, path), 'utf8').trimEnd().split('\n').length }));
  return counted.filter(({ lines }) => lines > LIMIT).map(({ path, lines }) => `${path}: ${lines} lines`);
}
