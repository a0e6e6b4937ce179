import { createHash } from 'node:crypto';
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { eventually, freePort } from '@twinyard/testing';
import type { FastifyInstance } from 'fastify';
import { createGateway } from './gateway';
import { gatewaySettingsFor } from './test-gateway';

const BEGUN = 'x'.repeat(64 * 1024); // so much of a large body that it goes on
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let gateway: FastifyInstance;
let origin: string;
let upstream: Server;
let handle: Handler;
const seen: IncomingMessage[] = [];

const echo: Handler = (request, response) => {
  const body: Buffer[] = [];
  request.on('data', (chunk: Buffer) => body.push(chunk));
  request.on('end', () => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body: Buffer.concat(body).toString() }));
  });
};

beforeAll(async () => {
  upstream = createServer({ maxHeaderSize: 1024 * 1024 }, (request, response) => {
    seen.push(request);
    if (request.url === '/health/ready') response.end('{}');
    else handle(request, response);
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const dead = `http://127.0.0.1:${await freePort()}`;
  const upstreams = Object.fromEntries(SERVICES.map((service) => [service, service === 'aisvc' ? dead : url])) as Record<ServiceName, string>;
  gateway = await createGateway(gatewaySettingsFor(upstreams, { UPSTREAM_CONNECTION_MS: '20' }));
  origin = await gateway.listen({ port: 0, host: '127.0.0.1' });
});

beforeEach(() => {
  handle = echo;
  seen.length = 0;
});

afterAll(async () => {
  await gateway.close();
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
});

const ask = (path: string, init?: RequestInit) => fetch(`${origin}${path}`, { redirect: 'manual', ...init });

async function echoed(path: string, init?: RequestInit) {
  return (await (await ask(path, init)).json()) as { method: string; url: string; headers: Record<string, string>; body: string };
}

/** For what fetch does not let through: a path that is not normalised, hop-by-hop headers. */
function raw(path: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const sent = httpRequest({ hostname, port, path, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject).end();
  });
}

describe('routing', () => {
  it.each(SERVICES.filter((service) => service !== 'aisvc'))('passes /%s on with its prefix and its query as they came', async (service) => {
    const path = `/${service}/api/v1/x%2Fy;a=b?query=%7B%22a.b%22%3A1%7D&_id=1&_id=2`;
    expect((await echoed(path)).url).toBe(path);
  });

  it('gives the version paths without a prefix to itemsvc (contract 2.1)', async () => {
    expect((await echoed('/nameduseritems/a_b/versions?nsfilter=n')).url).toBe('/nameduseritems/a_b/versions?nsfilter=n');
  });

  it.each(['/internal/grants', '/metrics', '/health', '/itemsvcx/api', '/Itemsvc/api', '//itemsvc/api', '/itemsvc%2Fapi'])('serves nothing at %s', async (path) => {
    const { status, text } = await raw(path);
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ code: 'not_found', requestId: expect.any(String) as string });
    expect(seen).toHaveLength(0);
  });

  it.each(['/itemsvc/../internal/x', '/itemsvc/%2e%2e/internal/x', '/itemsvc/..%2finternal', '/itemsvc/%2e%2e%5cinternal', '/itemsvc/%zz'])(
    'refuses %s, which could be read as another path', async (path) => {
      const { status, text } = await raw(path);
      expect(status).toBe(400);
      expect(JSON.parse(text)).toMatchObject({ code: 'invalid', details: [{ field: 'path', issue: 'is not a valid path' }] });
      expect(seen).toHaveLength(0);
    });

  it('takes a query of half a megabyte', async () => {
    const path = `/itemsvc/api/v1/nameduseritems?query=${'x'.repeat(500_000)}`;
    expect(JSON.parse((await raw(path)).text)).toMatchObject({ url: path });
  });
});

