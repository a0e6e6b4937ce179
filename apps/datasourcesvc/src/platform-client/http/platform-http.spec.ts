import { PassportClient, type RunTokenRequest } from '@twinyard/auth';
import { SERVICES } from '@twinyard/conventions';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassingFailure } from '../platform-error';
import { type PlatformAddresses, PlatformHttp } from './platform-http';
import { RunToken } from '../run-token';

const everyService = (url: string) => Object.fromEntries(SERVICES.map((service) => [service, url])) as PlatformAddresses;

async function* bytesOf(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

describe('requests of a run', () => {
  let server: Server;
  let handler: Handler;
  let tokens: number;
  let lifetimeMs: number;
  let seen: string[];

  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      handler(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  beforeEach(() => {
    [tokens, lifetimeMs, seen] = [0, 300_000, []];
  });
  afterEach(() => jest.restoreAllMocks());

  afterAll(() => new Promise((resolve) => server.close(resolve)));

  class CountingPassport extends PassportClient {
    override async issueRunToken(_: RunTokenRequest) {
      tokens += 1;
      return { token: `t${tokens}`, expiresAt: Date.now() + lifetimeMs };
    }
  }

  const http = (signal = new AbortController().signal, giveUpAfterMs = 60_000) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const passport = new CountingPassport({ passportUrl: url, serviceToken: 's' });
    const token = new RunToken(passport, { userId: 'u', scopes: ['read'], runId: 'r', namespaces: ['house_a1B2c3D4'] });
    return new PlatformHttp({ addresses: { ...everyService(url), itemsvc: `${url}/` }, token, signal, retry: { firstDelayMs: 1, longestDelayMs: 5, giveUpAfterMs } });
  };
  /** From now on time passes when it is told to. */
  const holdClock = () => {
    let now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    return (ms: number) => void (now += ms);
  };
  const get = (from: PlatformHttp, path = '/x') => from.json('itemsvc', { method: 'GET', path });
  const answer = (status: number, body: unknown = {}, headers: Record<string, string> = {}): Handler => (_, response) =>
    void response.writeHead(status, headers).end(JSON.stringify(body));

  it('carry one token until shortly before its end, then the next', async () => {
    handler = answer(200, { a: 1 });
    const client = http();
    expect(await get(client)).toEqual({ a: 1 });
    await get(client);
    expect(seen).toEqual(['GET /x Bearer t1', 'GET /x Bearer t1']);
    lifetimeMs = 59_000;
    const short = http();
    await get(short);
    await get(short);
    expect(tokens).toBe(3);
  });

  it('ask for another token once when theirs is refused', async () => {
    handler = (request, response) => (request.headers.authorization === 'Bearer t1' ? answer(401)(request, response) : answer(200, 'in')(request, response));
    expect(await get(http())).toBe('in');
    handler = answer(401, { message: 'Full authentication is required' });
    await expect(get(http())).rejects.toMatchObject({ status: 403, code: 'forbidden', message: 'itemsvc: whom the run acts for is gone, or disabled' });
  });

  it('are tried again while the failure may pass, and not longer', async () => {
    let nth = 0;
    handler = (request, response) => {
      nth += 1;
      if (nth === 1) return void request.socket.destroy();
      if (nth === 2) return void response.writeHead(200, { 'content-length': '100' }).write('{', () => request.socket.destroy());
      return answer(nth < 5 ? 503 : 200, 'there')(request, response);
    };
    expect(await get(http())).toBe('there');
    expect(nth).toBe(5);
    handler = answer(503, { message: 'The database cannot be reached right now' });
    await expect(get(http(undefined, 20))).rejects.toThrow('itemsvc: The database cannot be reached right now');
  });

  it('are tried again while the first try with their key has not ended, and not after another conflict', async () => {
    let tries = 0;
    handler = (request, response) => {
      tries += 1;
      return (tries === 1 ? answer(409, {}, { 'retry-after': '0' }) : answer(200, 'there'))(request, response);
    };
    expect(await get(http())).toBe('there');
    handler = answer(409, { message: 'taken' });
    await expect(get(http())).rejects.toThrow('taken');
  });

  it('are not tried again when they are refused', async () => {
    handler = answer(403, { message: 'You do not have the permission for this' });
    await expect(get(http())).rejects.toMatchObject({ name: 'PlatformError', message: 'itemsvc: You do not have the permission for this' });
    expect(seen).toHaveLength(1);
    handler = (_, response) => void response.writeHead(400).end('<html>');
    await expect(get(http())).rejects.toThrow('itemsvc: refused without a reason');
  });

  it('tell what is wrong with what was sent, each with its place', async () => {
    const details = [{ field: '[3].a', issue: 'must not be' }];
    handler = answer(400, { message: '[3].a: must not be', details });
    await expect(get(http())).rejects.toMatchObject({ status: 400, details });
    handler = answer(400, { message: 'no', details: 'none' });
    await expect(get(http())).rejects.toMatchObject({ details: [] });
  });

  it('send what is made meanwhile, once for each token, and take an answer as it comes', async () => {
    let sent = '';
    handler = (incoming, response) => {
      if (incoming.headers.authorization === 'Bearer t1') return answer(401)(incoming, response);
      incoming.on('data', (chunk: Buffer) => (sent += chunk.toString()));
      incoming.on('end', () => void response.writeHead(200, { 'x-type': incoming.headers['content-type'] }).end('x'.repeat(200_000)));
    };
    const client = http();
    const upload = () => client.retrying(() => client.send('filesvc', { method: 'POST', path: '/x', stream: { contentType: 'text/x', bytes: bytesOf('one', 'two') } }));
    const response = await upload();
    expect([response.headers.get('x-type'), sent]).toEqual(['text/x', 'onetwo']);
    let length = 0;
    for await (const chunk of client.bytes(response)) length += chunk.byteLength;
    expect([length, tokens]).toEqual([200_000, 2]);
  });

  it('fail of what makes the body as that fails, and are tried again where that may pass', async () => {
    handler = (incoming, response) => void incoming.on('error', () => undefined).resume().on('end', () => response.end('{}'));
    let begun = 0;
    const pass = holdClock();
    const failing = async function* failing(error: Error): AsyncGenerator<Uint8Array> {
      begun += 1;
      pass(60);
      yield Buffer.from('begun');
      throw error;
    };
    const client = http(undefined, 200);
    const upload = (error: Error) => client.retrying(() => client.send('filesvc', { method: 'POST', path: '/x', stream: { contentType: 'text/x', bytes: failing(error) } }));
    await expect(upload(new Error('no such column'))).rejects.toThrow('no such column');
    expect(begun).toBe(1);
    await expect(upload(new PassingFailure('the answer broke off'))).rejects.toMatchObject({ name: 'PlatformError', message: 'the answer broke off' });
    expect(begun).toBe(1 + 4);
  });

  it('may take longer than a failure may last, while they get further each time', async () => {
    const pass = holdClock();
    let tries = 0;
    const work = http(undefined, 40).retrying(async (onward) => {
      tries += 1;
      pass(15);
      if (tries < 6) onward();
      throw new PassingFailure('broke off');
    });
    await expect(work).rejects.toThrow('broke off');
    expect(tries).toBe(5 + 3);
  });

  it('end with the reason of the signal, also while they wait', async () => {
    const controller = new AbortController();
    handler = () => controller.abort(new Error('stopped'));
    await expect(get(http(controller.signal))).rejects.toThrow('stopped');
    await expect(get(http(controller.signal))).rejects.toThrow('stopped');
    expect(seen).toHaveLength(1);
  });

  it('go to the address inside for a signed address that is public, without a token', async () => {
    handler = answer(200);
    await http().sendSigned('filesvc', 'https://public.example/filesvc/content/a%20b?signature=1');
    expect(seen).toEqual(['GET /filesvc/content/a%20b?signature=1 undefined']);
  });

  it('go where the content of a file lies, without their token, and follow no other answer that leads elsewhere', async () => {
    const elsewhere = createServer((request, response) => response.end(JSON.stringify([request.url, request.headers.authorization ?? 'no token'])));
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    try {
      const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/there`;
      handler = answer(303, {}, { location });
      await expect(http().send('notificationsvc', { method: 'POST', path: '/x' })).rejects.toMatchObject({ status: 303, code: 'redirected' });
      handler = answer(302, {}, { location });
      const signed = await http().sendSigned('filesvc', 'https://public.example/filesvc/content/a');
      expect(await signed.json()).toEqual(['/there', 'no token']);
      const asked = await http().send('filesvc', { method: 'GET', path: '/x', redirected: true });
      expect(await asked.json()).toEqual(['/there', 'no token']);
    } finally {
      elsewhere.closeAllConnections();
      await new Promise((resolve) => elsewhere.close(resolve));
    }
  });
});
