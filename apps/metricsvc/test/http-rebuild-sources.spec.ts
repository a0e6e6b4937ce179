import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { HttpRebuildSources } from '../src/rebuild/http-rebuild-sources.adapter';
import { SourceAway } from '../src/rebuild/rebuild-sources';

describe('the other services over HTTP', () => {
  let server: Server;
  let sources: HttpRebuildSources;
  let asked = 0;
  let answer: { status: number; body: string };

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked += 1;
      request.resume();
      response.writeHead(answer.status).end(answer.body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    sources = new HttpRebuildSources({ PASSPORT_URL: url, FILESVC_URL: url, ITEMSVC_URL: url, SERVICE_TOKEN: 'token' });
  });
  beforeEach(() => void (asked = 0));
  afterAll(() => void server?.close());

  it('are asked once what they refuse, or answer with what is no answer: it is not for want of them', async () => {
    for (const refusal of [{ status: 400, body: '' }, { status: 200, body: '{' }]) {
      answer = refusal;
      const failure: unknown = await sources.next('filesvc.file', undefined).catch((error: unknown) => error);
      expect([failure instanceof Error, failure instanceof SourceAway]).toEqual([true, false]);
    }
    expect(asked).toBe(2);
  });

  it('are left alone by who was told to stop', async () => {
    answer = { status: 503, body: '' };
    await expect(sources.next('filesvc.file', undefined, AbortSignal.abort())).rejects.toThrow();
    expect(asked).toBe(0);
  });
});
