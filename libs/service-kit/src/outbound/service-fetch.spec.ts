import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { eventually } from '@twinyard/testing';
import { serviceFetch } from './service-fetch';

describe('what one service asks another', () => {
  let server: Server;
  const sockets = new Set<Socket>();
  beforeAll(async () => {
    server = createServer((request, response) => {
      sockets.add(request.socket);
      response.end('{}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  beforeEach(() => sockets.clear());
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const asking = (keptMs: number) => {
    const fetch = serviceFetch(keptMs);
    return async () => (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { method: 'POST', body: '{}' })).text();
  };

  it('goes by the same connections while they are young', async () => {
    const ask = asking(60_000);
    for (let turn = 0; turn < 20; turn += 1) await ask();
    // An answer may be read before its connection is free again.
    expect(sockets.size).toBeLessThanOrEqual(2);
  });

  it('goes by no connection for long, so that a replica that came later gets its share', async () => {
    const ask = asking(50);
    await eventually(async () => {
      await ask();
      return sockets.size >= 3;
    });
  });
});
