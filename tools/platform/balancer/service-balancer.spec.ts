import { createServer as createHttpServer, get } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually, freePort } from '@twinyard/testing';
import { ServiceBalancer } from './service-balancer';

const servers: Server[] = [];
const sockets = new Set<Socket>();
let balancer: ServiceBalancer | undefined;

afterEach(async () => {
  await balancer?.stop();
  balancer = undefined;
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

/** A replica that says its name to everybody and then repeats what it hears. */
async function replica(name: string, port = 0): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.write(`${name}:`);
    socket.pipe(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function close(server: Server | undefined): Promise<void> {
  if (server === undefined) return;
  servers.splice(servers.indexOf(server), 1);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
}

const call = () => {
  const socket = connect({ port: balancer?.port ?? 0, host: '127.0.0.1', allowHalfOpen: true });
  sockets.add(socket);
  socket.on('error', () => undefined);
  return socket;
};

/** Who answers, and what came back of what was sent. */
const ask = (sent = 'x') => text(call().end(sent));

describe('the balancer of a service', () => {
  it('gives each new connection to the next replica', async () => {
    balancer = await ServiceBalancer.start(0, [await replica('one'), await replica('two'), await replica('three')]);
    const answers = [await ask(), await ask(), await ask(), await ask()];
    expect(answers).toEqual(['one:x', 'two:x', 'three:x', 'one:x']);
  });

  it('carries every byte both ways, with the end of one way before the end of the other', async () => {
    balancer = await ServiceBalancer.start(0, [await replica('one')]);
    const sent = 'twinyard'.repeat(500_000);
    expect(await ask(sent)).toBe(`one:${sent}`);
  });

  it('passes over a replica that refuses, and comes back to it when it lives again', async () => {
    // None that the system gives to anybody else while nobody listens there.
    const port = await replica('one', await freePort());
    const one = servers[0];
    balancer = await ServiceBalancer.start(0, [port, await replica('two')]);
    await close(one);
    expect([await ask(), await ask(), await ask()]).toEqual(['two:x', 'two:x', 'two:x']);
    await replica('one', port);
    expect(new Set([await ask(), await ask()])).toEqual(new Set(['one:x', 'two:x']));
  });

  it('resets a connection that no replica takes, as a closed port would', async () => {
    balancer = await ServiceBalancer.start(0, [await freePort(), await freePort()]);
    await expect(text(call())).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('ends the connections of a replica that dies, at once', async () => {
    const port = await replica('one');
    balancer = await ServiceBalancer.start(0, [port]);
    const caller = call();
    const ended = new Promise<void>((resolve) => caller.once('close', () => resolve()));
    await new Promise((resolve) => caller.once('data', resolve));
    for (const socket of sockets) if (socket !== caller && socket.localPort === port) socket.resetAndDestroy();
    await ended;
  });

  it('tells the replica of a caller that goes away', async () => {
    let gone = false;
    const server = createHttpServer((_request, response) => {
      response.write('first');
      response.once('close', () => (gone = true));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    balancer = await ServiceBalancer.start(0, [(server.address() as AddressInfo).port]);
    const { port } = balancer;
    const request = get({ port, host: '127.0.0.1', agent: false }, (response) => response.once('data', () => request.destroy()));
    request.on('error', () => undefined);
    await eventually(() => expect(gone).toBe(true));
  });

  it('stops with connections open', async () => {
    balancer = await ServiceBalancer.start(0, [await replica('one')]);
    const caller = call();
    await new Promise((resolve) => caller.once('data', resolve));
    const ended = new Promise((resolve) => caller.once('close', resolve));
    await balancer.stop();
    balancer = undefined;
    await ended;
  });

  it('names the port that is taken', async () => {
    await expect(ServiceBalancer.start(await replica('one'), [])).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
