import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { eventually } from '@twinyard/testing';
import fastify from 'fastify';
import { LineWatch } from './line-watch';

const TERMS = { headMs: 15_000, silenceMs: 30_000, leastBytesPerSecond: 100, smallBodyMs: 120_000, requestsPerCaller: 10 };
const LARGE = 64 * 1024 * 1024;

describe('lines of open requests', () => {
  let server: Server;
  let watch: LineWatch;
  let handle: (request: IncomingMessage, response: ServerResponse) => void;
  let client: Socket;
  let begun: number;
  let now: number;
  const cuts: string[] = [];

  beforeEach(async () => {
    cuts.length = begun = 0;
    now = performance.now();
    watch = new LineWatch(TERMS, (_line, slowness) => cuts.push(slowness));
    server = createServer((request, response) => {
      watch.add(request, response);
      handle(request, response);
      begun += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  });
  afterEach(async () => {
    watch.close();
    client.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const send = async (text: string) => {
    client.write(text);
    await eventually(() => expect(begun).toBe(1));
  };
  const lookAfter = (seconds: number) => watch.look((now += seconds * 1_000));
  /** Bytes of the request that the server has. */
  const arrived = async (socket: () => Socket | undefined, bytes: number) => eventually(() => expect(socket()?.bytesRead).toBe(bytes));
  const headOf = (declared: number) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${declared}\r\n\r\n`;
  /** So many pieces of so many bytes, ten seconds from one to the next; `before`: the bytes that came before them. */
  const goOn = async (line: () => Socket | undefined, before: number, pieces: number, bytes: number) => {
    for (let piece = 1; piece <= pieces; piece += 1) {
      client.write('x'.repeat(bytes));
      await arrived(line, before + piece * bytes);
      lookAfter(10);
    }
  };
  /** Of a body that is read as it comes. */
  const sendInPieces = async (declared: number, pieces: number, bytes: number) => {
    let line: Socket | undefined;
    handle = (request) => void (line = request.resume().socket);
    await send(headOf(declared));
    await goOn(() => line, headOf(declared).length, pieces, bytes);
  };

  it('has none for a request that a service puts to itself', async () => {
    const service = fastify();
    service.get('/', (request, reply) => {
      watch.add(request.raw, reply.raw);
      lookAfter(60);
      return 'answered';
    });
    expect((await service.inject({ method: 'GET', url: '/' })).body).toBe('answered');
    lookAfter(60);
    expect(cuts).toEqual([]);
    await service.close();
  });

  it('cuts a sender that sends a byte now and then', async () => {
    await sendInPieces(1_000_000, 3, 1);
    lookAfter(1);
    expect(cuts).toEqual(['slow sender']);
  });

  it('lets a sender live that keeps its pace, however long it takes', async () => {
    await sendInPieces(1_000_000, 60, 6_000);
    expect(cuts).toEqual([]);
  });

  it.each([
    ['a large body that keeps the least pace and is far too late as a whole', 1_000_000, 5_000],
    ['a small body that keeps the pace and does not end in its time', 30_000, 1_200],
  ])('cuts %s', async (_what, declared, bytes) => {
    await sendInPieces(declared, 11, bytes);
    expect(cuts).toEqual([]);
    lookAfter(12);
    expect(cuts).toEqual(['late sender']);
  });

  it('counts no time in which a body lay there unread', async () => {
    let line: IncomingMessage | undefined;
    handle = (request) => void (line = request);
    const head = headOf(1_000_000);
    await send(`${head}begun`);
    await eventually(() => expect(line?.readableLength).toBe(5));
    for (let look = 0; look < 20; look += 1) lookAfter(10);
    line?.resume();
    await eventually(() => expect(line?.readableLength).toBe(0));
    await goOn(() => line?.socket, head.length + 5, 11, 5_000);
    expect(cuts).toEqual([]);
    lookAfter(12);
    expect(cuts).toEqual(['late sender']);
  });

  it('waits for nobody whose bytes lie there unread', async () => {
    let line: IncomingMessage | undefined;
    handle = (request) => void (line = request);
    await send(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(1_000)}`);
    await eventually(() => expect(line?.readableLength).toBeGreaterThan(0));
    for (let look = 0; look < 10; look += 1) lookAfter(31);
    expect(cuts).toEqual([]);
  });

  it('cuts a reader that takes nothing of its answer', async () => {
    handle = (_request, response) => void response.end(Buffer.alloc(LARGE));
    client.pause();
    await send('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    lookAfter(1);
    lookAfter(31);
    lookAfter(31);
    expect(cuts).toEqual(['slow reader']);
  });

  it('lets a reader live that takes its answer slowly', async () => {
    let line: Socket | undefined;
    handle = (request, response) => {
      line = request.socket;
      response.end(Buffer.alloc(LARGE));
    };
    const taken = () => {
      const { bytesWritten = 0, writeQueueSize = 0 } = (line as unknown as { _handle: { bytesWritten: number; writeQueueSize: number } | null })._handle ?? {};
      return bytesWritten - writeQueueSize;
    };
    client.pause();
    await send('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    for (let piece = 0; piece < 5; piece += 1) {
      const before = taken();
      await eventually(() => {
        client.read();
        expect(taken()).toBeGreaterThan(before);
      }, { everyMs: 1 });
      lookAfter(31);
    }
    expect(cuts).toEqual([]);
  });

  it('lets an answer live that has nothing to say for a while', async () => {
    handle = (_request, response) => void response.write('event: begun\n\n');
    client.resume();
    await send('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await eventually(() => expect(client.bytesRead).toBeGreaterThan(0));
    for (let look = 0; look < 10; look += 1) lookAfter(31);
    expect(cuts).toEqual([]);
  });

  it('watches the rest of a body whose answer is out', async () => {
    handle = (_request, response) => void response.writeHead(401).end();
    await send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nbegun');
    await eventually(() => expect(client.bytesRead).toBeGreaterThan(0));
    lookAfter(1);
    lookAfter(31);
    expect(cuts).toEqual(['slow sender']);
  });
});
