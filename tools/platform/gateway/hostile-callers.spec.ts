import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { eventually } from '@twinyard/testing';
import type { FastifyInstance } from 'fastify';
import { createGateway } from './gateway';
import { gatewaySettingsFor } from './test-gateway';

const [HOSTILE, PEACEFUL] = ['203.0.113.7', '198.51.100.9'];
const MANY = 300;
/** Of one address: half of its share of the places is for bodies that are still coming. */
const [SHARE, UPLOADS] = [64, 32];
const BEGUN = 'x'.repeat(64 * 1024);
/** More than the buffers of the lines between hold, for each. */
const LARGE = Buffer.alloc(64 * 1024 * 1024);

describe('callers that hold on to what others need', () => {
  let upstream: Server;
  let gateway: FastifyInstance;
  let origin: URL;
  const sockets: Socket[] = [];
  /** Requests under way at the service, by path. */
  let open = new Map<string, number>();
  let most = 0;

  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const { url = '' } = request;
    const counts = open;
    counts.set(url, (counts.get(url) ?? 0) + 1);
    most = Math.max(most, counts.get(url) ?? 0);
    response.once('close', () => counts.set(url, (counts.get(url) ?? 0) - 1));
    const body: Buffer[] = [];
    request.on('data', (chunk: Buffer) => body.push(chunk));
    request.once('end', () => (url === '/itemsvc/large' ? response.end(LARGE) : response.end(Buffer.concat(body))));
  };

  const start = async (environment: NodeJS.ProcessEnv = {}) => {
    upstream = createServer(serve);
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const upstreams = Object.fromEntries(SERVICES.map((service) => [service, url])) as Record<ServiceName, string>;
    gateway = await createGateway(gatewaySettingsFor(upstreams, { TRUSTED_PROXIES: '1', ...environment }));
    origin = new URL(await gateway.listen({ port: 0, host: '127.0.0.1' }));
  };
  beforeEach(() => {
    open = new Map();
    most = 0;
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await gateway.close();
    upstream.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
  });

  /** What a socket was answered so far. */
  const say = (text: string, reads = true) => {
    const socket = connect(Number(origin.port), origin.hostname);
    const heard = { text: '', socket };
    socket.on('error', () => undefined);
    if (reads) socket.on('data', (chunk: Buffer) => (heard.text += chunk.toString()));
    else socket.pause();
    socket.write(text);
    sockets.push(socket);
    return heard;
  };
  const head = (method: string, path: string, lines: readonly string[] = [], address = HOSTILE) =>
    [`${method} ${path} HTTP/1.1`, 'Host: x', `X-Forwarded-For: ${address}`, ...lines, '', ''].join('\r\n');
  const ask = (path: string, init: RequestInit = {}) => fetch(new URL(path, origin), { ...init, headers: { 'x-forwarded-for': PEACEFUL, ...init.headers } });

  /** Signs in and reads, as others do beside it. */
  const work = async () => {
    for (let round = 0; round < 20; round += 1) {
      const signedIn = await ask('/passportsvc/sign-in', { method: 'POST', body: 'email=a&password=b' });
      expect([signedIn.status, await signedIn.text()]).toEqual([200, 'email=a&password=b']);
      expect((await ask('/itemsvc/one')).status).toBe(200);
    }
  };

  it('a head and one byte of a small body hold no connection to a service', async () => {
    await start();
    const one = head('POST', '/passportsvc/slow', ['Content-Length: 100']) + 'x';
    for (let count = 0; count < MANY; count += 1) say(one);
    await work();
    expect(open.get('/passportsvc/slow')).toBeUndefined();
  });

  it('a chunked body that does not go on neither', async () => {
    await start();
    const one = `${head('POST', '/passportsvc/slow', ['Transfer-Encoding: chunked'])}1\r\nx\r\n`;
    for (let count = 0; count < MANY; count += 1) say(one);
    await work();
    expect(open.get('/passportsvc/slow')).toBeUndefined();
  });

  it('nor does the beginning of a large one', async () => {
    await start();
    const one = head('POST', '/passportsvc/slow', ['Content-Length: 1000000']) + 'x'.repeat(10_000);
    for (let count = 0; count < MANY; count += 1) say(one);
    await work();
    expect(open.get('/passportsvc/slow')).toBeUndefined();
  });

  it('nor do connections that say nothing', async () => {
    await start();
    for (let count = 0; count < MANY; count += 1) say('');
    await work();
  });

  const begunUpload = (address = HOSTILE) => head('POST', '/passportsvc/slow', ['Content-Length: 1000000'], address) + BEGUN;

  it('uploads that have begun take no more than half the share of their address, and leave it the other half', async () => {
    await start();
    for (let count = 0; count < SHARE; count += 1) say(begunUpload());
    await eventually(() => expect(open.get('/passportsvc/slow')).toBe(UPLOADS));
    expect((await ask('/passportsvc/sign-in', { method: 'POST', body: 'a=b', headers: { 'x-forwarded-for': HOSTILE } })).status).toBe(200);
    await work();
    expect(most).toBe(UPLOADS);
  });

  it('uploads of many addresses that have begun take half of the places, whole requests have the other half', async () => {
    await start({ UPSTREAM_CONNECTIONS: '16' });
    for (let address = 1; address <= 10; address += 1) for (let count = 0; count < 4; count += 1) say(begunUpload(`203.0.113.${address}`));
    await eventually(() => expect(open.get('/passportsvc/slow')).toBe(8));
    await work();
    expect(most).toBe(8);
  });

  it('an upload whose body is there goes on beside those that are not', async () => {
    await start({ UPSTREAM_CONNECTIONS: '16' });
    const held = [1, 2].map(() => say(begunUpload()));
    await eventually(() => expect(open.get('/passportsvc/slow')).toBe(2));
    const rest = 'y'.repeat(20_000);
    const whole = say(`${head('POST', '/passportsvc/whole', [`Content-Length: ${BEGUN.length + rest.length}`])}${BEGUN}${rest}`);
    await eventually(() => expect(whole.text.endsWith(rest)).toBe(true));
    held[0]?.socket.write('x'.repeat(1_000_000 - BEGUN.length));
    await eventually(() => expect(open.get('/passportsvc/slow')).toBe(1));
  });

  it('answers that nobody reads take no more than the share of their address', async () => {
    await start({ UPSTREAM_CONNECTIONS: '32' });
    for (let count = 0; count < MANY; count += 1) say(head('GET', '/itemsvc/large'), false);
    await eventually(() => expect(open.get('/itemsvc/large')).toBe(8));
    await work();
    expect(most).toBe(8);
  });

  it('answers that nobody reads are cut off', async () => {
    await start({ LINE_SILENCE_SECONDS: '1' });
    const heard = [1, 2, 3].map(() => say(head('GET', '/itemsvc/large'), false));
    await eventually(() => expect(open.get('/itemsvc/large')).toBe(3));
    await eventually(() => expect(open.get('/itemsvc/large')).toBe(0));
    await eventually(() => expect(heard.every(({ socket }) => socket.resume().closed)).toBe(true));
    for (const { socket } of heard) expect(socket.bytesRead).toBeLessThan(LARGE.length);
  });

  it('a body that does not come is answered 408 in the shape of every error', async () => {
    await start({ LINE_SILENCE_SECONDS: '1' });
    const heard = say(head('POST', '/passportsvc/slow', ['Content-Length: 100', 'X-Request-Id: mine-1']) + 'x');
    await eventually(() => expect(heard.socket.closed).toBe(true));
    const [answer = '', body = ''] = heard.text.split('\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answer).toContain('X-Request-Id: mine-1');
    expect(JSON.parse(body)).toEqual({ message: expect.any(String), code: 'request_timeout', requestId: 'mine-1' });
  });

  it.each([
    ['/passportsvc/api/v2/oauth/token', 408, { error: 'invalid_request', error_description: expect.any(String) }],
    ['/passportsvc/api/v1/oauth/userinfo', 408, { message: expect.any(String), code: 'request_timeout', requestId: expect.any(String) }],
  ])('a body that does not come is refused at %s in the shape that is read there', async (path, status, shape) => {
    await start({ LINE_SILENCE_SECONDS: '1' });
    const heard = say(head('POST', path, ['Content-Length: 100']) + 'x');
    await eventually(() => expect(heard.socket.closed).toBe(true));
    const [answer = '', body = ''] = heard.text.split('\r\n\r\n');
    expect(answer).toContain(`HTTP/1.1 ${status} `);
    expect(JSON.parse(body)).toEqual(shape);
  });

  it.each([
    ['a head that does not come', 'GET /itemsvc/x HTTP/1.1\r\nHo', 408, 'request_timeout'],
    ['what is no HTTP', 'HELLO\r\n\r\n', 400, 'invalid'],
    ['a body with two lengths', 'POST /itemsvc/x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400, 'invalid'],
    ['a head that is too large', `GET /itemsvc/x HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(1_100_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ])('%s is answered in that shape too', async (_what, text, status, code) => {
    // What has come is not to wait for the machine: one that stops for a second would be told the same as who sends nothing.
    await start(status === 408 ? { HEAD_SECONDS: '1' } : {});
    const heard = say(text);
    await eventually(() => expect(heard.socket.closed).toBe(true));
    const [answer = '', body = ''] = heard.text.split('\r\n\r\n');
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\n`));
    expect(JSON.parse(body)).toEqual({ message: expect.any(String), code, requestId: expect.any(String) });
    expect(answer).toContain(`X-Request-Id: ${(JSON.parse(body) as { requestId: string }).requestId}`);
  });

  it('requests over the limit of an address are answered 429, those of others go on', async () => {
    await start({ REQUESTS_PER_CALLER: '3' });
    const held = [1, 2, 3].map(() => say(begunUpload()));
    await eventually(() => expect(open.get('/passportsvc/slow')).toBe(3));
    const answer = await ask('/itemsvc/one', { headers: { 'x-forwarded-for': HOSTILE } });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await answer.json()).toEqual({ message: expect.any(String), code: 'too_many_requests', requestId: answer.headers.get('x-request-id') });
    await work();
    held[0]?.socket.destroy();
    await eventually(async () => expect((await ask('/itemsvc/one', { headers: { 'x-forwarded-for': HOSTILE } })).status).toBe(200));
  });

  it('what waits behind an answer on its connection is over with the connection', async () => {
    await start({ REQUESTS_PER_CALLER: '8', UPSTREAM_CONNECTIONS: '16' });
    const pipelined = head('GET', '/itemsvc/large') + head('GET', '/itemsvc/one').repeat(7);
    for (let round = 0; round < 3; round += 1) {
      const heard = say(pipelined, false);
      await eventually(() => expect(open.get('/itemsvc/large')).toBe(1));
      heard.socket.destroy();
      await eventually(() => expect(open.get('/itemsvc/large')).toBe(0));
    }
    await eventually(async () => expect((await ask('/itemsvc/one', { headers: { 'x-forwarded-for': HOSTILE } })).status).toBe(200));
  });

  it('connections over the limit of an address are answered 429, and those far over it closed', async () => {
    await start({ TRUSTED_PROXIES: '0', CONNECTIONS_PER_CALLER: '2' });
    say('');
    say('');
    const over = say(head('GET', '/itemsvc/one'));
    await eventually(() => expect(over.text).toMatch(/^HTTP\/1\.1 429 [^]*"code":"too_many_requests"/));
    const silent = [say(''), say(''), say('')];
    await eventually(() => expect(silent.some(({ socket }) => socket.closed)).toBe(true));
  });
});
