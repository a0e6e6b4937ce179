/**
 * `node dist/tools/images/main.js <image> <folder>` puts together what an image holds; deploy/Dockerfile runs it. `sizes` prints how large
 * each of them is. Uses nothing but Node and our own code: it runs where only production packages are installed.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { repositoryRoot } from '../checks/repository/repository';
import { IMAGES, isImageName } from './image';
import { stageImage } from './stage';

const root = repositoryRoot();
const print = (line: string) => process.stdout.write(`${line}\n`);

function main([image = '', folder = '']: readonly string[]): void {
  if (image === 'sizes') return sizes();
  if (!isImageName(image)) throw new Error(`SERVICE is ${JSON.stringify(image)}. There is: ${IMAGES.join(', ')}`);
  if (folder === '') throw new Error('Which folder?');
  mkdirSync(folder, { recursive: true });
  const { files, packages } = stageImage(root, image, resolve(folder));
  print(`${image}: ${files.length} files of its own, ${packages.length} packages, ${megabytes(folder)} MB`);
}

function sizes(): void {
  for (const image of IMAGES) {
    const folder = mkdtempSync(join(tmpdir(), 'twinyard-image-'));
    try {
      main([image, folder]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}

function megabytes(folder: string): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = entries.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  return (bytes / 1_000_000).toFixed(1);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
