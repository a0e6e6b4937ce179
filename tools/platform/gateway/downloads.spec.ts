import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { SERVICES, type ServiceName } from '@twinyard/conventions';
import type { FastifyInstance } from 'fastify';
import { createGateway } from './gateway';
import { gatewaySettingsFor } from './test-gateway';

const PACKED = gzipSync('packed');
const PARTS = '--x\r\nContent-Range: bytes 0-0/9\r\n\r\na\r\n--x--\r\n';

type Headers = Record<string, string>;
/** What it is, method, question's headers, status, answer's headers, body. */
type Exchange = [string, string, Headers, number, Headers, string | Buffer];

describe('downloads through the gateway', () => {
  let upstream: Server;
  let gateway: FastifyInstance;
  let origin: string;
  let asked: IncomingMessage['headers'];
  let askedFor: string | undefined;
  let answer: { readonly status: number; readonly headers: Record<string, string>; readonly body: Buffer | string };

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      asked = request.headers;
      askedFor = request.url;
      response.writeHead(answer.status, answer.headers);
      response.end(request.method === 'HEAD' ? undefined : answer.body);
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const upstreams = Object.fromEntries(SERVICES.map((service) => [service, url])) as Record<ServiceName, string>;
    gateway = await createGateway(gatewaySettingsFor(upstreams));
    origin = await gateway.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(async () => {
    await gateway?.close();
    upstream?.closeAllConnections();
    upstream?.close();
  });

  it('a name that begins with dots goes through, and any method, the way out of a path does not', async () => {
    answer = { status: 200, headers: {}, body: 'plan' };
    const ask = async (path: string, method = 'GET', body = '') => {
      const got = await new Promise<IncomingMessage>((resolve, reject) => httpRequest(`${origin}/`, { path, method }, resolve).once('error', reject).end(body));
      return { status: got.statusCode, text: (await buffer(got)).toString() };
    };
    for (const name of ['..plan%20(1).pdf?a=..%2Fb&nsfilter=n', '...', 'plan..', '..%C3%BC/y']) {
      expect([await ask(`/filesvc/api/v1/content/x/${name}`), askedFor]).toEqual([{ status: 200, text: 'plan' }, `/filesvc/api/v1/content/x/${name}`]);
    }
    expect((await ask('/filesvc/api/v1/%2e%2e/x')).status).toBe(400);
    for (const [method, body] of [['PROPFIND'], ['QUERY'], ['QUERY', '{}'], ['QUERY', 'x'.repeat(100_000)]] as const) expect(await ask('/filesvc/x', method, body)).toEqual({ status: 200, text: 'plan' });
  });

  it.each<Exchange>([
    ['an encoded content', 'GET', { 'accept-encoding': 'br;q=0.5, gzip' }, 200, { 'content-encoding': 'gzip', vary: 'Accept-Encoding', etag: '"a"', 'content-length': String(PACKED.length) }, PACKED],
    ['a content for who takes no encoding', 'GET', { 'accept-encoding': 'identity' }, 200, { 'accept-ranges': 'none' }, 'plain'],
    ['a range', 'GET', { range: 'bytes=0-1', 'if-range': '"a"' }, 206, { 'content-range': 'bytes 0-1/9', 'content-length': '2', 'accept-ranges': 'bytes' }, 'ab'],
    ['several ranges', 'GET', { range: 'bytes=0-0,5-6' }, 206, { 'content-type': 'multipart/byteranges; boundary=x', 'content-length': String(PARTS.length) }, PARTS],
    ['a range outside', 'GET', { range: 'bytes=9-' }, 416, { 'content-range': 'bytes */9' }, ''],
    ['what the caller has', 'GET', { 'if-none-match': '"a", W/"b"' }, 304, { etag: '"a"', 'cache-control': 'private, max-age=10, immutable' }, ''],
    ['HEAD', 'HEAD', { 'accept-encoding': 'gzip' }, 200, { 'content-encoding': 'gzip', 'content-length': '12345', 'accept-ranges': 'bytes', 'cross-origin-resource-policy': 'cross-origin' }, ''],
  ])('%s goes through untouched, the question too', async (_what, ...[method, headers, status, expected, body]) => {
    answer = { status, headers: expected, body };
    const got = await new Promise<IncomingMessage>((resolve, reject) => httpRequest(`${origin}/filesvc/api/v1/content/x/y`, { method, headers }, resolve).once('error', reject).end());
    expect(asked).toMatchObject(headers);
    expect(got.statusCode).toBe(status);
    expect(got.headers).toMatchObject(expected);
    expect((await buffer(got)).equals(Buffer.from(body))).toBe(true);
  });
});
