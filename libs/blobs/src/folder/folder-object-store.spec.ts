import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describeObjectStore } from '../contract-suite/describe-object-store';
import { NOTHING_RECEIVED, type PartialObject } from '../port/partial-object';
import { toStorageError } from './file-errors';
import { FolderObjectStore } from './folder-object-store.adapter';

const newFolder = () => mkdtemp(join(tmpdir(), 'twinyard-blobs-'));
const remove = (folder: string) => rm(folder, { recursive: true, force: true });

describeObjectStore('folder', async () => {
  const folder = await newFolder();
  return { store: await FolderObjectStore.open(folder), close: () => remove(folder) };
});

describe('folder object store', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await newFolder();
  });
  afterEach(() => remove(folder));

  it('finds its objects again after a restart', async () => {
    await (await FolderObjectStore.open(folder)).put('files/a', Readable.from([Buffer.from('kept')]));
    await expect((await FolderObjectStore.open(folder)).stat('files/a')).resolves.toMatchObject({ size: 4 });
  });

  it('keeps them for its owner alone, whatever its process has as umask', async () => {
    const umask = process.umask(0o022);
    try {
      const made = join(folder, 'made');
      const store = await FolderObjectStore.open(made);
      await store.put('files/streamed', Readable.from([Buffer.from('a')]));
      await store.putBytes('files/bytes', Buffer.from('a'));
      const pieces = { key: 'files/pieces', size: 1 };
      const told: PartialObject[] = [];
      for await (const state of store.append(pieces, NOTHING_RECEIVED, Readable.from([Buffer.from('a')]))) told.push(state);
      await store.complete(pieces);
      await store.complete({ key: 'files/empty', size: 0 });
      const paths = [made, ...(await readdir(made, { recursive: true })).map((name) => join(made, name))];
      const modes = await Promise.all(paths.map(async (path) => {
        const found = await stat(path);
        return `${found.isDirectory() ? 'folder' : 'file'} ${(found.mode & 0o777).toString(8)}`;
      }));
      expect(modes.filter((mode) => mode === 'file 600')).toHaveLength(4);
      expect(new Set(modes)).toEqual(new Set(['folder 700', 'file 600']));
    } finally {
      process.umask(umask);
    }
  });

  it('leaves no partial file of a put that failed', async () => {
    const store = await FolderObjectStore.open(folder);
    await expect(store.put('files/a', Readable.from([Buffer.alloc(10)]), { maxSize: 5 })).rejects.toThrow();
    await expect(readdir(join(folder, 'incoming'))).resolves.toEqual([]);
  });

  it('sweeps what a crash left, and only that which is old enough', async () => {
    const store = await FolderObjectStore.open(folder);
    await writeFile(join(folder, 'incoming', 'left-by-a-crash'), 'half');
    await expect(store.sweep(new Date(Date.now() - 60_000))).resolves.toBe(0);
    await expect(store.sweep(new Date(Date.now() + 60_000))).resolves.toBe(1);
    await expect(readdir(join(folder, 'incoming'))).resolves.toEqual([]);
  });

  it('is not ready when its folder is gone', async () => {
    const store = await FolderObjectStore.open(folder);
    await remove(folder);
    await expect(store.check()).rejects.toThrow();
  });

  it('answers 507 for a full disk and leaves other errors alone', () => {
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    expect(toStorageError(full)).toMatchObject({ status: 507 });
    const other = new Error('other');
    expect(toStorageError(other)).toBe(other);
  });
});
