import { type AddressInfo, connect, type Socket } from 'node:net';
import { eventually } from '@twinyard/testing';
import fastify, { type FastifyInstance } from 'fastify';
import { boundBodyMemory, LARGE_BODY_BYTES } from '../src/lines/body-memory';

const [ONE, OTHER, THIRD] = ['203.0.113.7', '198.51.100.9', '192.0.2.1'];
const MEGABYTE = 1024 ** 2;
const jsonOf = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));
/** One place, and three of the four. */
const [LARGE, HUGE, SMALL] = [jsonOf(MEGABYTE), jsonOf(3 * MEGABYTE), jsonOf(1_000)];
const LIMIT = 3 * MEGABYTE;

describe('large bodies', () => {
  let instance: FastifyInstance;
  const sockets: Socket[] = [];
  /** Requests that have come, and those whose bodies may be read. */
  let [come, begun] = [0, 0];
  /** Ends requests that are not answered. */
  let long: ((answer: object) => void)[];

  beforeEach(async () => {
    instance = fastify({ trustProxy: 1, bodyLimit: LIMIT, forceCloseConnections: true }) as unknown as FastifyInstance;
    [come, begun, long] = [0, 0, []];
    instance.addHook('preParsing', (_request, _reply, payload, done) => {
      come += 1;
      done(null, payload);
    });
    // Of four places three are of one address at most.
    boundBodyMemory(instance, 4);
    instance.addHook('preParsing', (_request, _reply, payload, done) => {
      begun += 1;
      done(null, payload);
    });
    instance.post('/', (request) => ({ length: (request.body as string).length }));
    instance.post('/long', () => new Promise((resolve) => long.push(resolve)));
    await instance.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await instance.close();
  });

  /** A request of which a part is sent. */
  const send = (from: string, body: string, first = body.length, how = `Content-Length: ${body.length}`) => {
    const socket = connect((instance.server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    const heard = { text: '', socket, rest: () => socket.write(body.slice(first)) };
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => (heard.text += chunk.toString()));
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\nContent-Type: application/json\r\n${how}\r\n\r\n${body.slice(0, first)}`);
    return heard;
  };
  const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n`;
  const sendChunked = (from: string, ...chunks: readonly string[]) => send(from, chunks.map(chunked).join(''), undefined, 'Transfer-Encoding: chunked');
  const statusOf = ({ text }: { readonly text: string }) => /HTTP\/1\.1 (\d+)/.exec(text)?.[1];
  const isAnswered = (heard: { readonly text: string }) => statusOf(heard) === '200';

  it('wait while their address has its part in memory, and keep no other address and nothing small waiting', async () => {
    const stalled = [1, 2, 3].map(() => send(ONE, LARGE, 1_000));
    await eventually(() => expect(begun).toBe(3));
    const waits = send(ONE, LARGE);
    const [other, small] = [send(OTHER, LARGE), send(ONE, SMALL)];
    await eventually(() => expect([isAnswered(other), isAnswered(small)]).toEqual([true, true]));
    expect(isAnswered(waits)).toBe(false);
    stalled[0]?.rest();
    await eventually(() => expect([isAnswered(stalled[0] as { text: string }), isAnswered(waits)]).toEqual([true, true]));
  });

  it('hold as much as they have: one of three megabytes waits for them, and is not passed by others', async () => {
    const stalled = [send(ONE, LARGE, 1_000), send(OTHER, LARGE, 1_000)];
    await eventually(() => expect(begun).toBe(2));
    const huge = send(THIRD, HUGE);
    await eventually(() => expect(come).toBe(3));
    const late = send('192.0.2.99', LARGE);
    const small = send(THIRD, SMALL);
    await eventually(() => expect([come, isAnswered(small)]).toEqual([5, true]));
    expect([begun, isAnswered(huge), isAnswered(late)]).toEqual([3, false, false]);
    stalled[0]?.rest();
    await eventually(() => expect([isAnswered(huge), isAnswered(late)]).toEqual([true, true]));
  });

  it('leave their places when their callers go away, before they are read and after', async () => {
    const stalled = [1, 2, 3].map(() => send(ONE, LARGE, 1_000));
    await eventually(() => expect(begun).toBe(3));
    const [gone, waits] = [send(ONE, LARGE, 1_000), send(ONE, LARGE)];
    await eventually(() => expect([come, begun]).toEqual([5, 3]));
    gone.socket.destroy();
    stalled[1]?.socket.destroy();
    await eventually(() => expect(isAnswered(waits)).toBe(true));
    const next = send(ONE, LARGE);
    await eventually(() => expect(isAnswered(next)).toBe(true));
  });

  it('leave their places when the line of a pipeline is lost, in which there are several', async () => {
    const request = `POST /long HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${ONE}\r\nContent-Type: application/json\r\nContent-Length: ${LARGE.length}\r\n\r\n${LARGE}`;
    const socket = connect((instance.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    socket.write(request.repeat(3));
    await eventually(() => expect(long).toHaveLength(3));
    socket.destroy();
    const next = send(ONE, HUGE);
    await eventually(() => expect(isAnswered(next)).toBe(true));
    for (const end of long) end({});
  });

  it('are those, too, that do not say their length and turn out to be large; the others wait for nobody', async () => {
    const stalled = [1, 2, 3].map(() => send(ONE, LARGE, 1_000));
    await eventually(() => expect(begun).toBe(3));
    const [small, large] = [sendChunked(ONE, SMALL, ''), sendChunked(ONE, LARGE.slice(0, LARGE_BODY_BYTES + 1), LARGE.slice(LARGE_BODY_BYTES + 1), '')];
    const ofMany = sendChunked(OTHER, ...Array.from({ length: 100 }, (_, n) => SMALL.slice(n * 10, (n + 1) * 10)), '');
    await eventually(() => expect([isAnswered(small), isAnswered(ofMany)]).toEqual([true, true]));
    expect(isAnswered(large)).toBe(false);
    stalled.forEach((one) => one.rest());
    await eventually(() => expect(isAnswered(large)).toBe(true));
  });

  it('that are too long, or none of JSON, and do not say so are told it, and leave their places', async () => {
    for (const [body, status] of [[jsonOf(LIMIT + MEGABYTE), '413'], [`{${'x'.repeat(MEGABYTE)}}`, '400'], [`"${'x'.repeat(1_000)}`, '400']] as const) {
      const heard = sendChunked(ONE, body, '');
      await eventually(() => expect(statusOf(heard)).toBe(status));
    }
    const next = send(ONE, HUGE);
    await eventually(() => expect(isAnswered(next)).toBe(true));
  });
});
