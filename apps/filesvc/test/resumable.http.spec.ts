import { createHash, randomBytes } from 'node:crypto';
import { EventBus, type PublicEvent } from '@twinyard/events';
import { eventually } from '@twinyard/testing';
import { Upload } from 'tus-js-client';
import { examples } from '../src/openapi/examples';
import { BreakingLine } from './breaking-line';
import { FILES, type FileBody, FilesvcUnderTest, NS } from './filesvc-under-test';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const sha1 = (bytes: Buffer) => createHash('sha1').update(bytes).digest('base64');
const OFFSET_TYPE = 'application/offset+octet-stream';

interface Begun extends FileBody {
  readonly _status: string;
  readonly _uploadMeta: { readonly _size: number; readonly _uploadOffset: number; readonly _uploadId: string };
}

describe('uploads in pieces', () => {
  let files: FilesvcUnderTest;
  beforeAll(async () => {
    files = await FilesvcUnderTest.start();
    (await files.app.get(EventBus).subscribe({ group: 'spec', topics: ['filesvc.file'], handler: async ({ data }: { data: PublicEvent }) => void told.push(data) })).start();
  });
  afterAll(() => files?.stop());

  const begin = async (name: string, bytes: Buffer, more: object = {}, subject = 'owner') => {
    const body = { _name: name, _namespaces: [NS], _uploadMeta: { _size: bytes.length, _checksum: sha256(bytes) }, ...more };
    return files.as(subject, 'post', FILES, { uploadType: 'resumable' }).send(body);
  };
  const begun = async (name: string, bytes: Buffer, more: object = {}) => {
    const answer = await begin(name, bytes, more);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.body as Begun;
  };
  const addressOf = (file: FileBody, bytes: Buffer) => `${files.url}${FILES}/${file._id}?uploadType=resumable&checksum=${sha256(bytes)}&nsfilter=${NS}`;
  const patch = (file: FileBody, all: Buffer, offset: number, piece: Buffer, { as = 'owner', ...headers }: Record<string, string> = {}) => fetch(addressOf(file, all), {
    method: 'PATCH', body: piece,
    headers: { authorization: `Bearer ${files.tokenOf(as)}`, 'content-type': OFFSET_TYPE, 'upload-offset': String(offset), ...headers },
  });
  const head = (file: FileBody, all: Buffer, subject = 'owner') => fetch(addressOf(file, all), { method: 'HEAD', headers: { authorization: `Bearer ${files.tokenOf(subject)}`, 'tus-resumable': '1.0.0' } });
  const get = async (file: FileBody) => (await files.as('owner', 'get', `${FILES}/${file._id}`, { includeUploadMeta: true }).expect(200)).body as Begun;
  const content = async (file: FileBody) => Buffer.from(await (await fetch(files.url + (await files.address(file)))).arrayBuffer());
  const told: PublicEvent[] = [];
  const toldOf = ({ _id }: FileBody) => told.filter(({ resource }) => resource._id === _id).map(({ event }) => event);

  it('begins, goes on and ends: the version has the id that was told at the beginning', async () => {
    const bytes = randomBytes(300_000);
    const file = await begun('pieces.bin', bytes, { _tags: ['a'] });
    expect(file).toMatchObject({ _status: 'UPLOAD_PENDING', _tipVersion: 0, _tags: ['a'], _fileVersion: { _version: 1, _fileSize: 300_000 }, _uploadMeta: { _size: 300_000, _checksum: sha256(bytes), _uploadOffset: 0 } });
    const first = await patch(file, bytes, 0, bytes.subarray(0, 100_000));
    expect([first.status, first.headers.get('upload-offset'), first.headers.get('tus-resumable')]).toEqual([204, '100000', '1.0.0']);
    expect(new Date(first.headers.get('upload-expires') ?? '').getTime()).toBeGreaterThan(Date.now());
    expect(await get(file)).toMatchObject({ _status: 'UPLOADING', _uploadMeta: { _uploadOffset: 100_000 } });
    const asked = await head(file, bytes);
    expect([asked.status, asked.headers.get('upload-offset'), asked.headers.get('upload-length'), asked.headers.get('cache-control')]).toEqual([200, '100000', '300000', 'no-store']);
    expect((await patch(file, bytes, 100_000, bytes.subarray(100_000))).status).toBe(204);
    const done = await get(file);
    expect(done).toMatchObject({ _status: 'UPLOAD_COMPLETED', _tipVersion: 1, _nextVersion: 2, _fileVersion: { _id: file._fileVersion._id, _sha256: sha256(bytes) } });
    expect(done._uploadMeta).toEqual({ _size: 300_000, _checksum: sha256(bytes), _uploadOffset: 300_000 });
    expect((await content(file)).equals(bytes)).toBe(true);
    // Whoever did not hear the answer to the last piece learns that nothing is missing, while this is the latest version.
    const after = await head(file, bytes);
    expect([after.status, ...['upload-offset', 'upload-length', 'cache-control', 'tus-resumable'].map((name) => after.headers.get(name))]).toEqual([200, '300000', '300000', 'no-store', '1.0.0']);
    expect((await head(file, Buffer.from('others'))).status).toBe(404);
    expect((await patch(file, bytes, 0, bytes)).status).toBe(404);
    await files.upload('pieces.bin', 'the next');
    expect((await head(file, bytes)).status).toBe(404);
  });

  it('speaks one version of tus, says so in every answer, and takes its content type however it is written', async () => {
    const bytes = randomBytes(100);
    const file = await begun('spoken.bin', bytes);
    for (const method of ['HEAD', 'PATCH', 'DELETE']) {
      const headers = { authorization: `Bearer ${files.tokenOf('owner')}`, 'tus-resumable': '0.2.2', 'content-type': OFFSET_TYPE, 'upload-offset': '0' };
      const refused = await fetch(addressOf(file, bytes), { method, headers });
      expect([method, refused.status, refused.headers.get('tus-version'), refused.headers.get('tus-resumable')]).toEqual([method, 412, '1.0.0', '1.0.0']);
    }
    const conflict = await patch(file, bytes, 7, bytes.subarray(7));
    expect([conflict.status, conflict.headers.get('tus-resumable'), conflict.headers.get('tus-version')]).toEqual([409, '1.0.0', null]);
    expect((await patch(file, bytes, 0, bytes, { 'content-type': 'Application/Offset+Octet-Stream; charset=utf-8' })).status).toBe(204);
    const again = await begun('spoken.bin', randomBytes(100));
    const given = await files.as('owner', 'delete', `${FILES}/${again._id}`, { uploadType: 'resumable' }).expect(200);
    expect(given.headers['tus-resumable']).toBe('1.0.0');
  });

  it('takes POST for the method that X-HTTP-Method-Override names, from clients whose line lets no PATCH through', async () => {
    const bytes = randomBytes(100_000);
    const file = await begun('overridden.bin', bytes);
    const headers = { authorization: `Bearer ${files.tokenOf('owner')}` };
    await new Promise<void>((resolve, reject) => {
      new Upload(bytes as never, { uploadUrl: addressOf(file, bytes), chunkSize: 40_000, overridePatchMethod: true, retryDelays: null as never, headers, onSuccess: () => resolve(), onError: reject }).start();
    });
    expect((await content(file)).equals(bytes)).toBe(true);
    const other = await begun('given up.bin', bytes);
    const post = (more: Record<string, string>) => fetch(addressOf(other, bytes), { method: 'POST', headers: { ...headers, ...more } });
    for (const method of ['', 'PUT', 'GET']) expect((await post(method === '' ? {} : { 'x-http-method-override': method })).status).toBe(404);
    expect((await post({ 'x-http-method-override': 'DELETE' })).status).toBe(204);
    expect((await head(other, bytes)).status).toBe(404);
  });

  it('is a new version of a file that is there, which stays readable meanwhile', async () => {
    const old = await files.upload('versions.bin', 'the first');
    const bytes = randomBytes(50_000);
    const file = await begun('versions.bin', bytes);
    expect(file).toMatchObject({ _id: old._id, _status: 'UPLOAD_COMPLETED', _tipVersion: 1, _fileVersion: { _version: 2 } });
    await patch(file, bytes, 0, bytes.subarray(0, 10));
    expect((await content(file)).toString()).toBe('the first');
    await patch(file, bytes, 10, bytes.subarray(10));
    expect(await get(file)).toMatchObject({ _tipVersion: 2, _fileVersion: { _id: file._fileVersion._id } });
  });

  it('announced again is the same upload', async () => {
    const bytes = randomBytes(1_000);
    const file = await begun('again.bin', bytes);
    await patch(file, bytes, 0, bytes.subarray(0, 400));
    expect(await begun('again.bin', bytes)).toMatchObject({ _id: file._id, _fileVersion: { _id: file._fileVersion._id }, _uploadMeta: { _uploadOffset: 400 } });
  });

  it('of zero bytes is whole at once', async () => {
    const file = await begun('empty.bin', Buffer.alloc(0));
    expect(file).toMatchObject({ _status: 'UPLOAD_COMPLETED', _tipVersion: 1, _fileVersion: { _fileSize: 0 } });
    expect(await content(file)).toHaveLength(0);
  });

  it('tells of the file when its content is whole, and of nothing before', async () => {
    const bytes = randomBytes(100);
    const file = await begun('told.bin', bytes);
    await files.as('owner', 'put', `${FILES}/${file._id}`).send({ _name: 'told-renamed.bin' }).expect(200);
    const givenUp = await begun('given-up.bin', bytes);
    await files.as('owner', 'delete', `${FILES}/${givenUp._id}`).expect(204);
    await patch(file, bytes, 0, bytes);
    await eventually(() => expect(toldOf(file)).toEqual(['resource.ResourceCreated'])); // events come in the order of their making
    expect(told.find(({ resource }) => resource._id === file._id)?.resource).toMatchObject({ _name: 'told-renamed.bin', _fileSize: 100, _tipVersion: 1 });
    expect(toldOf(givenUp)).toEqual([]);
  });

  it.each([
    ['another offset', 409, 'conflict', (file: Begun, bytes: Buffer) => patch(file, bytes, 7, bytes.subarray(7))],
    ['more bytes than announced', 413, 'too_large', (file: Begun, bytes: Buffer) => patch(file, bytes, 0, Buffer.concat([bytes, bytes]))],
    ['another content type', 400, 'invalid', (file: Begun, bytes: Buffer) => patch(file, bytes, 0, bytes, { 'content-type': 'text/plain' })],
    ['an offset that is no number', 400, 'invalid', (file: Begun, bytes: Buffer) => patch(file, bytes, 0, bytes, { 'upload-offset': '-1' })],
    ['another version of tus', 412, 'precondition_failed', (file: Begun, bytes: Buffer) => patch(file, bytes, 0, bytes, { 'tus-resumable': '0.2.0' })],
    ['a checksum without its digest', 400, 'invalid', (file: Begun, bytes: Buffer) => patch(file, bytes, 0, bytes, { 'upload-checksum': 'sha1' })],
    ['an unknown checksum algorithm', 400, 'invalid', (file: Begun, bytes: Buffer) => patch(file, bytes, 0, bytes, { 'upload-checksum': 'crc32 abc=' })],
    ['a piece that is not that of its checksum', 460, 'checksum_mismatch', (file: Begun, bytes: Buffer) => patch(file, bytes, 0, bytes.subarray(0, 500), { 'upload-checksum': `sha1 ${sha1(bytes)}` })],
  ])('refuses %s (%d), and nothing has moved', async (fault, status, code, send) => {
    const bytes = randomBytes(1_000);
    const file = await begun(`${fault.replaceAll(' ', '-')}.bin`, bytes);
    const answer = await send(file, bytes);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([status, code]);
    expect((await head(file, bytes)).headers.get('upload-offset')).toBe('0');
    expect((await patch(file, bytes, 0, bytes, { 'upload-checksum': `sha1 ${sha1(bytes)}` })).status).toBe(204);
  });

  it.each([
    ['no size', { _uploadMeta: { _checksum: 'a'.repeat(64) } }],
    ['a size that is a text', { _uploadMeta: { _size: '5', _checksum: 'a'.repeat(64) } }],
    ['no checksum', { _uploadMeta: { _size: 5 } }],
    ['nothing announced', { _uploadMeta: undefined }],
    ['a folder that is none', { _parents: ['5f6d5a52-3c1e-4f5e-9d0a-0123456789ab'] }],
  ])('refuses (400) to begin with %s', async (fault, more) => {
    expect((await begin(`${fault}.bin`, Buffer.from('x'), more)).status).toBe(400);
    expect((await files.list({ _name: `${fault}.bin` }))._total).toBe(0);
  });

  it('refuses (413) what is larger than a file may be, before any byte', async () => {
    const answer = await begin('huge.bin', Buffer.from('x'), { _uploadMeta: { _size: 64 * 1024 ** 2 + 1, _checksum: 'a'.repeat(64) } });
    expect(answer.status).toBe(413);
  });

  it('ends with 460 when the whole is not what was announced: no version, no bytes', async () => {
    const bytes = randomBytes(20_000);
    const file = await begun('wrong.bin', bytes);
    expect((await patch(file, bytes, 0, Buffer.alloc(20_000))).status).toBe(460);
    expect(await get(file)).toMatchObject({ _status: 'UPLOAD_FAILED', _tipVersion: 0 });
    expect((await head(file, bytes)).status).toBe(404);
    await files.sweep(new Date(Date.now() + 7_200_000));
    const again = await begun('wrong.bin', bytes);
    expect(again).toMatchObject({ _id: file._id, _status: 'UPLOAD_PENDING' });
    expect((await patch(again, bytes, 0, bytes)).status).toBe(204);
    expect((await content(file)).equals(bytes)).toBe(true);
  });

  it('is given up by DELETE: the file is as before, or gone', async () => {
    const bytes = randomBytes(1_000);
    const fresh = await begun('cancelled.bin', bytes);
    await patch(fresh, bytes, 0, bytes.subarray(0, 100));
    await files.as('owner', 'delete', `${FILES}/${fresh._id}`, { uploadType: 'resumable', checksum: sha256(bytes) }).expect(204);
    await files.as('owner', 'get', `${FILES}/${fresh._id}`).expect(404);
    const old = await files.upload('kept.bin', 'kept');
    const file = await begun('kept.bin', bytes);
    await files.as('owner', 'delete', `${FILES}/${file._id}`, { uploadType: 'resumable' }).expect(200);
    expect(await get(old)).toMatchObject({ _status: 'UPLOAD_COMPLETED', _tipVersion: 1 });
    expect((await head(file, bytes)).status).toBe(404);
  });

  it('expires after a day, with its bytes', async () => {
    const bytes = randomBytes(1_000);
    const file = await begun('expired.bin', bytes);
    await patch(file, bytes, 0, bytes.subarray(0, 100));
    await files.sweep(new Date(Date.now() + 86_500_000));
    await files.as('owner', 'get', `${FILES}/${file._id}`).expect(404);
    expect((await patch(file, bytes, 100, bytes.subarray(100))).status).toBe(404);
    expect((await files.query('SELECT id FROM resumable_upload')).length).toBe(0);
  });

  it('goes with its file, and its bytes with it', async () => {
    const bytes = randomBytes(1_000);
    const folder = await files.makeFolder('with uploads');
    const file = await begun('inside.bin', bytes, { _parents: [folder._id] });
    await patch(file, bytes, 0, bytes.subarray(0, 100));
    await files.as('owner', 'delete', `${FILES}/${folder._id}`).expect(204);
    expect((await patch(file, bytes, 100, bytes.subarray(100))).status).toBe(404);
    await eventually(async () => expect(await files.query('SELECT id FROM resumable_upload WHERE file_id = $1', [file._id])).toEqual([]));
  });

  it('is nobody else\'s', async () => {
    const bytes = randomBytes(1_000);
    const file = await begun('private.bin', bytes);
    for (const subject of ['stranger', 'nobody']) {
      expect([subject, (await head(file, bytes, subject)).status]).toEqual([subject, 404]);
      expect([subject, (await patch(file, bytes, 0, bytes, { as: subject })).status]).toEqual([subject, 404]);
      await files.as(subject, 'delete', `${FILES}/${file._id}`, { uploadType: 'resumable' }).expect(404);
    }
    expect((await fetch(addressOf(file, bytes), { method: 'PATCH', body: bytes, headers: { 'content-type': OFFSET_TYPE, 'upload-offset': '0' } })).status).toBe(401);
    await files.passport.grant('reader', NS, ['READ']);
    await files.signIn('reader');
    expect((await patch(file, bytes, 0, bytes, { as: 'reader' })).status).toBe(403);
  });

  it('has one writer: the second is refused (423) while the first one writes', async () => {
    const bytes = randomBytes(40_000);
    const file = await begun('two.bin', bytes);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const slow = new ReadableStream({
      async start(controller) {
        controller.enqueue(bytes.subarray(0, 20_000));
        await held;
        controller.enqueue(bytes.subarray(20_000));
        controller.close();
      },
    });
    const first = fetch(addressOf(file, bytes), {
      method: 'PATCH', body: slow, duplex: 'half', headers: { authorization: `Bearer ${files.tokenOf('owner')}`, 'content-type': OFFSET_TYPE, 'upload-offset': '0' },
    } as RequestInit);
    await eventually(async () => expect(await files.query('SELECT id FROM resumable_upload WHERE lease_until > now() AND file_id = $1', [file._id])).toHaveLength(1));
    await files.passport.grant('colleague', NS, ['*']);
    await files.signIn('colleague');
    const second = await patch(file, bytes, 0, bytes, { as: 'colleague' });
    expect([second.status, second.headers.get('retry-after')]).toEqual([423, '1']);
    expect((await head(file, bytes, 'colleague')).status).toBe(200); // asking waits for nobody
    release();
    expect((await first).status).toBe(204);
    expect((await content(file)).equals(bytes)).toBe(true);
  });

  it('makes the version that a process did not come to make', async () => {
    const bytes = randomBytes(5_000);
    const file = await begun('half-done.bin', bytes);
    await patch(file, bytes, 0, bytes.subarray(0, 4_999));
    // As kill -9 leaves it: the last byte is written down, and the lease of the dead is not yet over.
    const store = files.objects();
    const [upload] = await files.query<{ id: string; blob_key: string; received: { offset: number } }>('SELECT id, blob_key, received FROM resumable_upload WHERE file_id = $1', [file._id]);
    for await (const state of store.append({ key: upload?.blob_key ?? '', size: 5_000 }, upload?.received ?? { offset: 0 }, [bytes.subarray(4_999)] as never)) {
      await files.query('UPDATE resumable_upload SET received = $2 WHERE id = $1', [upload?.id, JSON.stringify(state)]);
    }
    expect((await head(file, bytes)).headers.get('upload-offset')).toBe('5000');
    expect(await get(file)).toMatchObject({ _status: 'UPLOAD_COMPLETED', _tipVersion: 1 });
    expect((await content(file)).equals(bytes)).toBe(true);
  });

  it('takes the piece that the references show', async () => {
    const bytes = Buffer.from(String(examples['uploadPiece']));
    expect((await patch(await begun('shown.txt', bytes), bytes, 0, bytes)).status).toBe(204);
  });

  it('tells by OPTIONS what is spoken, and lets browsers of registered origins speak it', async () => {
    const told = await fetch(files.url + FILES, { method: 'OPTIONS' });
    expect([told.status, told.headers.get('tus-version'), told.headers.get('tus-extension'), told.headers.get('tus-max-size')]).toEqual([204, '1.0.0', 'checksum,expiration,termination', String(64 * 1024 ** 2)]);
    expect(told.headers.get('tus-checksum-algorithm')).toContain('sha256');
  });

  it('comes through two hundred broken lines whole, sent by tus-js-client', async () => {
    const bytes = randomBytes(24 * 1024 ** 2);
    const file = await begun('broken-lines.bin', bytes);
    const line = await BreakingLine.open(files.url, 200);
    const url = new URL(addressOf(file, bytes));
    await new Promise<void>((resolve, reject) => {
      new Upload(bytes as never, {
        uploadUrl: `${line.url}${url.pathname}${url.search}`, uploadSize: bytes.length, retryDelays: Array(1_000).fill(0) as number[],
        headers: { authorization: `Bearer ${files.tokenOf('owner')}` },
        onError: reject, onSuccess: () => resolve(),
      }).start();
    });
    expect(line.broken).toBe(200);
    expect((await content(file)).equals(bytes)).toBe(true);
    await line.close();
  });
});
