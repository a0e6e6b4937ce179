import { createHash, randomBytes } from 'node:crypto';
import { EventBus, Outbox, type PublicEvent } from '@twinyard/events';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { eventually } from '@twinyard/testing';
import { DataSource } from 'typeorm';
import { FilesEvents } from '../src/files/files.events';
import { FilesRepository } from '../src/files/files.repository';
import { PreviewOrders } from '../src/previews/preview-orders';
import { BlobScan } from '../src/scan/blob-scan';
import { runQuarantineCommand } from '../src/scan/quarantine-command';
import { QuarantinedVersionsRepository } from '../src/scan/quarantined-versions.repository';
import { Verdicts } from '../src/scan/verdicts';
import { VersionsRepository } from '../src/versions/versions.repository';
import { FILES, type FileBody, FilesvcUnderTest, NS } from './filesvc-under-test';
import { EICAR, StandInClamd } from './stand-in-clamd';

const SIGNATURE = 'Win.Test.EICAR_HDB-1';
const MEGABYTE = 1024 ** 2;
const statusOf = (resource: object) => (resource as { readonly _status?: string })._status;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('uploads that a scanner looks at', () => {
  let files: FilesvcUnderTest;
  /** Another replica, which waits for the scanner no longer than a second. */
  let hasty: FilesvcUnderTest;
  let clamd: StandInClamd;
  const told: PublicEvent[] = [];
  beforeAll(async () => {
    clamd = await StandInClamd.start();
    files = await FilesvcUnderTest.start({ SCAN_CLAMD_ADDRESS: clamd.address });
    hasty = await files.replica({ SCAN_TIMEOUT_SECONDS: 1 });
    const handler = async ({ data }: { data: PublicEvent }): Promise<void> => { told.push(data); };
    (await files.app.get(EventBus).subscribe({ group: 'spec', topics: ['filesvc.file'], handler })).start();
  });
  beforeEach(() => { clamd.conduct = 'scans'; });
  afterAll(async () => {
    await files?.stop();
    await clamd?.stop();
  });

  const post = (name: string, content: Buffer, query: object = {}, by = files) => by.as('owner', 'post', FILES, { _namespaces: NS, ...query }).attach('file', content, name);
  const get = async ({ _id }: FileBody) => (await files.as('owner', 'get', `${FILES}/${_id}`).expect(200)).body as FileBody;
  const begin = async (name: string, bytes: Buffer) =>
    (await files.as('owner', 'post', FILES, { uploadType: 'resumable' }).send({ _name: name, _namespaces: [NS], _uploadMeta: { _size: bytes.length, _checksum: sha256(bytes) } }).expect(200)).body as FileBody;
  const send = ({ _id }: FileBody, method: 'PATCH' | 'HEAD', bytes: Buffer, offset = 0, by = files) => fetch(`${by.url}${FILES}/${_id}?uploadType=resumable&checksum=${sha256(bytes)}&nsfilter=${NS}`, {
    method,
    headers: { authorization: `Bearer ${files.tokenOf('owner')}`, ...(method === 'PATCH' && { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) }) },
    ...(method === 'PATCH' && { body: bytes.subarray(offset) }),
  });

  it('are shown to it whole, each part, and are what they were', async () => {
    clamd.scanned.length = 0;
    const large = randomBytes(3 * MEGABYTE);
    const { body } = await post('clean.bin', large).attach('file', Buffer.from('second'), 'second.txt').attach('file', Buffer.alloc(0), 'empty.txt').expect(201);
    expect((body as FileBody[]).map(({ _status }) => _status)).toEqual(['UPLOAD_COMPLETED', 'UPLOAD_COMPLETED', 'UPLOAD_COMPLETED']);
    expect(clamd.scanned).toEqual([3 * MEGABYTE, 6]);
  });

  it('are quarantined when it finds something: told, listed, deleted, and never given out', async () => {
    const good = await files.upload('model.txt', 'the good one');
    const before = await files.address(good);
    const bad = (await post('model.txt', EICAR).expect(201)).body[0] as FileBody;
    expect(bad).toMatchObject({ _id: good._id, _status: 'QUARANTINED', _tipVersion: 2, _fileVersion: { _quarantinedFor: SIGNATURE } });
    await eventually(() => expect(told.filter(({ resource }) => resource._id === bad._id).map(({ event, resource }) => [event, statusOf(resource)])).toEqual([
      ['resource.ResourceCreated', 'UPLOAD_COMPLETED'], ['resource.ResourceUpdated', 'QUARANTINED'],
    ]));
    for (const route of ['url', 'previewurl', `versions/${bad._tipId}/url`]) {
      const { body } = await files.as('owner', 'get', `${FILES}/${bad._id}/${route}`).expect(403);
      expect(body).toMatchObject({ code: 'quarantined', message: expect.stringContaining(SIGNATURE) });
    }
    const listed = await files.list({ _status: 'QUARANTINED', withUrl: true });
    expect(listed._list.map(({ _id, _url }) => [_id, _url])).toEqual([[bad._id, undefined]]);
    expect((await files.send('get', before)).text).toBe('the good one');
    await files.as('owner', 'delete', `${FILES}/${bad._id}/versions/${bad._tipId}`).expect(204);
    expect(await get(bad)).toMatchObject({ _status: 'UPLOAD_COMPLETED', _tipVersion: 1 });
    expect((await files.send('get', await files.address(good))).text).toBe('the good one');
  });

  it('are not given out by an address that is older than the finding', async () => {
    const file = await files.upload('found-later.txt', 'harmless');
    const address = await files.address(file);
    await files.query('UPDATE file_version SET quarantined_for = $1 WHERE id = $2', [SIGNATURE, file._tipId]);
    for (const method of ['get', 'head'] as const) expect((await files.send(method, address)).status).toBe(403);
    expect((await files.send('get', address)).body.code).toBe('quarantined');
  });

  it.each(['hangs up half way', 'is silent', 'talks nonsense'] as const)('are refused (503) while it %s, and nothing is kept of them', async (conduct) => {
    clamd.conduct = conduct;
    const blobs = (await files.blobs()).length;
    const answer = await post(`${conduct}.bin`, randomBytes(2 * MEGABYTE), {}, hasty).attach('file', Buffer.from('x'), 'more.txt').expect(503);
    expect([answer.body.code, answer.headers['retry-after']]).toEqual(['unavailable', '5']);
    expect(await files.list({ _name: `^${conduct}` })).toMatchObject({ _total: 0 });
    expect((await files.blobs()).length).toBe(blobs);
    clamd.conduct = 'scans';
    await post(`${conduct}.bin`, Buffer.from('again')).expect(201);
  });

  it('are refused (413) when they are larger than it takes', async () => {
    const { body } = await post('large.bin', Buffer.alloc(clamd.limit + 1)).expect(413);
    expect(body).toMatchObject({ code: 'too_large', details: [{ field: '_requested', issue: String(clamd.limit + 1) }] });
    expect(await files.list({ _name: '^large' })).toMatchObject({ _total: 0 });
  });

  it('in pieces wait for it: the last piece is answered 503 and may be asked for again', async () => {
    const bytes = randomBytes(200_000);
    const file = await begin('pieces.bin', bytes);
    clamd.conduct = 'is silent';
    const refused = await send(file, 'PATCH', bytes, 0, hasty);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await send(file, 'HEAD', bytes, 0, hasty)).status).toBe(503);
    expect(await get(file)).toMatchObject({ _status: 'UPLOADING', _tipVersion: 0 });
    clamd.conduct = 'scans';
    expect((await send(file, 'HEAD', bytes)).status).toBe(200);
    expect(await get(file)).toMatchObject({ _status: 'UPLOAD_COMPLETED', _tipVersion: 1 });

    const again = await begin('again.bin', bytes);
    clamd.conduct = 'hangs up half way';
    expect((await send(again, 'PATCH', bytes)).status).toBe(503);
    clamd.conduct = 'scans';
    expect((await send(again, 'PATCH', bytes, bytes.length)).status).toBe(204);
    expect(await get(again)).toMatchObject({ _status: 'UPLOAD_COMPLETED' });
  });

  describe('by an operator', () => {
    const run = async (...args: string[]) => {
      const lines: object[] = [];
      const { app } = files;
      const scanned = new QuarantinedVersionsRepository(app.get(DataSource));
      const stores = { unitOfWork: app.get(TypeOrmUnitOfWork), files: app.get(FilesRepository), versions: app.get(VersionsRepository), scanned, events: app.get(FilesEvents), outbox: app.get(Outbox), previews: app.get(PreviewOrders) };
      const code = await runQuarantineCommand(args, { scanned, scan: app.get(BlobScan), verdicts: new Verdicts(stores), print: (line) => lines.push(line as object) });
      return { code, lines };
    };

    it('are listed, scanned again by a scanner that has learnt, and released with a name and a reason', async () => {
      await files.query('DELETE FROM file');
      const bad = (await post('bad.txt', EICAR).expect(201)).body[0] as FileBody;
      const alarm = await files.upload('alarm.txt', 'harmless');
      await files.query('UPDATE file_version SET quarantined_for = $1 WHERE id = $2', ['False.Alarm', alarm._tipId]);
      await files.query(`UPDATE file SET status = 'QUARANTINED' WHERE id = $1`, [alarm._id]);
      await files.upload('fine.txt', 'fine');

      expect((await run('list')).lines).toEqual(expect.arrayContaining([bad, alarm].map(({ _id, _tipId }) => expect.objectContaining({ versionId: _tipId, fileId: _id, namespaces: [NS] }))));
      expect((await run('rescan')).lines).toEqual([expect.objectContaining({ rescanned: alarm._tipId, found: 'False.Alarm', now: null }), { rescanned: 2 }]);
      expect(await get(alarm)).toMatchObject({ _status: 'UPLOAD_COMPLETED' });
      expect((await files.send('get', await files.address(alarm))).text).toBe('harmless');

      await expect(run('release', bad._tipId, '--by', 'me')).rejects.toThrow('--reason');
      const { lines } = await run('release', bad._tipId, '--by', 'me', '--reason', 'a test file');
      expect(lines).toEqual([expect.objectContaining({ at: expect.any(Date), released: bad._tipId, found: SIGNATURE, by: 'me', reason: 'a test file' })]);
      expect(await get(bad)).toMatchObject({ _status: 'UPLOAD_COMPLETED' });
      expect((await files.send('get', await files.address(bad))).text).toBe(EICAR.toString());
      await eventually(() => expect(told.filter(({ resource }) => resource._id === bad._id).map(({ resource }) => statusOf(resource))).toEqual(['QUARANTINED', 'UPLOAD_COMPLETED']));
      await expect(run('release', bad._tipId, '--by', 'me', '--reason', 'again')).rejects.toThrow('is quarantined');

      expect((await run('rescan', '--all')).lines).toEqual([expect.objectContaining({ rescanned: bad._tipId, now: SIGNATURE }), { rescanned: 3 }]);
      expect(await get(bad)).toMatchObject({ _status: 'QUARANTINED' });
    });

    it('get told how it is called', async () => {
      expect(await run('forget')).toEqual({ code: 2, lines: [expect.stringContaining('quarantine release <version>')] });
    });
  });

  it('in pieces are quarantined too', async () => {
    const file = await begin('pieces-of-eicar.bin', EICAR);
    expect((await send(file, 'PATCH', EICAR)).status).toBe(204);
    expect(await get(file)).toMatchObject({ _status: 'QUARANTINED', _fileVersion: { _quarantinedFor: SIGNATURE } });
  });
});
