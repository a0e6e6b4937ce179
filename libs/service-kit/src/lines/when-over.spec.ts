import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { eventually } from '@twinyard/testing';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { untilOver, whenOver } from './when-over';

const hear = (request: IncomingMessage, response: ServerResponse, over: () => void) => whenOver({ raw: request } as FastifyRequest, { raw: response } as FastifyReply, over);
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

describe('the end of the line of a request', () => {
  let server: Server;
  let client: Socket;
  const begun: [IncomingMessage, ServerResponse][] = [];
  const over: number[] = [];

  beforeEach(async () => {
    begun.length = over.length = 0;
    server = createServer((request, response) => {
      const number = begun.push([request, response]);
      hear(request, response, () => over.push(number));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    client.resume();
  });
  afterEach(async () => {
    client.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const ask = async (times: number) => {
    const before = begun.length;
    client.write(REQUEST.repeat(times));
    await eventually(() => expect(begun).toHaveLength(before + times));
  };

  it('is heard of once for each, in a pipeline too, when their answers are out', async () => {
    await ask(3);
    begun[1]?.[1].end();
    begun[0]?.[1].end();
    await eventually(() => expect(over).toEqual([1, 2]));
    begun[2]?.[1].end();
    await eventually(() => expect(over).toEqual([1, 2, 3]));
    client.destroy();
    await eventually(() => expect(begun[0]?.[0].socket.destroyed).toBe(true));
    expect(over).toEqual([1, 2, 3]);
  });

  it('is heard of by all of a pipeline when the connection is lost, and at once by who comes later', async () => {
    await ask(3);
    client.destroy();
    await eventually(() => expect([...over].sort()).toEqual([1, 2, 3]));
    const [request, response] = begun[2] as [IncomingMessage, ServerResponse];
    let isHeard = false;
    hear(request, response, () => (isHeard = true));
    expect(isHeard).toBe(true);
  });

  it('is a signal to whoever works for the caller', async () => {
    await ask(2);
    const [answered, left] = begun.map(([request, response]) => untilOver({ raw: response, request: { raw: request } } as unknown as FastifyReply));
    expect([answered?.aborted, left?.aborted]).toEqual([false, false]);
    begun[0]?.[1].end();
    await eventually(() => expect(answered?.aborted).toBe(true));
    expect(left?.aborted).toBe(false);
    client.destroy();
    await eventually(() => expect(left?.aborted).toBe(true));
  });

  it('is one listener of a connection, however many requests come on it', async () => {
    await ask(1);
    const { socket } = (begun[0] as [IncomingMessage, ServerResponse])[0];
    const before = socket.listenerCount('close');
    await ask(30);
    expect(socket.listenerCount('close')).toBe(before);
  });
});
