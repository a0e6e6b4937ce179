// Compiles every TypeScript file of the product into dist/ (only what changed since the last build) and copies the
// files that the code reads at run time. Types are not checked here; `npm run types` does that.
import { createHash } from 'node:crypto';
import { transformFile, version as swcVersion } from '@swc/core';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, swcOptions } from './swc-options.mjs';

const SOURCES = ['libs', 'apps', 'tools', 'bench', 'deploy', 'docs'];
/** What the code reads at run time, also the files of JavaScript that run in the sandbox of scripts, the declarations of what they are given, guides and references. */
const ASSETS = /(\.(css|eta|svg|ifc|csv|sql|schema\.json)|\/(sandbox|reference)\/[a-z0-9-]+\.mjs|\/script-(types|libraries)\.d\.ts|^docs\/[a-z-]+\.md|^apps\/\w+\/openapi\.json)$/;
const out = join(root, 'dist');

/** What each file in dist/ was made of: source and compiler setting, by hash. Times do not tell: a copy may keep an older one. */
const ledger = join(out, 'sources.json');

/** Compiles what is stale and removes what has no source any more. Returns the number of files written. */
export async function build() {
  const setting = JSON.stringify([swcOptions, swcVersion]);
  const known = readLedger();
  const files = SOURCES.flatMap((folder) => list(join(root, folder)));
  const hashes = Object.fromEntries(files.map((file) => [relative(root, file), hash(setting, readFileSync(file))]));
  const stale = files.filter((file) => known[relative(root, file)] !== hashes[relative(root, file)] || !existsSync(targetOf(file)));
  await Promise.all(stale.map(compile));
  removeOrphans(new Set([ledger, ...files.map(targetOf)]));
  if (stale.length > 0 || Object.keys(known).length !== files.length) writeWhole(ledger, JSON.stringify(hashes));
  return stale.length;
}

const hash = (setting, content) => createHash('sha256').update(setting).update(content).digest('base64');

function readLedger() {
  try {
    return JSON.parse(readFileSync(ledger, 'utf8'));
  } catch {
    return {};
  }
}

/** A build that is stopped half way, or meets another one, leaves no half-written file. */
function writeWhole(file, content) {
  const part = `${file}.${process.pid}.part`;
  writeFileSync(part, content);
  renameSync(part, file);
}

function list(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => (isSource(file) && !/\.(spec|delivery|engines|scale)\.ts$/.test(file)) || ASSETS.test(relative(root, file)));
}

const isSource = (file) => file.endsWith('.ts') && !file.endsWith('.d.ts');

const targetOf = (file) => (isSource(file) ? join(out, relative(root, file)).replace(/\.ts$/, '.js') : join(out, relative(root, file)));

async function compile(file) {
  const target = targetOf(file);
  mkdirSync(dirname(target), { recursive: true });
  if (!isSource(file)) return copyFileSync(file, target);
  const { code, map } = await transformFile(file, { ...swcOptions, filename: file });
  writeWhole(`${target}.map`, map ?? '');
  writeWhole(target, `${code}\n//# sourceMappingURL=${basename(target)}.map\n`);
}

function removeOrphans(targets) {
  if (!existsSync(out)) return;
  for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath ?? entry.path, entry.name);
    if (entry.isFile() && !targets.has(file.replace(/\.map$/, ''))) rmSync(file, { force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const started = Date.now();
  const count = await build();
  // `npm start` says it where it took time.
  if (count > 0 || !process.argv.includes('--quiet')) console.log(`build: ${count} files compiled in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}
