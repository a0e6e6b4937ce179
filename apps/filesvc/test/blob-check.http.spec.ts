import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ObjectStore } from '@twinyard/blobs';
import { DataSource } from 'typeorm';
import { BlobReferencesRepository } from '../src/blob-check/blob-references.repository';
import { scrubBlobs, type CheckOptions, type Finding } from '../src/blob-check/scrub-blobs';
import { FILES, type FileBody, FilesvcUnderTest } from './filesvc-under-test';
import { PieceByPiece } from './moving-store';

describe('bytes and records', () => {
  let filesvc: FilesvcUnderTest;
  beforeEach(async () => { filesvc = await FilesvcUnderTest.start({ BLOB_RETENTION_SECONDS: 3_600 }); });
  afterEach(() => filesvc?.stop());

  const check = async (options: Partial<CheckOptions> = {}, store = filesvc.objects()) => {
    const lines: Finding[] = [];
    const references = new BlobReferencesRepository(filesvc.app.get(DataSource));
    const findings = await scrubBlobs(references, store, { report: (line) => lines.push(line), ...options });
    return { ...findings, lines: lines.filter((line) => !('checkedTo' in line)) };
  };
  const keyOf = async (file: FileBody) => (await filesvc.query<{ blob_key: string }>('SELECT blob_key FROM file_version WHERE file_id = $1', [file._id]))[0]?.blob_key ?? '';
  const put = (key: string, content: string) => filesvc.objects().put(key, Readable.from([Buffer.from(content)]));

  it('are compared both ways: what is missing and what is damaged is named, bytes that nobody knows may be handed to the sweep', async () => {
    const [whole, lost, changed, short] = [await filesvc.upload('whole.txt', 'x'), await filesvc.upload('lost.txt', 'y'), await filesvc.upload('changed.txt', 'z'), await filesvc.upload('short.txt', 'long')];
    const [gone, other, cut] = [await keyOf(lost), await keyOf(changed), await keyOf(short)];
    await filesvc.objects().delete(gone);
    await put(other, 'Z');
    await put(cut, 'lon');
    await put('files/nobody', 'of no version');
    const sums = { versions: 4, blobs: 4, missing: 1, damaged: 2, orphaned: 1, unfinished: 0 };
    const found = await check();
    expect(found).toEqual({ ...sums, lines: expect.any(Array) as object });
    expect(found.lines).toHaveLength(4);
    expect(found.lines).toEqual(expect.arrayContaining([
      { missing: gone, versionId: lost._tipId, fileId: lost._id }, { damaged: other, by: 'sha256', versionId: changed._tipId, fileId: changed._id },
      { damaged: cut, by: 'size', versionId: short._tipId, fileId: short._id }, { orphaned: 'files/nobody' },
    ]));
    expect(await check({ onlySize: true })).toMatchObject({ ...sums, damaged: 1 });
    expect((await check({ releaseAfterSeconds: 60 })).orphaned).toBe(1);
    expect((await check()).orphaned).toBe(0);
    expect(await filesvc.sweep()).toBe(0);
    expect(await filesvc.sweep(new Date(Date.now() + 61_000))).toBe(1);
    expect(await filesvc.blobs()).toHaveLength(3);
    expect(whole._tipId).toBeDefined();
  });

  it('are looked at twice: what is deleted while they are compared is not missing, and what is being uploaded is not orphaned', async () => {
    const files = await Promise.all(Array.from({ length: 8 }, (_, number) => filesvc.upload(`${number}.txt`, String(number))));
    const store = filesvc.objects();
    let hasChanged = false;
    // Deleted, with its bytes, after the database was asked and before the store is; an upload is half way.
    const between = new Proxy(store, {
      get: (target, name: keyof ObjectStore) => (name !== 'get' ? (target[name] as () => unknown).bind(target) : async (key: string) => {
        if (!hasChanged) {
          hasChanged = true;
          await filesvc.as('owner', 'delete', `${FILES}/${files[3]?._id}`).expect(204);
          await filesvc.sweep(new Date(Date.now() + 3_601_000));
          await filesvc.query(`INSERT INTO loose_blob (key, expires_at) VALUES ('files/under-way', now() + interval '1 day')`);
          await put('files/under-way', 'half');
        }
        return target.get(key);
      }),
    });
    expect(await check({}, between)).toEqual({ versions: 8, blobs: 8, missing: 0, damaged: 0, orphaned: 0, unfinished: 0, lines: [] });
    expect(hasChanged).toBe(true);
  });

  it('of uploads in pieces that have not ended are named with what has come of them, and are none of what nobody knows', async () => {
    const uploads = [];
    for (const name of ['one.bin', 'two.bin']) uploads.push(await PieceByPiece.begin(filesvc, name, randomBytes(1_000)));
    await uploads[1]?.send(filesvc, 400);
    const { lines, ...sums } = await check();
    expect(sums).toEqual({ versions: 0, blobs: 0, missing: 0, damaged: 0, orphaned: 0, unfinished: 2 });
    const told = (upload: PieceByPiece | undefined, received: number) => ({ unfinished: { uploadId: expect.any(String) as string, fileId: upload?.file._id, received, size: 1_000, until: expect.any(Date) as Date } });
    expect(lines).toHaveLength(2);
    expect(lines).toEqual(expect.arrayContaining([told(uploads[0], 0), told(uploads[1], 400)]));
  });

  it('are read no faster than allowed, and from where a check was cut off', async () => {
    await Promise.all([1, 2, 3].map((number) => filesvc.upload(`${number}.bin`, randomBytes(200_000))));
    const begun = performance.now();
    expect(await check({ bytesPerSecond: 1_000_000 })).toMatchObject({ versions: 3, damaged: 0 });
    expect(performance.now() - begun).toBeGreaterThan(550);
    const keys = (await filesvc.query<{ blob_key: string }>('SELECT blob_key FROM file_version ORDER BY blob_key')).map(({ blob_key: key }) => key);
    expect((await check({ after: keys[1] ?? '' })).versions).toBe(1);
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
