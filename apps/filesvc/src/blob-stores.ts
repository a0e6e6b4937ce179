import { resolve } from 'node:path';
import { CombinedObjectStore, FolderObjectStore, type NamedStore, type ObjectStore, S3ObjectStore, type S3Options } from '@twinyard/blobs';
import { blobsFolder, type FilesvcSettings, s3Options, secondaryS3Options } from './config';

export type Stores = readonly [NamedStore, ...NamedStore[]];

/** The store that new bytes go to, and the one that others are still read from, when there is one. */
export async function openStores(settings: FilesvcSettings): Promise<Stores> {
  const s3 = s3Options(settings);
  const first = s3 === undefined ? await folder(blobsFolder(settings)) : s3Store(s3);
  const secondaryS3 = secondaryS3Options(settings);
  if (secondaryS3 !== undefined) return [first, s3Store(secondaryS3)];
  return settings.BLOBS_SECONDARY_DIR === undefined ? [first] : [first, await folder(settings.BLOBS_SECONDARY_DIR)];
}

export const openStore = async (settings: FilesvcSettings): Promise<ObjectStore> => new CombinedObjectStore(await openStores(settings));

const folder = async (path: string): Promise<NamedStore> => ({ name: `folder ${resolve(path)}`, store: await FolderObjectStore.open(path) });
const s3Store = (options: S3Options): NamedStore => ({ name: `s3 ${options.endpoint} ${options.bucket}`, store: new S3ObjectStore(options) });
