import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { SignedAddresses } from '../src/content/signed-addresses';
import { describeDownloads } from './downloads-alike';
import { readMultipart } from './multipart-message';
import { FILES, type FileBody, FilesvcUnderTest, NS } from './filesvc-under-test';

const BYTES = randomBytes(300_000);

describeDownloads('the place of this run', () => FilesvcUnderTest.start());

describe('downloads by signed address', () => {
  let filesvc: FilesvcUnderTest;
  let file: FileBody;
  let address: string;
  beforeAll(async () => {
    filesvc = await FilesvcUnderTest.start({ URL_TTL_SECONDS: 3_600 });
    file = await filesvc.upload('Maß & "plan".bin', BYTES);
    address = await filesvc.address(file);
  });
  afterAll(() => filesvc?.stop());

  const get = (at = address) => filesvc.send('get', at).buffer(true).parse(toBuffer);
  const uploaded = async (name: string, content: Buffer | string, headers: Record<string, string> = {}, contentType = 'application/octet-stream') => {
    const sent = filesvc.as('owner', 'post', FILES, { _namespaces: NS }).set(headers).attach('file', Buffer.from(content), { filename: name, contentType });
    return ((await sent.expect(201)).body as FileBody[])[0] as FileBody;
  };

  it('needs no token, and says what it is and what it is called', async () => {
    const answer = await get().expect(200);
    expect((answer.body as Buffer).equals(BYTES)).toBe(true);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream', 'content-length': '300000', 'accept-ranges': 'bytes', 'x-content-type-options': 'nosniff',
      etag: `"${(file._fileVersion as unknown as { _sha256: string })._sha256}"`, 'access-control-allow-origin': '*', 'timing-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin',
    });
    expect(answer.headers['content-disposition']).toBe('inline; filename="Ma_ & \\"plan\\".bin"; filename*=UTF-8\'\'Ma%C3%9F%20%26%20%22plan%22.bin');
    expect(answer.headers).not.toHaveProperty('vary');
  });

  it.each(['..hidden', '...', '..%2fa', 'a..b'])('has no way up in its path for the name %j, which gateways would refuse', async (name) => {
    const at = await filesvc.address(await uploaded(name, name));
    expect(decodeURIComponent(new URL(at, filesvc.url).pathname)).not.toMatch(/\/\.\./);
    const answer = await get(at).expect(200);
    expect([String(answer.body), answer.headers['content-disposition']]).toEqual([name, expect.stringContaining(`"${name}"`)]);
  });

  it('may be kept by whoever got it, for as long as the address works', async () => {
    const expires = Number(new URL(address, filesvc.url).searchParams.get('expires'));
    const before = expires - Date.now() / 1_000;
    const [, seconds] = /^private, max-age=(\d+), immutable$/.exec((await get()).headers['cache-control'] as string) ?? [];
    const left = expires - Date.now() / 1_000;
    expect(Number(seconds)).toBeLessThanOrEqual(before + 1);
    expect(Number(seconds)).toBeGreaterThan(left - 30);
  });

  it('stands under BASE_URL in every answer that gives one', async () => {
    const version = await filesvc.as('owner', 'get', `${FILES}/${file._id}/versions/${file._tipId}/url`).expect(200);
    const listed = (await filesvc.list({ _ids: file._id, withUrl: true }))._list[0];
    expect(version.body).toMatchObject({ _id: file._tipId, _fileId: file._id, _version: 1, _url: expect.stringMatching(/^http:\/\/twinyard\.test\/filesvc\/api\/v1\/content\//) });
    expect(listed?._url).toMatch(/^http:\/\/twinyard\.test\//);
    expect((await filesvc.list({ _ids: file._id }))._list[0]).not.toHaveProperty('_url');
  });

  it.each([
    ['bytes=0-0', 0, 0], ['bytes=100-199', 100, 199], ['bytes=299999-', 299_999, 299_999], ['bytes=-10', 299_990, 299_999], ['bytes=10-99999999', 10, 299_999],
  ])('answers the range %s', async (range, first, last) => {
    const answer = await get().set('range', range).expect(206);
    expect(answer.headers['content-range']).toBe(`bytes ${first}-${last}/300000`);
    expect((answer.body as Buffer).equals(BYTES.subarray(first, last + 1))).toBe(true);
  });

  it('answers several ranges in parts, in the order of the request; a reader for multipart messages by others gets them', async () => {
    const answer = await fetch(filesvc.url + address, { headers: { range: 'bytes=200000-299999, 0-0,10-19, 15-29,400000-,-5' } });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([206, null]);
    const type = answer.headers.get('content-type') ?? '';
    const body = Buffer.from(await answer.arrayBuffer());
    expect(Number(answer.headers.get('content-length'))).toBe(body.length);
    const parts = await readMultipart(type, body);
    expect(parts.map(({ headers }) => headers['content-range']?.[0])).toEqual(['bytes 200000-299999/300000', 'bytes 0-0/300000', 'bytes 10-29/300000']);
    expect(parts.map(({ headers }) => headers['content-type']?.[0])).toEqual(Array(3).fill('application/octet-stream'));
    expect(parts.map(({ bytes }, index) => bytes.equals([BYTES.subarray(200_000), BYTES.subarray(0, 1), BYTES.subarray(10, 30)][index] as Buffer))).toEqual([true, true, true]);
  });

  it('answers several ranges that are one in one', async () => {
    const answer = await get().set('range', 'bytes=0-5,3-9,10-19').expect(206);
    expect(answer.headers).toMatchObject({ 'content-range': 'bytes 0-19/300000', 'content-type': 'application/octet-stream', 'content-length': '20' });
  });

  it('answers 416 outside of it, and the whole for more ranges than anybody needs, other units and a range of another version', async () => {
    for (const outside of ['bytes=300000-', 'bytes=-0', 'bytes=300000-,400000-500000']) {
      const { headers, body } = await get().set('range', outside).expect(416);
      expect([headers['content-range'], headers['cache-control']]).toEqual(['bytes */300000', 'no-store']);
      expect(JSON.parse(String(body))).toEqual({ message: 'There are 300000 bytes, and the range is outside of them', code: 'range_not_satisfiable', requestId: headers['x-request-id'] });
    }
    await get().set('range', `bytes=${Array.from({ length: 101 }, (_, at) => `${at * 2}-${at * 2}`).join()}`).expect(200);
    await get().set('range', 'bytes=5-1').expect(200);
    await get().set('range', 'lines=0-1').expect(200);
    await get().set('range', 'bytes=0-1').set('if-range', '"another"').expect(200);
  });

  it('compares tags and dates', async () => {
    const { etag, 'last-modified': modified } = (await filesvc.send('head', address)).headers as Record<string, string>;
    await get().set('if-none-match', etag as string).expect(304);
    // "MUST NOT send Content-Length in such a response unless its field value equals" that of a 200 (RFC 9110, 8.6): 0 would be the file's length.
    const unchanged = await filesvc.send('head', address).set('if-none-match', etag as string).expect(304);
    expect(unchanged.headers['content-length']).toBeUndefined();
    await get().set('if-none-match', '"another"').expect(200);
    await get().set('if-modified-since', modified as string).expect(304);
    await get().set('if-match', '"another"').expect(412);
    await get().set('range', 'bytes=0-1').set('if-range', etag as string).expect(206);
  });

  it.each([
    ['page.html', 'text/html'], ['drawing.svg', 'image/svg+xml'], ['code.js', 'text/javascript'], ['feed', 'application/atom+xml'], ['x.bin', 'text/html; charset=utf-8'],
    ['page.HTM', 'application/octet-stream'],
  ])('gives active content as attachment: %s, %s', async (name, type) => {
    const { headers } = await get(await filesvc.address(await uploaded(name, 'x', {}, type))).expect(200);
    expect(headers['content-disposition']).toMatch(/^attachment;/);
    expect(headers['content-security-policy']).toMatch(/^sandbox/);
    expect(headers['content-type']).toBe(type);
  });

  it('serves a file of no bytes', async () => {
    const answer = await get(await filesvc.address(await uploaded('empty.txt', ''))).expect(200);
    expect(answer.headers['content-length']).toBe('0');
  });

  it('answers any origin, preflights included', async () => {
    const preflight = await fetch(filesvc.url + address, { method: 'OPTIONS', headers: { origin: 'https://viewer.example', 'access-control-request-method': 'GET', 'access-control-request-headers': 'range' } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ');
    // Clients whose every request carries them (contract 0.1) download by these addresses too.
    expect(allowed).toEqual(expect.arrayContaining(['range', 'if-none-match', 'authorization', 'content-type', 'access-control-allow-origin', 'client', 'client_version', 'idempotency-key']));
    const answer = await get().set('origin', 'https://viewer.example').set('range', 'bytes=0-1').expect(206);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-expose-headers']).toContain('Content-Range');
  });

  it('refuses (403) an address that was changed or has expired', async () => {
    const url = new URL(filesvc.url + address);
    const changed = (name: string, value: string) => {
      const other = new URL(url);
      other.searchParams.set(name, value);
      return other.pathname + other.search;
    };
    await get(changed('expires', String(Math.floor(Date.now() / 1_000) + 99_999))).expect(403);
    await get(changed('expires', '1')).expect(403);
    await get(changed('signature', 'AAAA')).expect(403);
    await get(url.pathname).expect(403);
    await get(address.replace(file._tipId, '00000000-0000-4000-8000-000000000000')).expect(403);
    const expired = new SignedAddresses({ BASE_URL: filesvc.url, SERVICE_TOKEN: filesvc.passport.serviceToken, URL_SIGNING_KEY: undefined, URL_TTL_SECONDS: 3_600 });
    const issue = (ageSeconds: number) => expired.issue(file._tipId, 'x', new Date(Date.now() - ageSeconds * 1_000)).slice(filesvc.url.length);
    await get(issue(0)).expect(200);
    expect(JSON.parse(((await get(issue(3_601)).expect(403)).body as Buffer).toString())).toMatchObject({ code: 'forbidden', message: expect.stringContaining('expired') });
  });

  it('stops when the file is deleted', async () => {
    const gone = await uploaded('gone.txt', 'x');
    const at = await filesvc.address(gone);
    await get(at).expect(200);
    await filesvc.as('owner', 'delete', `${FILES}/${gone._id}`).expect(204);
    await get(at).expect(404);
  });

  it('gives addresses only to those who may read', async () => {
    for (const path of [`${FILES}/${file._id}/url`, `${FILES}/${file._id}/versions/${file._tipId}/url`]) {
      await filesvc.send('get', path, { nsfilter: NS }).expect(401);
      await filesvc.as('nobody', 'get', path).expect(404);
      await filesvc.as('stranger', 'get', path).expect(404);
      await filesvc.as('owner', 'get', path, { nsfilter: undefined }).expect(400);
    }
    await filesvc.as('owner', 'get', `${FILES}/${(await filesvc.makeFolder('no content'))._id}/url`).expect(404);
  });

  it('has no previews yet: 404, and 400 for another size', async () => {
    const size = { width: 640, height: 480 };
    await filesvc.as('owner', 'get', `${FILES}/${file._id}/previewurl`).expect(404);
    await filesvc.as('owner', 'get', `${FILES}/${file._id}/previewurl`, { width: 100 }).expect(400);
    await filesvc.as('owner', 'get', `${FILES}/${file._id}/versions/${file._tipId}/previewurl`, size).expect(404);
    const { body } = await filesvc.as('owner', 'get', `${FILES}/${file._id}/versions/${file._tipId}/previewurl`).expect(400);
    expect(body.details).toEqual([{ field: 'width', issue: 'must be 640' }, { field: 'height', issue: 'must be 480' }]);
    await filesvc.as('nobody', 'get', `${FILES}/${file._id}/versions/${file._tipId}/previewurl`, size).expect(404);
  });
});

function toBuffer(response: unknown, done: (error: Error | null, body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  const stream = response as Readable;
  stream.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => done(null, Buffer.concat(chunks)));
}
