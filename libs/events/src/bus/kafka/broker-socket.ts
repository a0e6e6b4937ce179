import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactoryArgs } from 'kafkajs';

const KEEP_ALIVE_MS = 60_000;

/**
 * As the library's own, but for one thing: while a broker is away it tells a closed socket over and over not to keep the process alive,
 * and Node notes that each time for when the socket connects, which is never. That is a leak, and a warning of one in the log.
 */
export function brokerSocket({ host, port, ssl, onConnect }: ISocketFactoryArgs): Socket {
  const address = { host, port };
  const socket: Socket = ssl ? connectTls({ ...address, ...(isIP(host) === 0 && { servername: host }), ...ssl }, onConnect) : connect(address, onConnect);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  socket.once('close', () => {
    socket.unref = () => socket;
  });
  return socket;
}
