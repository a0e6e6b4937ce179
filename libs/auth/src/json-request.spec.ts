import { once } from 'node:events';
import { Agent, createServer, get, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { requestJson, withAge } from './json-request';

const TIMEOUT_MS = 300;

/** As when the machine stops: nothing in this process goes on. */
const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe('a question to another service', () => {
  let server: Server;
  let answer: (response: ServerResponse) => void;
  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume();
      answer(response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const ask = async () => json(await requestJson({ url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), authorization: 'Bearer a token', body: {}, timeoutMs: TIMEOUT_MS }));

  it('is given up when the other side is silent, also in the middle of its answer', async () => {
    answer = () => undefined;
    await expect(ask()).rejects.toThrow('no answer within 300 ms');
    answer = (response) => void response.writeHead(200).write('{"half":');
    await expect(ask()).rejects.toThrow(/no answer within 300 ms|aborted/);
  });

  it('is not given up because this process stood still, and has not yet heard what was answered meanwhile', async () => {
    answer = (response) => {
      standStill(3 * TIMEOUT_MS);
      response.end('{"is":"heard"}');
    };
    expect(await ask()).toEqual({ is: 'heard' });
  });

  it.each([[60_000, 1], [0, 3]])('keeps its connection for %d ms and no longer, so that a replica that came later gets its share', async (keptMs, connections) => {
    const agent = withAge(new Agent({ keepAlive: true }), keptMs);
    const sockets = new Set<unknown>();
    answer = (response) => void (sockets.add(response.socket), response.end('{}'));
    for (let turn = 0; turn < 3; turn += 1) {
      const asked = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent });
      const [response] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
      response.resume();
      await once(asked, 'close');
    }
    expect(sockets.size).toBe(connections);
    agent.destroy();
  });
});
