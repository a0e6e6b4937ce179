import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SERVICES } from '@twinyard/conventions';
import { FilesClient } from '../files-client';
import { type PlatformAddresses, PlatformHttp } from '../http/platform-http';

const CONTENT = Buffer.from('0123456789'.repeat(1_000));

describe('the bytes of a file for a slow reader', () => {
  let server: Server;
  let url: string;
  let asked: (string | undefined)[];
  let answer: (request: IncomingMessage, response: ServerResponse) => void;

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url?.includes('/url?') === true) return void response.end(JSON.stringify({ _url: 'https://public.example/filesvc/api/v1/content/v/x?signature=s' }));
      asked.push(request.headers.range);
      return answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    asked = [];
  });
  afterAll(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });

  const files = (signal = new AbortController().signal) => {
    const addresses = Object.fromEntries(SERVICES.map((service) => [service, url])) as PlatformAddresses;
    return new FilesClient(new PlatformHttp({ addresses, token: { get: async () => 't', drop: () => undefined }, signal, retry: { firstDelayMs: 1, longestDelayMs: 5, giveUpAfterMs: 60_000 } }), ['a_1']);
  };
  const read = async (most = 1_000_000) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of files().readSlowly('f', 'v', most)) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  /** Breaks off behind so many bytes of the rest. */
  const breaking = (most: number, isRanged: boolean) => ({ headers }: IncomingMessage, response: ServerResponse) => {
    const from = isRanged ? Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0) : 0;
    const rest = CONTENT.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': rest.length });
    if (asked.length > 3) response.end(rest);
    else response.write(rest.subarray(0, most * asked.length), () => response.destroy());
  };

  it.each([['by ranges', true], ['also where there are none', false]])('goes on where the line broke, %s', async (_how, isRanged) => {
    answer = breaking(2_000, isRanged);
    expect(await read()).toBe(CONTENT.toString());
    expect(asked.length).toBeGreaterThan(2);
    const positions = asked.map((range) => Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0));
    expect(asked[0]).toBeUndefined();
    expect([...positions].sort((one, other) => one - other)).toEqual(positions);
    expect(positions.at(-1)).toBeGreaterThan(0);
  });

  it('is refused where there is too much, at once where that is said', async () => {
    answer = (_request, response) => void response.end(CONTENT);
    await expect(read(9_999)).rejects.toMatchObject({ status: 413, code: 'too_large' });
    answer = (_request, response) => void response.writeHead(200, { 'content-length': '1000000000' }).write('x');
    await expect(read()).rejects.toMatchObject({ status: 413 });
    expect(asked).toHaveLength(2);
  });

  it('lets go of the line when nobody reads on', async () => {
    const closed = new Promise((resolve) => {
      answer = (request, response) => {
        request.socket.once('close', resolve);
        response.writeHead(200).write(CONTENT);
      };
    });
    for await (const chunk of files().readSlowly('f', 'v', 1_000_000)) if (chunk.length > 0) break;
    await closed;
  });
});
