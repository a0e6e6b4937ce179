import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { breakingChanges } from './breaking-changes';
import { eventsPage } from './events-page';
import { type JsonSchema, schemaFiles } from './json-schemas';

/** The repository, seen from the sources as from the build. */
export function repositoryRoot(from = __dirname): string {
  return existsSync(join(from, 'nx.json')) ? from : repositoryRoot(dirname(from));
}

const schemaFolder = (root: string) => join(root, 'libs/events/schemas');
const pageFile = (root: string) => join(root, 'docs/events.md');

/** What the committed files do not say as the catalogue does. */
export function staleFiles(root = repositoryRoot()): string[] {
  const wanted = schemaFiles();
  const orphans = committedNames(root).filter((name) => !wanted.has(name));
  const stale = [...wanted].filter(([name, text]) => readOrEmpty(join(schemaFolder(root), name)) !== text).map(([name]) => name);
  return [...orphans, ...stale, ...(readOrEmpty(pageFile(root)) === eventsPage() ? [] : ['docs/events.md'])];
}

/** What the catalogue does to released schemas that it may not do. */
export function brokenContracts(root = repositoryRoot()): string[] {
  const wanted = schemaFiles();
  return committedNames(root).flatMap((name) => {
    const next = wanted.get(name);
    if (next === undefined) return [`${name}: was removed`];
    const released = JSON.parse(readFileSync(join(schemaFolder(root), name), 'utf8')) as JsonSchema;
    return breakingChanges(released, JSON.parse(next) as JsonSchema).map((fault) => `${name}: ${fault}`);
  });
}

/** Rewrites schemas and page, unless that would break a released contract. */
export function writeFiles(root = repositoryRoot()): void {
  const faults = brokenContracts(root);
  if (faults.length > 0) throw new Error(`A released event may only gain optional fields:\n${faults.join('\n')}`);
  mkdirSync(schemaFolder(root), { recursive: true });
  for (const [name, text] of schemaFiles()) writeFileSync(join(schemaFolder(root), name), text);
  mkdirSync(dirname(pageFile(root)), { recursive: true });
  writeFileSync(pageFile(root), eventsPage());
}

const committedNames = (root: string) => (existsSync(schemaFolder(root)) ? readdirSync(schemaFolder(root)).filter((name) => name.endsWith('.schema.json')) : []);
const readOrEmpty = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
