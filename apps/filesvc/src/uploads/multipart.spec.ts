import { once } from 'node:events';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { eventually } from '@twinyard/testing';
import { type Part, readParts } from './multipart';
import { sentBytes } from './sent-bytes';

const BOUNDARY = 'edge';
const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`;
const END = `\r\n--${BOUNDARY}--\r\n`;

const requestOf = (chunks: Iterable<string | Buffer>, contentType = `multipart/form-data; boundary=${BOUNDARY}`) =>
  Object.assign(Readable.from(chunks, { objectMode: false, highWaterMark: 65_536 }), { headers: { 'content-type': contentType }, complete: true }) as unknown as IncomingMessage;

async function all(request: IncomingMessage): Promise<{ part: Part; content: string }[]> {
  const found: { part: Part; content: string }[] = [];
  for await (const part of readParts(request)) found.push({ part, content: (await buffer(part.body)).toString() });
  return found;
}

describe('a multipart message', () => {
  it('is read however it is cut into pieces', async () => {
    const message = `preamble\r\n${HEAD}first\r\n--\r\n${HEAD.replace('a.bin', 'b.bin')}${END}`;
    for (let size = 1; size < 80; size += 7) {
      const pieces = Array.from({ length: Math.ceil(message.length / size) }, (_, index) => Buffer.from(message.slice(index * size, (index + 1) * size)));
      expect((await all(requestOf(pieces))).map(({ part, content }) => [part.field, part.fileName, content])).toEqual([['file', 'a.bin', 'first\r\n--'], ['file', 'b.bin', '']]);
    }
  });

  it('keeps its sender waiting while nobody reads, so that memory does not grow with the part', async () => {
    const pieces = 2_000;
    let sent = 0;
    const request = requestOf((function* () {
      yield HEAD;
      for (; sent < pieces; sent += 1) yield Buffer.alloc(16_384, sent);
      yield END;
    })());
    const parts = readParts(request);
    const { value: part } = (await parts.next()) as { value: Part };
    for (let turn = 0; turn < 200; turn += 1) await setImmediate();
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(40);
    expect((await buffer(part.body)).length).toBe(pieces * 16_384);
    expect((await parts.next()).done).toBe(true);
  });

  it('is read to its end when its reader stops, so that the client hears the answer', async () => {
    const request = requestOf((function* () {
      yield HEAD;
      for (let index = 0; index < 100; index += 1) yield Buffer.alloc(16_384);
      yield END;
    })());
    for await (const part of readParts(request)) {
      part.body.destroy();
      break;
    }
    await eventually(() => request.readableEnded);
  });

  it.each([
    ['no end', [HEAD, 'x']],
    ['nothing in it', ['']],
    ['no boundary in it', ['just text']],
  ])('is refused (400) with %s', async (_fault, chunks) => {
    await expect(all(requestOf(chunks))).rejects.toMatchObject({ status: 400 });
  });

  it.each(['multipart/form-data', `multipart/form-data; boundary=${'x'.repeat(71)}`])('is refused (400) with the type %s', async (type) => {
    await expect(all(requestOf([HEAD, END], type))).rejects.toMatchObject({ status: 400 });
  });

  it('fails the part in hand when the client goes away', async () => {
    const request = Object.assign(new Readable({ read: () => undefined }), { headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }, complete: false });
    request.push(`${HEAD}half of it`);
    const parts = readParts(request as unknown as IncomingMessage);
    const { value: part } = (await parts.next()) as { value: Part };
    request.destroy();
    await expect(buffer(part.body)).rejects.toMatchObject({ status: 400 });
  });

  it('has at most a thousand parts', async () => {
    const field = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n`;
    await expect(all(requestOf([...Array.from({ length: 1_001 }, () => field), `--${BOUNDARY}--\r\n`]))).rejects.toMatchObject({ status: 400 });
  });

  const part = (headers: readonly string[], content = 'x') => `--${BOUNDARY}\r\n${headers.join('\r\n')}\r\n\r\n${content}\r\n`;
  const DISPOSITION = 'Content-Disposition: form-data; name="file"; filename="a.bin"';
  const many = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, index) => line(index));

  it.each<[string, Iterable<string | Buffer>, number]>([
    ['fifty-one headers of a part', [part([DISPOSITION, ...many(50, (index) => `X-${index}: 1`)]), END], 400],
    ['headers of a part beyond 16 KiB', [part([DISPOSITION, `X: ${'x'.repeat(16_384)}`]), END], 400],
    ['headers of a part that do not end', function* () {
      yield `--${BOUNDARY}\r\n${DISPOSITION}\r\nX: `;
      for (let index = 0; index < 80; index += 1) yield Buffer.alloc(16_384, 'x');
    }(), 400],
    ['no part for a megabyte', many(80, () => 'x'.repeat(16_384)), 400],
    ['seventeen megabytes in a part that is no file', [`--${BOUNDARY}\r\nContent-Disposition: form-data; name="x"\r\n\r\n`, ...many(17 * 64, () => 'x'.repeat(16_384)), END], 413],
  ])('is refused with %s (%#)', async (_what, chunks, status) => {
    const read = async () => {
      for await (const { field, body } of readParts(requestOf(chunks))) if (field === 'file') await buffer(body);
    };
    await expect(read()).rejects.toMatchObject({ status });
  });

  it('has fifty headers in a part, and what it nests is a content as any other', async () => {
    const nested = `--inner\r\nContent-Disposition: form-data; name="file"; filename="b"\r\n\r\n1\r\n--inner--`;
    const found = await all(requestOf([part([DISPOSITION, 'Content-Type: multipart/mixed; boundary=inner', ...many(48, (index) => `X-${index}: 1`)], nested), END.slice(2)]));
    expect(found.map(({ part: { fileName, contentType }, content }) => [fileName, contentType, content])).toEqual([['a.bin', 'multipart/mixed; boundary=inner', nested]]);
  });
});

describe('the body of a request', () => {
  it('is not cut off when nobody wants more of it: its sender hears why, and may go on to send', async () => {
    const server = createServer((request, answer) => {
      const refuse = async () => {
        for await (const chunk of sentBytes(request)) throw new Error(`no room for ${chunk.length} bytes`);
      };
      refuse().catch(() => answer.writeHead(507).end());
    }).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const sending = send({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', method: 'PATCH', headers: { 'content-length': 8_000_000 } });
      sending.write(Buffer.alloc(100_000));
      const [answer] = (await once(sending, 'response')) as [IncomingMessage];
      await new Promise<void>((done) => sending.end(Buffer.alloc(7_900_000), done));
      expect([answer.statusCode, (await buffer(answer)).length]).toEqual([507, 0]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
