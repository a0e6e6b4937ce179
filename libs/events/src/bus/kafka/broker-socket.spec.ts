import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { ISocketFactoryArgs } from 'kafkajs';
import { brokerSocket } from './broker-socket';

describe('a socket to a broker', () => {
  it('gathers no listeners when it is taken leave of once it is closed, however often', async () => {
    const server = createServer((client) => client.end('there'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const connected = jest.fn();
    const plain = { host: '127.0.0.1', port: (server.address() as AddressInfo).port, onConnect: connected } as unknown as ISocketFactoryArgs;
    const socket = brokerSocket(plain);
    const [heard] = await once(socket, 'data') as [Buffer];
    expect([heard.toString(), connected.mock.calls.length]).toEqual(['there', 1]);
    socket.end();
    await once(socket, 'close');
    for (let time = 0; time < 12; time += 1) expect(socket.unref()).toBe(socket);
    expect(socket.listenerCount('connect')).toBe(0);
    await new Promise((resolve) => server.close(resolve));
  });
});
