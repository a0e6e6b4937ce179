import { createHash, randomBytes } from 'node:crypto';
import { get as httpGet, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { FILES, type FileBody, type FilesvcUnderTest, NS } from './filesvc-under-test';
import { readMultipart } from './multipart-message';

const BYTES = randomBytes(200_000);
const TEXT = Buffer.from('the same line again and again\n'.repeat(10_000));
const PACKED = gzipSync(TEXT);
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

interface Sample {
  readonly content: Buffer;
  readonly type: string;
  readonly encoding?: string;
}

const SAMPLES = {
  'Plan "Süd".bin': { content: BYTES, type: 'application/octet-stream' },
  'page.html': { content: TEXT, type: 'text/html' },
  'log.txt': { content: PACKED, type: 'text/plain; charset=utf-8', encoding: 'gzip' },
  'log2.txt': { content: brotliCompressSync(TEXT), type: 'text/plain; charset=utf-8', encoding: 'br' },
  'empty.txt': { content: Buffer.alloc(0), type: 'text/plain' },
} satisfies Record<string, Sample>;
type Name = keyof typeof SAMPLES;

/** What is asked for, and what a client has in its hands at the end. */
const ASKED: readonly (readonly [Name, Record<string, string>, number, Buffer | 'nothing', IncomingHttpHeaders])[] = [
  ['Plan "Süd".bin', {}, 200, BYTES, { 'content-length': '200000', 'content-type': 'application/octet-stream', 'content-disposition': 'inline; filename="Plan \\"Sud\\".bin"; filename*=UTF-8\'\'Plan%20%22S%C3%BCd%22.bin' }],
  ['Plan "Süd".bin', { range: 'bytes=10-19' }, 206, BYTES.subarray(10, 20), { 'content-range': 'bytes 10-19/200000', 'content-length': '10' }],
  ['Plan "Süd".bin', { range: 'bytes=-7' }, 206, BYTES.subarray(-7), { 'content-range': 'bytes 199993-199999/200000' }],
  ['Plan "Süd".bin', { range: 'bytes=199990-' }, 206, BYTES.subarray(-10), { 'content-range': 'bytes 199990-199999/200000' }],
  ['Plan "Süd".bin', { range: 'bytes=200000-' }, 416, 'nothing', { 'content-range': 'bytes */200000' }],
  ['Plan "Süd".bin', { 'if-none-match': '"another"', 'if-modified-since': 'Sun, 01 Jan 2090 00:00:00 GMT' }, 200, BYTES, {}],
  ['Plan "Süd".bin', { 'if-modified-since': 'Sun, 01 Jan 2090 00:00:00 GMT' }, 304, 'nothing', {}],
  ['Plan "Süd".bin', { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' }, 412, 'nothing', {}],
  ['page.html', {}, 200, TEXT, { 'content-type': 'text/html', 'content-disposition': 'attachment; filename="page.html"' }],
  ['log.txt', { 'accept-encoding': 'gzip' }, 200, PACKED, { 'content-encoding': 'gzip', 'content-length': String(PACKED.length), 'content-type': 'text/plain; charset=utf-8' }],
  ['log.txt', { 'accept-encoding': 'gzip', range: 'bytes=1-3' }, 206, PACKED.subarray(1, 4), { 'content-encoding': 'gzip' }],
  ['log.txt', { 'accept-encoding': 'identity' }, 200, TEXT, { 'content-type': 'text/plain; charset=utf-8', vary: 'Accept-Encoding' }],
  ['log2.txt', { 'accept-encoding': 'gzip' }, 200, TEXT, { vary: 'Accept-Encoding' }],
  ['empty.txt', {}, 200, Buffer.alloc(0), { 'content-length': '0' }],
];

/** One suite of downloads for every place where bytes are kept, and for both who may send them: the service, or the store itself. */
export function describeDownloads(where: string, start: () => Promise<FilesvcUnderTest>): void {
  describe(`downloads from ${where}`, () => {
    let filesvc: FilesvcUnderTest;
    const addresses = new Map<string, string>();
    beforeAll(async () => {
      filesvc = await start();
      for (const [name, sample] of Object.entries<Sample>(SAMPLES)) addresses.set(name, await filesvc.address(await uploaded(name, sample)));
    });
    afterAll(() => filesvc?.stop());

    const uploaded = async (name: string, { content, type, encoding }: Sample) => {
      const sent = filesvc.as('owner', 'post', FILES, { _namespaces: NS }).set(encoding === undefined ? {} : { 'content-encoding': encoding });
      return ((await sent.attach('file', content, { filename: name, contentType: type }).expect(201)).body as FileBody[])[0] as FileBody;
    };
    const ask = (name: Name, headers: Record<string, string> = {}) => follow(filesvc.url + (addresses.get(name) ?? ''), headers);

    it.each(ASKED)('%s with %j: %d', async (name, headers, status, bytes, expected) => {
      const answer = await ask(name, headers);
      expect({ status: answer.status, ...(bytes !== 'nothing' && { sha256: sha256(answer.body) }) }).toEqual({ status, ...(bytes !== 'nothing' && { sha256: sha256(bytes) }) });
      expect(answer.headers).toMatchObject(expected);
      if (bytes === TEXT) expect(answer.headers).not.toHaveProperty('content-encoding');
    });

    it('several ranges', async () => {
      const answer = await ask('Plan "Süd".bin', { range: 'bytes=5-9,100-199999' });
      const parts = await readMultipart(String(answer.headers['content-type']), answer.body);
      expect([answer.status, ...parts.map(({ bytes }) => sha256(bytes))]).toEqual([206, sha256(BYTES.subarray(5, 10)), sha256(BYTES.subarray(100))]);
    });
  });
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** With the same headers to where a redirection leads, undecoded. */
async function follow(url: string, headers: Record<string, string>): Promise<Answer> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => httpGet(url, { headers }, resolve).once('error', reject));
  const { statusCode: status = 0 } = answer;
  const body = await buffer(answer);
  return status === 302 ? follow(answer.headers.location ?? '', headers) : { status, headers: answer.headers, body };
}
