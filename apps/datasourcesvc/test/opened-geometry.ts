import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { DrawnElement } from './geometry-reader';

const READER = resolve(__dirname, '../../../dist/apps/datasourcesvc/test/geometry-reader.js');

/** What the reader of Fragments finds in such a file. */
export async function openedGeometry(bytes: Uint8Array): Promise<readonly DrawnElement[]> {
  const folder = await mkdtemp(join(tmpdir(), 'twinyard-geometry-'));
  try {
    const path = join(folder, 'model.frag');
    await writeFile(path, bytes);
    const { stdout } = await promisify(execFile)(process.execPath, [READER, path], { env: {}, maxBuffer: 64 * 1_048_576 });
    return JSON.parse(stdout) as DrawnElement[];
  } finally {
    await rm(folder, { recursive: true });
  }
}
