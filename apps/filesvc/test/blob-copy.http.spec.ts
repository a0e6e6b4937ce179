import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeStoreMove } from './describe-store-move';

const folders: string[] = [];
const newFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'twinyard-move-'));
  folders.push(folder);
  return folder;
};
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

describeStoreMove('one folder to another', async () => ({ from: { BLOBS_DIR: await newFolder() }, to: { BLOBS_DIR: await newFolder() } }));
