import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type ImageName, LOADED_BY_NAME, ONLY_READ, PARTS, programsOf } from './image';
import { neededPackages } from './installed-packages';
import { traceFiles } from './trace-files';

export interface Staged {
  readonly files: readonly string[];
  readonly packages: readonly string[];
}

/** Types, sources, maps and manuals of packages: nothing reads them at run time. Licences stay. */
const LEFT_OUT = /\.([cm]?ts|map|md|markdown)$/i;
const LICENCE = /licen[cs]e|notice|copying/i;

/** How one file gets to its place. */
export type CopyFile = (from: string, to: string) => void;

/**
 * Puts into `folder` what the image of a service holds: the compiled files that its programs lead to, the packages that
 * those need, as npm installed them, and nothing else.
 */
export function stageImage(root: string, image: ImageName, folder: string, copyFile: CopyFile = copyFileSync): Staged {
  const programs = programsOf(image);
  const dist = join(root, 'dist');
  const { files, packages: loaded } = traceFiles(dist, Object.values(programs));
  const { paths, direct } = neededPackages(root, [...loaded], { loadedByName: LOADED_BY_NAME, onlyRead: ONLY_READ });
  for (const file of files) copy(join(dist, file), join(folder, file));
  for (const path of paths) copyPackage(join(root, path), join(folder, path), onlyParts(join(root, path), PARTS[path.replace('node_modules/', '')], copyFile));
  for (const [name, file] of Object.entries(programs)) writeFileSync(join(folder, name), `require('./${file}');\n`);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(root, image, direct), null, 2)}\n`);
  copy(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  return { files: [...files].sort(), packages: [...paths].sort() };
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

/** Leaves out what is neither one of these parts, nor says what the package is and by which licence. */
function onlyParts(folder: string, parts: readonly string[] | undefined, copyFile: CopyFile): CopyFile {
  if (parts === undefined) return copyFile;
  const kept = (path: string) => parts.includes(path) || path === 'package.json' || LICENCE.test(path);
  return (from, to) => {
    if (kept(relative(folder, from))) copyFile(from, to);
  };
}

/** What is nested in it is a package of its own, which may not be needed. */
function copyPackage(from: string, to: string, copyFile: CopyFile): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules') copyPackage(source, target, copyFile);
    } else if (!LEFT_OUT.test(entry.name) || LICENCE.test(entry.name)) copyFile(source, target);
  }
}

/** For people and scanners; nothing is installed from it. */
function manifest(root: string, image: ImageName, dependencies: Readonly<Record<string, string>>): object {
  const { version, license, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  return { name: `twinyard-${image}`, version, private: true, license, engines, dependencies };
}
