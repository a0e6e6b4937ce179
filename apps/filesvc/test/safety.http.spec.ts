import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { eventually } from '@twinyard/testing';
import { FILES, type FileBody, FilesvcUnderTest, NS } from './filesvc-under-test';

const LIMIT = 1024 ** 2;
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082', 'hex');
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const figures = (limit: number, requested: number) => [{ field: '_limit', issue: String(limit) }, { field: '_requested', issue: String(requested) }];

describe('uploads that mean harm', () => {
  let files: FilesvcUnderTest;
  /** A replica that waits for no sender longer than two seconds. */
  let hasty: FilesvcUnderTest;
  beforeAll(async () => {
    files = await FilesvcUnderTest.start({ MAX_FILE_SIZE: LIMIT });
    hasty = await files.replica({ LINE_SILENCE_SECONDS: 2 });
  });
  afterAll(() => files?.stop());

  const post = (query: object = {}) => files.as('owner', 'post', FILES, { _namespaces: NS, ...query });
  const begin = (name: string, bytes: Buffer, meta: object = {}) =>
    files.as('owner', 'post', FILES, { uploadType: 'resumable' }).send({ _name: name, _namespaces: [NS], _uploadMeta: { _size: bytes.length, _checksum: sha256(bytes), ...meta } });
  const patch = ({ _id }: FileBody, body: Buffer) => fetch(`${files.url}${FILES}/${_id}?uploadType=resumable&nsfilter=${NS}`, {
    method: 'PATCH', body, headers: { authorization: `Bearer ${files.tokenOf('owner')}`, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
  });
  /** Chunks without end, until an answer is heard. */
  const answerToEndless = ({ _id }: FileBody) => new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${files.tokenOf('owner')}`, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
    const sending = httpRequest(`${files.url}${FILES}/${_id}?uploadType=resumable&nsfilter=${NS}`, { method: 'PATCH', headers });
    const flow = setInterval(() => sending.write(Buffer.alloc(65_536)), 5);
    sending.once('close', () => clearInterval(flow)).once('error', reject).once('response', (answer) => {
      json(answer).then((body) => resolve([answer.statusCode, body]), reject).finally(() => sending.destroy());
    });
  });
  const versionOf = async ({ _id }: FileBody) => (await files.as('owner', 'get', `${FILES}/${_id}`).expect(200)).body._fileVersion as Record<string, unknown>;

  it('are refused (413) with the figures when a part, an announcement or a piece is too long', async () => {
    const blobs = (await files.blobs()).length;
    const parts = post().attach('file', Buffer.alloc(LIMIT), 'fits.bin').attach('file', Buffer.alloc(LIMIT + 1), 'not.bin');
    expect((await parts.expect(413)).body).toMatchObject({ code: 'too_large', details: figures(LIMIT, LIMIT + 1) });
    expect((await files.blobs()).length).toBe(blobs);
    expect((await begin('announced.bin', Buffer.alloc(0), { _size: LIMIT + 7 }).expect(413)).body).toMatchObject({ code: 'too_large', details: figures(LIMIT, LIMIT + 7) });
    const bytes = randomBytes(1_000);
    const file = (await begin('piece.bin', bytes).expect(200)).body as FileBody;
    const answer = await patch(file, randomBytes(1_500));
    expect([answer.status, await answer.json()]).toEqual([413, expect.objectContaining({ code: 'too_large', details: figures(1_000, 1_500) })]);
    expect((await patch(file, bytes)).status).toBe(204);
  });

  it('are refused (413) with the figures, and heard, when a piece whose length nobody has announced goes on and on', async () => {
    const bytes = randomBytes(100_000);
    const file = (await begin('endless.bin', bytes).expect(200)).body as FileBody;
    expect(await answerToEndless(file)).toEqual([413, expect.objectContaining({ code: 'too_large', details: [{ field: '_limit', issue: '100000' }, { field: '_requested', issue: expect.stringMatching(/^1\d{5}$/) }] })]);
    expect((await begin('endless.bin', bytes).expect(200)).body._uploadMeta._uploadOffset).toBeLessThanOrEqual(bytes.length);
  });

  it.each<[string, string, string, Buffer | string, readonly [detected: string | undefined, disposition: 'inline' | 'attachment']]>([
    ['HTML declared as a picture', 'photo.png', 'image/png', '<!doctype html><script>alert(1)</script>', ['text/html', 'attachment']],
    ['SVG declared as text', 'drawing.txt', 'text/plain', SVG, ['image/svg+xml', 'attachment']],
    ['a page under a PDF in its first kilobyte', 'both.pdf', 'application/pdf', '<html><!-- %PDF-1.4 -->', ['text/html', 'attachment']],
    ['a picture with the name of a page', 'photo.html', 'image/png', PNG, ['image/png', 'attachment']],
    ['a picture declared as a page', 'photo.png', 'text/html', PNG, ['image/png', 'attachment']],
    ['a picture that is a script too', 'polyglot.gif', 'image/gif', 'GIF89a=1;alert(1)//', ['image/gif', 'inline']],
    ['a picture', 'photo.png', 'image/png', PNG, ['image/png', 'inline']],
    ['bytes that say nothing', 'raw.bin', 'application/octet-stream', Buffer.from([0, 1, 2, 3]), [undefined, 'inline']],
  ])('%s: told by the bytes in both ways of uploading, served harmless', async (_what, name, type, content, [detected, disposition]) => {
    const bytes = Buffer.from(content as string);
    const folder = await files.makeFolder(randomBytes(8).toString('hex'));
    const whole = (await post({ _parents: folder._id }).attach('file', bytes, { filename: name, contentType: type }).expect(201)).body[0] as FileBody;
    const begun = (await files.as('owner', 'post', FILES, { uploadType: 'resumable' })
      .send({ _name: `pieces-${name}`, _namespaces: [NS], _parents: [folder._id], _uploadMeta: { _size: bytes.length, _checksum: sha256(bytes), _contentType: type } }).expect(200)).body as FileBody;
    expect((await patch(begun, bytes)).status).toBe(204);
    for (const file of [whole, begun]) {
      const version = await versionOf(file);
      expect([version['_contentType'], version['_detectedContentType']]).toEqual([type, detected]);
      const { headers } = await fetch(files.url + (await files.address(file)));
      expect([headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([type, 'nosniff']);
      expect(headers.get('content-security-policy')).toContain('sandbox');
      expect(headers.get('content-disposition')).toMatch(new RegExp(`^${disposition};`));
    }
  });

  it.each<[string, Buffer | string, string]>([
    ['a picture', PNG, 'image/png'],
    ['a PDF', '%PDF-1.4', 'application/pdf'],
    ['a drawing that could run', SVG, 'application/octet-stream'],
    ['a page', '<!doctype html><script>alert(1)</script>', 'application/octet-stream'],
    ['a text', 'a text', 'application/octet-stream'],
  ])('%s of which nobody says what it is: shown when its bytes say so, and nothing runs it', async (what, content, type) => {
    const bytes = Buffer.from(content as string);
    const form = Buffer.concat([Buffer.from(`--x\r\nContent-Disposition: form-data; name="file"; filename="whole ${what}"\r\n\r\n`), bytes, Buffer.from('\r\n--x--\r\n')]);
    const whole = (await post().set('content-type', 'multipart/form-data; boundary=x').send(form as unknown as string).expect(201)).body[0] as FileBody;
    const begun = (await files.as('owner', 'post', FILES, { uploadType: 'resumable' }).send({ _name: what, _namespaces: [NS], _uploadMeta: { _size: bytes.length, _checksum: sha256(bytes) } }).expect(200)).body as FileBody;
    expect((await patch(begun, bytes)).status).toBe(204);
    for (const file of [whole, begun]) {
      expect((await versionOf(file))['_contentType']).toBe(type);
      expect((await fetch(files.url + (await files.address(file)))).headers.get('content-type')).toBe(type);
    }
  });

  it('under an encoding stay under it: a bomb is as large as what was sent', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from('<html>'), Buffer.alloc(64 * LIMIT)]));
    const { body } = await post().set('content-encoding', 'gzip').attach('file', bomb, 'bomb.html').expect(201);
    expect(body[0]._fileVersion).toMatchObject({ _fileSize: bomb.length, _contentEncoding: 'gzip', _detectedContentType: 'text/html' });
  });

  it.each(['a"; filename="evil.html', 'CON', 'dot. ', 'a;b', 'naïve “quotes”.txt', '%0d%0aSet-Cookie: a=b', 'ملف.txt'])('have their name %j in one header, and nothing beside it', async (name) => {
    const file = await files.upload('named.txt', 'x', { _name: name });
    const { headers } = await fetch(files.url + (await files.address(file)));
    expect(headers.get('set-cookie')).toBeNull();
    const disposition = headers.get('content-disposition') ?? '';
    const encoded = /filename\*=UTF-8''([^;]+)$/.exec(disposition)?.[1];
    const plain = /filename=(?:"((?:[^"\\]|\\.)*)"|([^;"]+))/.exec(disposition);
    expect(encoded === undefined ? (plain?.[1] ?? plain?.[2] ?? '').replace(/\\(.)/g, '$1') : decodeURIComponent(encoded)).toBe(name);
  });

  it.each(['plan\u202efdp.exe', 'a\u0085b', 'a\\b', '..'])('are refused (400) under the name %j, by whichever way', async (name) => {
    await post({ _name: name }).attach('file', Buffer.from('x'), 'a.txt').expect(400);
    expect((await begin(name, Buffer.from('x')).expect(400)).body.details).toEqual([expect.objectContaining({ field: '_name' })]);
    await files.as('owner', 'post', FILES).send({ _name: name, _namespaces: [NS] }).expect(400);
  });

  const open = (start: string, type: string) => {
    const line = connect(Number(new URL(hasty.url).port), '127.0.0.1');
    const heard = new Promise<string>((resolve) => {
      let text = '';
      line.on('data', (chunk) => { text += String(chunk); }).on('error', () => undefined).on('close', () => resolve(text));
    });
    line.write(`${start} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${files.tokenOf('owner')}\r\nContent-Type: ${type}\r\nContent-Length: 100000\r\nUpload-Offset: 0\r\n\r\n`);
    return { line, heard };
  };
  const openMultipart = () => {
    const opened = open(`POST ${FILES}?nsfilter=${NS}&_namespaces=${NS}`, 'multipart/form-data; boundary=edge');
    opened.line.write('--edge\r\nContent-Disposition: form-data; name="file"; filename="slow.bin"\r\n\r\nhalf of');
    return opened;
  };
  /** Sends a byte now and then, whatever it is answered. */
  const heardDripping = async ({ line, heard }: ReturnType<typeof open>) => {
    const drip = setInterval(() => line.write('x'), 100);
    return heard.finally(() => clearInterval(drip));
  };

  it('are answered 408 when they fall silent or only drip, and their line is cut though they go on; of what comes in pieces the bytes are kept', async () => {
    const piece = (await begin('drip.bin', Buffer.alloc(100_000)).expect(200)).body as FileBody;
    const openPiece = () => open(`PATCH ${FILES}/${piece._id}?uploadType=resumable&nsfilter=${NS}`, 'application/offset+octet-stream');
    const heard = await Promise.all([openMultipart().heard, heardDripping(openMultipart()), heardDripping(openPiece())]);
    for (const answer of heard) expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*less than 100 bytes a second for 2 s/);
    await eventually(async () => expect(await files.query('SELECT key FROM loose_blob')).toEqual([]));
    expect(await files.list({ _name: '^slow' })).toMatchObject({ _total: 0 });
    await eventually(async () => {
      const { body } = await files.as('owner', 'get', `${FILES}/${piece._id}`, { includeUploadMeta: true });
      expect((body as { _uploadMeta: { _uploadOffset: number } })._uploadMeta._uploadOffset).toBeGreaterThan(0);
    });
  });
});
