import { createHash, randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { eventually } from '@twinyard/testing';
import { FILES, type FileBody, FilesvcUnderTest, NS } from './filesvc-under-test';
import { brokenInvariants } from './tree-invariants';

const BOUNDARY = '----a-boundary-of-the-tests';

interface SentPart {
  readonly name: string;
  readonly content: string;
  readonly type?: string;
}

const partOf = ({ name, content, type = 'text/plain' }: SentPart, boundary = BOUNDARY) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`;

describe('an upload with an Idempotency-Key', () => {
  let filesvc: FilesvcUnderTest;
  let other: FilesvcUnderTest;
  beforeAll(async () => {
    filesvc = await FilesvcUnderTest.start();
    other = await filesvc.replica();
  });
  afterAll(() => filesvc?.stop());
  afterEach(async () => expect(await brokenInvariants(filesvc)).toEqual({}));

  const send = (key: string, parts: readonly SentPart[], { from = filesvc, boundary = BOUNDARY, subject = 'owner', ...query }: { from?: FilesvcUnderTest; boundary?: string; subject?: string; [name: string]: unknown } = {}) =>
    from.as(subject, 'post', FILES, { _namespaces: NS, ...query }).set({ 'content-type': `multipart/form-data; boundary=${boundary}`, 'idempotency-key': key })
      .send(Buffer.from(`${parts.map((part) => partOf(part, boundary)).join('')}--${boundary}--\r\n`) as unknown as string);
  const versionsOf = async (name: string) => (await filesvc.list({ _name: `^${name}$` }))._list[0]?.['_tipVersion'];

  it('is done once: the second gets the first answer, also with another boundary, from another replica', async () => {
    const key = randomUUID();
    const parts = [{ name: 'once.txt', content: 'the content' }, { name: 'once 2.txt', content: 'more' }];
    const first = await send(key, parts).expect(201);
    for (const from of [filesvc, other]) {
      const again = await send(key, parts, { from, boundary: BOUNDARY.replace('tests', 'again') }).expect(201);
      expect([again.body, again.headers['idempotent-replayed']]).toEqual([first.body, 'true']);
    }
    expect(await versionsOf('once.txt')).toBe(1);
    await send(randomUUID(), parts).expect(201);
    expect(await versionsOf('once.txt')).toBe(2);
  });

  it.each([
    ['other bytes of the same length', [{ name: 'other.txt', content: 'The other content' }]],
    ['more bytes', [{ name: 'other.txt', content: 'the first content and more' }]],
    ['another name', [{ name: 'othe2.txt', content: 'the first content' }]],
    ['another type', [{ name: 'other.txt', content: 'the first content', type: 'text/plait' }]],
    ['another part', [{ name: 'other.txt', content: 'the first content' }, { name: 'other.txt', content: '' }]],
  ])('is refused (422) with %s under the same key', async (_what, parts) => {
    const key = randomUUID();
    await send(key, [{ name: 'other.txt', content: 'the first content' }]).expect(201);
    const before = await versionsOf('other.txt');
    expect((await send(key, parts).expect(422)).body.code).toBe('unprocessable');
    expect(await versionsOf('other.txt')).toBe(before);
    await send(key, [{ name: 'other.txt', content: 'the first content' }]).expect(201);
  });

  it('of a piece is taken once, and is another one at another offset', async () => {
    const bytes = Buffer.from('0123456789');
    const meta = { _size: 10, _checksum: createHash('sha256').update(bytes).digest('hex') };
    const { body: file } = await filesvc.as('owner', 'post', FILES, { uploadType: 'resumable' }).send({ _name: 'pieces.bin', _namespaces: [NS], _uploadMeta: meta }).expect(200);
    const key = randomUUID();
    const patch = (offset: number, from = filesvc, piece = bytes.subarray(offset, offset + 5)) => fetch(`${from.url}${FILES}/${(file as FileBody)._id}?uploadType=resumable&nsfilter=${NS}`, {
      method: 'PATCH', body: piece,
      headers: { authorization: `Bearer ${filesvc.tokenOf('owner')}`, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset), 'idempotency-key': key },
    });
    const said = ({ status, headers }: Response) => [status, headers.get('upload-offset'), headers.get('tus-resumable'), headers.get('idempotent-replayed')];
    expect(said(await patch(0))).toEqual([204, '5', '1.0.0', null]);
    for (const from of [filesvc, other]) expect(said(await patch(0, from))).toEqual([204, '5', '1.0.0', 'true']);
    // As many bytes, and the same key: another piece by its offset, or by its bytes.
    expect((await patch(5)).status).toBe(422);
    for (const from of [filesvc, other]) expect((await patch(0, from, Buffer.from('01235'))).status).toBe(422);
    expect((await filesvc.as('owner', 'get', `${FILES}/${(file as FileBody)._id}`, { includeUploadMeta: true })).body).toMatchObject({ _uploadMeta: { _uploadOffset: 5 } });
    await filesvc.as('owner', 'delete', `${FILES}/${(file as FileBody)._id}`).expect(204);
  });

  it('is another one to another place, or from somebody else', async () => {
    const key = randomUUID();
    const parts = [{ name: 'placed.txt', content: 'x' }];
    const folder = await filesvc.makeFolder('placed');
    await send(key, parts).expect(201);
    await send(key, parts, { _parents: folder._id }).expect(422);
    await filesvc.passport.grant('second', NS, ['*']);
    await filesvc.signIn('second');
    await send(key, parts, { subject: 'second' }).expect(201);
    expect(await versionsOf('placed.txt')).toBe(2);
  });

  it('that broke off may be sent again: what was answered to half of it is not kept', async () => {
    const key = randomUUID();
    const parts = [{ name: 'broken-off.txt', content: 'x'.repeat(100_000) }];
    const whole = `${partOf(parts[0] as SentPart)}--${BOUNDARY}--\r\n`;
    const sending = httpRequest(`${filesvc.url}${FILES}?nsfilter=${NS}&_namespaces=${NS}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${filesvc.tokenOf('owner')}`, 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'content-length': whole.length, 'idempotency-key': key },
    });
    sending.on('error', () => undefined);
    sending.write(whole.slice(0, 50_000));
    await eventually(async () => expect(await filesvc.query('SELECT key FROM loose_blob')).toHaveLength(1));
    sending.destroy();
    await eventually(async () => expect(await filesvc.query('SELECT key FROM loose_blob')).toEqual([]));
    const again = await eventually(async () => {
      const answer = await send(key, parts);
      expect(answer.status).not.toBe(409);
      return answer;
    });
    expect([again.status, (again.body as FileBody[])[0]?._name]).toEqual([201, 'broken-off.txt']);
  });
});
