import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type EngineName, engineSettings, onEngine } from '@twinyard/testing';
import { describeDownloads } from './downloads-alike';
import { FILES, type FileBody, FilesvcUnderTest, NS } from './filesvc-under-test';
import { s3SettingsOf } from './on-s3';

const LEAST = 100_000;
const BYTES = randomBytes(LEAST);

for (const engine of ['versitygw', 'minio'] satisfies EngineName[]) {
  onEngine(engine, () => {
    describeDownloads(`${engine}, by the service`, () => FilesvcUnderTest.start(s3SettingsOf(engineSettings(engine))));
    describeDownloads(`${engine}, by the store`, () => FilesvcUnderTest.start({ ...s3SettingsOf(engineSettings(engine)), S3_REDIRECT_MIN_BYTES: 0 }));

    describe('large downloads from the store itself', () => {
      let filesvc: FilesvcUnderTest;
      let address: string;
      let etag: string;
      beforeAll(async () => {
        filesvc = await FilesvcUnderTest.start({ ...s3SettingsOf(engineSettings(engine)), S3_REDIRECT_MIN_BYTES: LEAST });
        address = await uploaded('Maß & "plan" (1).bin', BYTES);
        etag = (await get(address, {}, 'HEAD')).headers.get('etag') ?? '';
      });
      afterAll(() => filesvc?.stop());

      const get = (path: string, headers: Record<string, string> = {}, method = 'GET') => fetch(filesvc.url + path, { method, headers, redirect: 'manual' });
      const follow = (path: string, headers: Record<string, string> = {}) => fetch(filesvc.url + path, { headers });
      const uploaded = async (name: string, content: Buffer, contentType = 'application/octet-stream', headers: Record<string, string> = {}) => {
        const sent = filesvc.as('owner', 'post', FILES, { _namespaces: NS }).set(headers).attach('file', content, { filename: name, contentType });
        return filesvc.address(((await sent.expect(201)).body as FileBody[])[0] as FileBody);
      };

      it('answers 302 to an address that is signed, short-lived and kept by nobody, for any origin', async () => {
        const answer = await get(address, { origin: 'https://viewer.example' });
        expect(answer.status).toBe(302);
        const location = new URL(answer.headers.get('location') ?? '');
        expect(location.origin).toBe(engineSettings(engine)['S3_ENDPOINT']);
        expect(Number(location.searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(300);
        expect(answer.headers.get('cache-control')).toBe('private, no-store');
        expect(answer.headers.get('access-control-allow-origin')).toBe('*');
        expect(await answer.text()).toBe('');
      });

      it('gives who follows the bytes, the stored type and the name', async () => {
        const answer = await follow(address);
        expect(Buffer.from(await answer.arrayBuffer()).equals(BYTES)).toBe(true);
        expect(answer.redirected).toBe(true);
        expect(answer.headers.get('content-type')).toBe('application/octet-stream');
        expect(answer.headers.get('content-disposition')).toMatch(/^inline; filename="Ma_.*\\"plan\\" \(1\)\.bin"; filename\*=UTF-8''Ma%C3%9F/);
        expect(answer.headers.get('cache-control')).toMatch(/^private, max-age=3\d\d\d, immutable$/);
      });

      it('gives the stored encoding', async () => {
        const packed = await uploaded('packed.json', randomBytes(LEAST), 'application/json', { 'content-encoding': 'x-own' });
        const answer = await follow(packed);
        expect([answer.headers.get('content-encoding'), answer.headers.get('content-type')]).toEqual(['x-own', 'application/json']);
      });

      it('gives ranges; one outside of the content is refused here', async () => {
        const answer = await follow(address, { range: 'bytes=10-19' });
        expect(answer.status).toBe(206);
        expect(answer.headers.get('content-range')).toBe(`bytes 10-19/${LEAST}`);
        expect(Buffer.from(await answer.arrayBuffer()).equals(BYTES.subarray(10, 20))).toBe(true);
        expect((await get(address, { range: `bytes=${LEAST}-` })).status).toBe(416);
      });

      it('answers HEAD, and what the caller has already, from here', async () => {
        const head = await get(address, {}, 'HEAD');
        expect([head.status, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([200, String(LEAST), etag]);
        expect((await get(address, { 'if-none-match': etag })).status).toBe(304);
        expect((await get(address, { 'if-match': '"another"' })).status).toBe(412);
      });

      it.each([['if-match', 200], ['if-range', 206]] as const)('streams what is asked for with our tag (%s): the store has another', async (condition, status) => {
        const answer = await get(address, { [condition]: etag, ...(condition === 'if-range' && { range: 'bytes=0-9' }) });
        expect(answer.status).toBe(status);
        expect(answer.headers.get('etag')).toBe(etag);
      });

      it('streams several ranges, which no store answers, and what is to be decoded', async () => {
        expect((await get(address, { range: 'bytes=0-1,5-6' })).status).toBe(206);
        const packed = await uploaded('packed.txt', gzipSync(randomBytes(LEAST)), 'text/plain', { 'content-encoding': 'gzip' });
        const statuses = await Promise.all(['gzip', 'br'].map(async (accepted) => (await get(packed, { 'accept-encoding': accepted })).status));
        expect(statuses).toEqual([302, 200]);
      });

      it.each([['page.html', 'text/html'], ['drawing.svg', 'image/svg+xml'], ['code.js', 'application/octet-stream'], ['odd', 'unknown/unknown']])('streams what a browser could run: %s, %s', async (name, type) => {
        const answer = await get(await uploaded(name, BYTES, type));
        expect(answer.status).toBe(200);
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
        expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox/);
      });

      it('streams what is smaller', async () => {
        expect((await get(await uploaded('small.bin', BYTES.subarray(1)))).status).toBe(200);
      });

      it('sends nobody away with a wrong signature, or to a file that is deleted', async () => {
        expect((await get(address.replace(/signature=./, 'signature=~'))).status).toBe(403);
        const gone = await filesvc.upload('gone.bin', BYTES);
        const at = await filesvc.address(gone);
        await filesvc.as('owner', 'delete', `${FILES}/${gone._id}`).expect(204);
        expect((await get(at)).status).toBe(404);
      });
    });
  });
}
