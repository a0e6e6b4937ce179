import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** A caller who connects has something to say at once. Browsers also keep connections in store, which say nothing for as long as they may: a minute, that a stop would wait for. */
const FIRST_BYTE_MS = 1_000;

interface Ending {
  readonly isStopping: () => boolean;
  /** How long the head of a request may take. */
  readonly headMs: number;
}

/**
 * A server that is about to stop ends its kept connections one by one, each behind an answer that says so (RFC 9112, section 9.6): one that is closed between two requests
 * may be closed under the second. Said on the answer itself, since a library that takes it over meets no further hook; and not before the body has come, whose sender would
 * meet a reset in place of an early answer.
 */
export function endConnections(instance: FastifyInstance, { isStopping, headMs }: Ending): void {
  instance.addHook('onRequest', ({ raw: request }, { raw: answer }, done) => {
    if (isStopping()) {
      const end = () => void (answer.headersSent || answer.setHeader('Connection', 'close'));
      const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
      if (Number(length) === 0 && encoding === undefined) end();
      else request.once('end', end);
    }
    done();
  });
  instance.addHook('preClose', endThoseThatAskNothing(instance.server, headMs));
}

/** Node, too, ends connections that nothing is asked by, but none of these once it has begun to close: what never sent anything, and what never sends the rest of a head, would be waited for without end. */
function endThoseThatAskNothing(server: Server, headMs: number): (done: () => void) => void {
  const openRequests = new Map<Socket, number>();
  const count = (socket: Socket, difference: number) => void (openRequests.has(socket) && openRequests.set(socket, (openRequests.get(socket) ?? 0) + difference));
  server.on('connection', (socket: Socket) => {
    openRequests.set(socket, 0);
    socket.once('close', () => openRequests.delete(socket));
  });
  server.on('request', ({ socket }, answer) => {
    count(socket, 1);
    answer.once('close', () => count(socket, -1));
  });
  const end = (isMeant: (socket: Socket) => boolean) => {
    for (const [socket, open] of openRequests) if (open === 0 && isMeant(socket)) socket.destroy();
  };
  return (done) => {
    const timers = [setTimeout(end, FIRST_BYTE_MS, ({ bytesRead }: Socket) => bytesRead === 0), setTimeout(end, headMs, () => true)];
    server.once('close', () => timers.forEach(clearTimeout));
    // What has connected is taken before the server stops to listen: the kernel resets what waits then.
    setImmediate(done);
  };
}
