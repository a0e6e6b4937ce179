import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The repository, seen from the sources as from the build. */
export function repositoryRoot(from = __dirname): string {
  return existsSync(join(from, 'nx.json')) ? from : repositoryRoot(dirname(from));
}

/** As in .gitignore; read from disk and not from git, which a machine need not have. */
const LEFT_OUT = new Set(['.git', '.nx', '.data', '.engines', '.artifacts', 'node_modules', 'dist', 'coverage', 'tmp']);
const BINARY = /\.(png|jpg|ico|woff2|wasm)$/;

/** Every text file of the repository, by its path from the root. */
export function repositoryFiles(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : repositoryFiles(root, path);
    return entry.isFile() && !BINARY.test(path) && !path.endsWith('.log') && entry.name !== '.env' ? [path] : [];
  });
}
