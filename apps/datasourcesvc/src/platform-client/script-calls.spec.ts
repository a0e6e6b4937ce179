import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SERVICES } from '@twinyard/conventions';
import type { ScriptRequest } from '@twinyard/scripts';
import { type PlatformAddresses, PlatformHttp } from './http/platform-http';
import { PlatformUsage } from './platform-usage';
import { ScriptCalls } from './script-calls';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

describe('calls of scripts', () => {
  let server: Server;
  let handler: Handler;
  let seen: string[];
  let usage: PlatformUsage;
  let room: number[];

  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization} ${request.headers['idempotency-key'] ?? 'no key'}`);
      handler(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    [seen, usage, room] = [[], new PlatformUsage(), []];
  });
  afterAll(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });

  const calls = () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const addresses = Object.fromEntries(SERVICES.map((service) => [service, `${url}/${service}`])) as PlatformAddresses;
    return new ScriptCalls(new PlatformHttp({
      addresses, token: { get: async () => 't', drop: () => undefined }, signal: new AbortController().signal, retry: { firstDelayMs: 1, longestDelayMs: 5, giveUpAfterMs: 60_000 }, usage,
    }));
  };
  const ask = (changes: Partial<ScriptRequest> = {}, signal = new AbortController().signal, from = calls()) =>
    from.request({ service: 'metricsvc', method: 'GET', path: '/x?a=1', headers: {}, isRepeatable: true, ...changes }, { signal, takeRoom: async (bytes) => void room.push(bytes) });
  const answer = (status: number, body: unknown = {}, headers: Record<string, string> = {}): Handler => (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

  it('go to the service that they name with the token of the run, and are answered as it answers', async () => {
    handler = (_, response) => void response.writeHead(200, { 'content-type': 'image/png', etag: '"e"' }).end(Buffer.from([1, 2, 255]));
    const given = await ask();
    expect(given).toMatchObject({ status: 200, headers: { 'content-type': 'image/png', etag: '"e"' } });
    expect([...given.body]).toEqual([1, 2, 255]);
    expect(seen).toEqual(['GET /metricsvc/x?a=1 Bearer t no key']);
    expect(usage.take()).toEqual({ requests: 1, bytes: 3, processorMs: 0 });
    handler = (_, response) => void response.writeHead(200, { 'content-length': '3' }).end('abc');
    await ask();
    // As much as it says, or as it may be.
    expect(room).toEqual([10 * 1024 * 1024, 3]);
    handler = (_, response) => void response.writeHead(304).end();
    expect(await ask({ headers: { 'if-none-match': '"e"' } })).toMatchObject({ status: 304 });
  });

  it('that are not to be done twice have a key, the same for each try, or the one that the script gave', async () => {
    let tries = 0;
    handler = (request, response) => {
      tries += 1;
      if (tries % 2 === 1) return void request.socket.destroy();
      return answer(201, {})(request, response);
    };
    expect(await ask({ method: 'POST', isRepeatable: false, body: '{}', headers: { 'content-type': 'application/json' } })).toMatchObject({ status: 201 });
    expect(await ask({ method: 'POST', isRepeatable: false, body: new Uint8Array([1]), headers: { 'idempotency-key': 'mine' } })).toMatchObject({ status: 201 });
    expect(await ask({ method: 'PUT', isRepeatable: true, body: '[]' })).toMatchObject({ status: 201 });
    const keys = seen.map((line) => line.split('Bearer t ')[1]);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0], 'mine', 'mine', 'no key', 'no key']);
  });

  it('that are answered with 202 end with what comes of it', async () => {
    const accepted = { location: 'https://public.example/metricsvc/api/v1/requests/r1', 'retry-after': '0' };
    let record: object = { _status: 'COMPLETED', _response: { _status: 200, _body: { a: 1 } } };
    handler = (request, response) => (request.method === 'PUT' ? void response.writeHead(202, accepted).end() : answer(200, record)(request, response));
    const done = await ask({ method: 'PUT' });
    expect([done.status, JSON.parse(Buffer.from(done.body).toString())]).toEqual([200, { a: 1 }]);
    expect(seen[1]).toContain('GET /metricsvc/metricsvc/api/v1/requests/r1');
    record = { _status: 'COMPLETED', _response: { _status: 204 } };
    expect(await ask({ method: 'PUT' })).toEqual({ status: 204, headers: {}, body: Buffer.alloc(0) });
    record = { _status: 'FAILED', _response: { _status: 409, _body: { message: 'taken', code: 'conflict' } } };
    await expect(ask({ method: 'PUT' })).rejects.toMatchObject({ status: 409, code: 'conflict', message: 'metricsvc: taken' });
  });

  it('are refused with status and code, too large ones and endless ones too', async () => {
    handler = answer(404, { message: 'There is no such thing', code: 'not_found' });
    await expect(ask()).rejects.toMatchObject({ status: 404, code: 'not_found', message: 'metricsvc: There is no such thing' });
    handler = (_, response) => void response.writeHead(200).end(Buffer.alloc(10 * 1024 * 1024 + 1));
    await expect(ask()).rejects.toMatchObject({ status: 413, code: 'too_large' });
    handler = (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).write('data: 1\n\n');
    await expect(ask()).rejects.toMatchObject({ status: 400, message: expect.stringContaining('not for scripts') as string });
  });

  it('end with their script', async () => {
    const [script, other, from] = [new AbortController(), new AbortController(), calls()];
    handler = () => script.abort(new Error('nobody waits'));
    await expect(ask({}, script.signal, from)).rejects.toThrow('nobody waits');
    handler = answer(200, {});
    expect(await ask({}, other.signal, from)).toMatchObject({ status: 200 });
  });
});
