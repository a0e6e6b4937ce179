import { PassportClient, type RunTokenRequest } from '@twinyard/auth';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PlatformHttp } from './platform-http';
import { RunToken } from './run-token';

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
    return new PlatformHttp({ addresses: { itemsvc: `${url}/`, filesvc: url }, token, signal, retry: { firstDelayMs: 1, longestDelayMs: 5, giveUpAfterMs } });
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
    await expect(get(http())).rejects.toMatchObject({ status: 401, message: 'itemsvc: Full authentication is required' });
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
});
