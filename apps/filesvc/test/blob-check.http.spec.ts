import { Readable } from 'node:stream';
import { ObjectStore } from '@twinyard/blobs';
import { DataSource } from 'typeorm';
import { BlobReferencesRepository } from '../src/blob-check/blob-references.repository';
import { checkBlobs } from '../src/blob-check/check-blobs';
import { FILES, FilesvcUnderTest } from './filesvc-under-test';

describe('bytes and records', () => {
  let filesvc: FilesvcUnderTest;
  beforeEach(async () => { filesvc = await FilesvcUnderTest.start({ BLOB_RETENTION_SECONDS: 3_600 }); });
  afterEach(() => filesvc?.stop());

  const check = async (releaseAfterSeconds?: number) => {
    const lines: object[] = [];
    const references = new BlobReferencesRepository(filesvc.app.get(DataSource));
    const findings = await checkBlobs(references, filesvc.app.get(ObjectStore), { report: (line) => lines.push(line), ...(releaseAfterSeconds !== undefined && { releaseAfterSeconds }) });
    return { ...findings, lines };
  };

  it('are compared both ways: versions without bytes are named, bytes that nobody knows may be handed to the sweep', async () => {
    const store = filesvc.app.get(ObjectStore);
    const [whole, lost] = [await filesvc.upload('whole.txt', 'x'), await filesvc.upload('lost.txt', 'y')];
    const [{ blob_key: key } = { blob_key: '' }] = await filesvc.query<{ blob_key: string }>('SELECT blob_key FROM file_version WHERE file_id = $1', [lost._id]);
    await store.delete(key);
    await store.put('files/nobody', Readable.from(['z']));
    expect(await check()).toEqual({ versions: 2, blobs: 2, missing: 1, unknown: 1, lines: [{ missing: key, versionId: lost._tipId, fileId: lost._id }, { unknown: 'files/nobody' }] });
    expect((await check(60)).unknown).toBe(1);
    expect((await check()).unknown).toBe(0);
    expect(await filesvc.sweep()).toBe(0);
    expect(await filesvc.sweep(new Date(Date.now() + 61_000))).toBe(1);
    expect(await filesvc.blobs()).toHaveLength(1);
    expect((await check()).versions).toBe(2);
    expect(whole._tipId).toBeDefined();
  });

  it('outlive a deletion for their retention, so that a database restored from before it finds them', async () => {
    const file = await filesvc.upload('a.txt', 'one');
    const backup = await filesvc.query<Record<string, unknown>>('SELECT * FROM file_version');
    await filesvc.as('owner', 'delete', `${FILES}/${file._id}`).expect(204);
    expect(await filesvc.sweep()).toBe(0);
    expect(await filesvc.blobs()).toEqual([backup[0]?.['blob_key']]);
    expect(await filesvc.sweep(new Date(Date.now() + 3_601_000))).toBe(1);
    expect(await filesvc.blobs()).toEqual([]);
  });
});
