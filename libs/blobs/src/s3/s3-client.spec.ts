import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '@twinyard/conventions';
import { eventually } from '@twinyard/testing';
import { S3ObjectStore } from './s3-object-store.adapter';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** What no real S3 does when it is asked: fail at the right moment. */
class MoodyS3 {
  readonly requests: string[] = [];
  connections = 0;
  private readonly server: Server;

  constructor(private readonly answer: Answer) {
    this.server = createServer((request, response) => {
      request.resume();
      this.requests.push(request.method ?? '');
      this.answer(request, response);
    });
    this.server.on('connection', () => { this.connections += 1; });
  }

  async open(patienceMs: number): Promise<S3ObjectStore> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    const endpoint = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return new S3ObjectStore({ endpoint, bucket: 'moody', region: 'us-east-1', accessKey: 'access', secretKey: 'a-secret', pathStyle: true, patienceMs });
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** Of tests that wait for its end. A machine that is busy may stop them for as long as most of it. */
const PATIENCE_MS = 1_000;

const busy: Answer = (_request, response) => void response.writeHead(503, { 'content-length': 5 }).end('later');
const bytes = () => Readable.from([Buffer.from('x')]);
const unavailable = expect.objectContaining({ name: 'ServiceError', code: 'unavailable', retryAfter: 1 });

describe('an S3 in a bad mood', () => {
  let s3: MoodyS3 | undefined;
  afterEach(() => s3?.close());
  const open = async (answer: Answer, patienceMs = 10_000) => {
    s3 = new MoodyS3(answer);
    return { s3, store: await s3.open(patienceMs) };
  };

  it('is asked again when it is busy', async () => {
    const { s3, store } = await open((request, response) => (s3?.requests.length === 3 ? void response.end() : busy(request, response)));
    await expect(store.put('a', bytes())).resolves.toMatchObject({ size: 1 });
    expect(s3.requests).toEqual(['PUT', 'PUT', 'PUT']);
  });

  it('is unavailable (503) when it stays busy, and its connection is used again', async () => {
    const { s3, store } = await open(busy);
    for (let index = 0; index < 3; index += 1) await expect(store.put('a', bytes())).rejects.toEqual(unavailable);
    expect(s3.requests).toHaveLength(9);
    expect(s3.connections).toBe(1);
  });

  it('is unavailable when it says nothing, in bounded time', async () => {
    const { s3, store } = await open(() => undefined, PATIENCE_MS);
    const asked = [store.put('a', bytes()), store.stat('a'), store.check()];
    for (const answer of await Promise.allSettled(asked)) expect(answer).toMatchObject({ status: 'rejected', reason: unavailable });
    expect(s3.requests.sort()).toEqual(['HEAD', 'HEAD', 'PUT']);
  });

  it('is unavailable when it falls silent, or hangs up, in the middle of an object', async () => {
    const half: Answer = (_request, response) => void response.writeHead(200, { 'content-length': 10 }).write('half ');
    const { store } = await open(half, PATIENCE_MS);
    // Asked again: a machine that stops for longer than its patience before the object has begun.
    const silent = await eventually(() => store.get('a'));
    await expect(buffer(silent)).rejects.toEqual(unavailable);
    s3?.close();
    const cut = await open(half);
    const body = await cut.store.get('a');
    cut.s3.close();
    await expect(buffer(body)).rejects.toEqual(unavailable);
  });

  it('waits for a slow reader as long as it takes', async () => {
    const { store } = await open((_request, response) => void response.end(Buffer.alloc(4_000_000)), PATIENCE_MS);
    // Read again: a machine that stops for longer than the patience while it reads, as against one that does not want to.
    const size = await eventually(async () => {
      const body = await store.get('a');
      const iterator = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
      let read = ((await iterator.next()).value as Buffer).length;
      // Nothing is read meanwhile.
      await delay(2 * PATIENCE_MS);
      for await (const chunk of { [Symbol.asyncIterator]: () => iterator }) read += chunk.length;
      return read;
    }, { timeoutMs: 20_000 });
    expect(size).toBe(4_000_000);
  });

  it('may close a kept connection at any time', async () => {
    const { s3, store } = await open((request, response) => {
      if (s3?.requests.length === 2) return void request.socket.destroy();
      response.end();
    });
    await store.put('a', bytes());
    await expect(store.put('b', bytes())).resolves.toMatchObject({ size: 1 });
    expect(s3.requests).toEqual(['PUT', 'PUT', 'PUT']);
    expect(s3.connections).toBe(2);
  });

  it('is not asked twice when it hangs up on a fresh connection', async () => {
    const { s3, store } = await open((request) => void request.socket.destroy());
    await expect(store.put('a', bytes())).rejects.toEqual(unavailable);
    expect(s3.requests).toEqual(['PUT']);
  });

  it('is full: 507', async () => {
    const error = '<Error><Code>XMinioStorageFull</Code><Message>full</Message></Error>';
    const { store } = await open((_request, response) => void response.writeHead(507, { 'content-type': 'application/xml' }).end(error));
    await expect(store.put('a', bytes())).rejects.toMatchObject({ status: 507 });
  });

  it('may fail after it has said 200, as when an upload is completed', async () => {
    const answers: Record<string, string> = {
      'POST uploads': '<InitiateMultipartUploadResult><UploadId>an-upload</UploadId></InitiateMultipartUploadResult>',
      'POST uploadId': '<Error><Code>InternalError</Code><Message>We encountered an internal error. Please try again.</Message></Error>',
    };
    const { s3, store } = await open((request, response) => {
      const [, operation = ''] = /[?&](uploads|uploadId)\b/.exec(request.url ?? '') ?? [];
      response.setHeader('etag', '"a-tag"').end(answers[`${request.method} ${operation}`]);
    });
    await expect(store.put('a', Readable.from([Buffer.alloc(6 * 1024 ** 2)]))).rejects.toEqual(unavailable);
    expect(s3.requests).toEqual(['POST', 'PUT', 'PUT', 'POST', 'DELETE']);
  });

  it('refuses our key: a fault of the operator, not of the caller, and not a passing one', async () => {
    const error = '<Error><Code>AccessDenied</Code><Message>no</Message></Error>';
    const { store } = await open((_request, response) => void response.writeHead(403, { 'content-type': 'application/xml' }).end(error));
    const refused = store.put('a', bytes());
    await expect(refused).rejects.toMatchObject({ code: 'AccessDenied' });
    await expect(refused).rejects.not.toBeInstanceOf(ServiceError);
    await expect(store.check()).rejects.toThrow();
  });

  it('tells what broke the body, not that the store is away', async () => {
    const { store } = await open((_request, response) => void response.end());
    const body = new Readable({ read: () => undefined });
    const put = store.put('a', body);
    body.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    await expect(put).rejects.toThrow('read ECONNRESET');
    await expect(put).rejects.not.toBeInstanceOf(ServiceError);
  });
});
