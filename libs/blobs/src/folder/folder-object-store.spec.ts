import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describeObjectStore } from '../contract-suite/describe-object-store';
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
