import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { postJson, readJson } from './post-json';

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

  const ask = async () => readJson(await postJson({ url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), token: 'a token', body: {}, timeoutMs: TIMEOUT_MS }));

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
});