describe('requests', () => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('passes %s on', async (method) => {
    expect((await echoed('/itemsvc/x', { method })).method).toBe(method);
  });

  it('passes HEAD on, with the length that the answer would have', async () => {
    handle = (_request, response) => response.setHeader('Content-Length', '12345').end();
    const answer = await ask('/filesvc/x', { method: 'HEAD' });
    expect(answer.headers.get('content-length')).toBe('12345');
  });

  it('passes a body of any type on as it is, also with DELETE', async () => {
    const bad = '{ "not json": ';
    expect((await echoed('/itemsvc/x', { method: 'DELETE', body: bad, headers: { 'content-type': 'application/json' } })).body).toBe(bad);
  });

  it('takes a JSON content type without a body on GET and DELETE (contract 0.1)', async () => {
    const headers = { 'content-type': 'application/json' };
    expect((await echoed('/itemsvc/x', { headers })).body).toBe('');
    expect((await echoed('/itemsvc/x', { method: 'DELETE', headers })).headers['transfer-encoding']).toBeUndefined();
  });

  it('streams an upload: the service has the first bytes before the caller has sent the last', async () => {
    let received = 0;
    handle = (request, response) => {
      request.on('data', (chunk: Buffer) => (received += chunk.length));
      request.on('end', () => response.end('done'));
    };
    async function* parts() {
      yield Buffer.alloc(100_000);
      await eventually(() => received === 100_000);
      for (let part = 0; part < 200; part++) yield Buffer.alloc(100_000);
    }
    const answer = await ask('/filesvc/x', { method: 'POST', body: Readable.toWeb(Readable.from(parts())) as never, duplex: 'half' } as never);
    expect(await answer.text()).toBe('done');
    expect(received).toBe(20_100_000);
  });

  it('keeps the length of an upload that has one, and every byte', async () => {
    const body = Buffer.alloc(5_000_000, 'twinyard');
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    const { headers, body: got } = await echoed('/filesvc/x', { method: 'PATCH', body, headers: { 'content-type': 'application/offset+octet-stream' } });
    expect(headers['content-length']).toBe('5000000');
    expect(digest(Buffer.from(got))).toBe(digest(body));
  });

  it('hands an early refusal to a caller that is still uploading', async () => {
    handle = (_request, response) => response.writeHead(401, { 'Content-Type': 'application/json' }).end('{"code":"unauthenticated"}');
    for (let round = 0; round < 5; round++) {
      const answer = await ask('/filesvc/x', { method: 'POST', body: Buffer.alloc(3_000_000) });
      expect(answer.status).toBe(401);
      expect(await answer.json()).toEqual({ code: 'unauthenticated' });
    }
  });

  it('answers Expect: 100-continue itself', async () => {
    const { headers } = JSON.parse((await raw('/itemsvc/x', { expect: '100-continue' })).text) as { headers: Record<string, string> };
    expect(headers.expect).toBeUndefined();
  });

  it('replaces what a caller claims about its address and origin', async () => {
    const { headers } = await echoed('/itemsvc/x', { headers: { 'x-forwarded-for': '1.2.3.4', 'x-forwarded-host': 'evil.example', forwarded: 'for=1.2.3.4', 'x-real-ip': '1.2.3.4', 'x-forwarded-port': '1' } });
    expect(headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': 'twins.example', 'x-forwarded-proto': 'https' });
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['forwarded']));
    expect(JSON.stringify(headers)).not.toContain('1.2.3.4');
  });

  it('passes a request id on, and makes one where it is missing or not fit to be logged', async () => {
    expect((await echoed('/itemsvc/x', { headers: { 'x-request-id': 'mine-1' } })).headers['x-request-id']).toBe('mine-1');
    expect((await echoed('/itemsvc/x')).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect((await echoed('/itemsvc/x', { headers: { 'x-request-id': 'a b<' } })).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('drops the headers of one connection and those that it names', async () => {
    const { headers } = JSON.parse((await raw('/itemsvc/x', { connection: 'keep-alive, x-private', 'x-private': '1', te: 'trailers', 'keep-alive': 'timeout=5' })).text) as { headers: Record<string, string> };
    expect(headers).not.toMatchObject({ 'x-private': '1' });
    expect([headers.te, headers['keep-alive']]).toEqual([undefined, undefined]);
  });
});

describe('connections to a service', () => {
  it('are made anew after some time, so that a replica behind a balancer that came later gets its share', async () => {
    const sockets: unknown[] = [];
    handle = (request, response) => void (sockets.push(request.socket), response.end('{}'));
    await eventually(async () => expect([(await ask('/itemsvc/x')).status, (await ask('/itemsvc/x', { method: 'DELETE' })).status, new Set(sockets).size >= 3]).toEqual([200, 200, true]), { everyMs: 1 });
  });
});

describe('answers', () => {
  it.each([302, 303])('passes a %d on with its cookies', async (status) => {
    handle = (_request, response) => response.writeHead(status, { Location: 'https://elsewhere.example/#code=1', 'Set-Cookie': ['a=1', 'b=2; HttpOnly'] }).end();
    const answer = await ask('/passportsvc/x');
    expect(answer.status).toBe(status);
    expect(answer.headers.get('location')).toBe('https://elsewhere.example/#code=1');
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2; HttpOnly']);
  });

  it('streams an answer: the caller has the first bytes before the service has sent the last', async () => {
    let finish = () => {};
    handle = (_request, response) => {
      response.write('first');
      finish = () => response.end('last');
    };
    const reader = (await ask('/filesvc/x')).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first');
    finish();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('last');
  });

  it('answers 503 with the error body and Retry-After when the service is down', async () => {
    const answer = await ask('/aisvc/api/v1/teams', { headers: { 'x-request-id': 'r-1' } });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.headers.get('x-request-id')).toBe('r-1');
    expect(await answer.json()).toEqual({ message: 'aisvc does not answer at the moment', code: 'unavailable', requestId: 'r-1' });
  });

  it('when the service dies before it has answered, asks once, and invites to repeat only what may be done twice', async () => {
    handle = (request) => request.socket.destroy();
    const told = (method: string, headers = {}) => ask('/itemsvc/x', { method, headers }).then((answer) => `${answer.status} ${answer.headers.get('retry-after')}`);
    expect([await told('GET'), await told('PUT'), await told('POST', { 'idempotency-key': 'k' })]).toEqual(['503 1', '503 1', '503 1']);
    expect([await told('POST'), await told('PATCH')]).toEqual(['502 null', '502 null']);
    expect(seen).toHaveLength(5);
  });

  it('lets a caller that is still uploading read the answer of a service that is down, and of one that dies on the way', async () => {
    const body = Buffer.alloc(3 * 1024 * 1024, 'x');
    for (let round = 0; round < 10; round += 1) {
      expect((await ask('/aisvc/api/v1/files', { method: 'POST', body })).status).toBe(503);
      handle = (request) => request.once('data', () => request.socket.destroy());
      expect((await ask('/filesvc/api/v1/files', { method: 'POST', body })).status).toBe(502);
    }
  });

  it("passes a service's own 503 on at once", async () => {
    handle = (_request, response) => response.writeHead(503, { 'Retry-After': '7' }).end('{"code":"unavailable"}');
    const answer = await ask('/itemsvc/x');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '7']);
    expect(seen).toHaveLength(1);
  });

  it('lets a caller that is still uploading read an early refusal, and go on over the same connection', async () => {
    handle = (_request, response) => response.writeHead(401).end('{}');
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname);
    let answers = '';
    socket.on('data', (chunk: Buffer) => (answers += chunk.toString()));
    socket.write(`POST /filesvc/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n${BEGUN}`);
    await eventually(() => expect(answers).toContain('HTTP/1.1 401'));
    socket.write(`${'x'.repeat(1_000_000 - BEGUN.length)}GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n`);
    await eventually(() => expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']));
    socket.destroy();
  });

  it('breaks off a large answer when the service dies in the middle of it, and does not begin a small one', async () => {
    handle = ({ url, socket }, response) => {
      response.writeHead(200, { 'Content-Length': url === '/filesvc/large' ? '1000000' : '1000', ETag: '"x"' }).write('begun');
      setImmediate(() => socket.destroy());
    };
    await expect(ask('/filesvc/large').then((answer) => answer.text())).rejects.toThrow();
    expect(await ask('/filesvc/x').then(({ status, headers }) => [status, headers.get('etag')])).toEqual([503, null]);
  });
});

describe('a caller that goes away', () => {
  it('ends its request upstream before the first byte of an answer', async () => {
    handle = () => undefined;
    const caller = new AbortController();
    const asked = ask('/itemsvc/slow', { signal: caller.signal });
    await eventually(() => expect(seen).toHaveLength(1));
    caller.abort();
    await expect(asked).rejects.toThrow();
    await eventually(() => seen[0]?.socket.destroyed === true);
  });

  it('ends an upload in the middle', async () => {
    handle = (request) => request.resume();
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname);
    socket.write(`POST /filesvc/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n${BEGUN}`);
    await eventually(() => expect(seen).toHaveLength(1));
    socket.destroy();
    await eventually(() => seen[0]?.socket.destroyed === true);
  });
});

describe('health', () => {
  it('is ready when all services are, and names those that are not', async () => {
    const answer = await ask('/health/ready');
    expect([answer.status, await answer.json()]).toEqual([503, { status: 'not ready', notReady: ['aisvc'] }]);
    expect((await ask('/health/live')).status).toBe(200);
  });
});
