import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { freePort } from '@twinyard/testing';
import type { FastifyInstance } from 'fastify';
import { createGateway } from './gateway';
import { gatewaySettingsFor } from './test-gateway';

/** Of undici, for each connection that could not be made. */
const CONNECT_ERRORS = 'undici:client:connectError';

const echo: RequestListener = (request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => { body += chunk.toString(); });
  request.on('end', () => response.end(JSON.stringify({ method: request.method, body })));
};

/** What a rolling update does to the gateway, and to the services behind it. */
describe('while replicas are replaced', () => {
  let gateway: FastifyInstance;
  let origin: string;
  let upstream: Server;
  /** Where aisvc is not, yet. */
  let deadPort: number;
  let isStopping = false;

  beforeAll(async () => {
    upstream = createServer(echo);
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    deadPort = await freePort();
    const portOf = (service: ServiceName) => (service === 'aisvc' ? deadPort : (upstream.address() as AddressInfo).port);
    const upstreams = Object.fromEntries(SERVICES.map((service) => [service, `http://127.0.0.1:${portOf(service)}`])) as Record<ServiceName, string>;
    gateway = await createGateway(gatewaySettingsFor(upstreams), () => isStopping);
    origin = await gateway.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => void (isStopping = false));
  afterAll(async () => {
    await gateway.close();
    upstream.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
  });

  const ask = (path: string, init?: RequestInit) => fetch(`${origin}${path}`, init);

  it.each([['GET', ''], ['POST', 'once'], ['DELETE', '']])('a %s is tried again where there was no connection: nobody hears of a replica that is just being replaced', async (method, body) => {
    const late = createServer(echo);
    const refused = jest.fn(() => void (late.listening || late.listen(deadPort, '127.0.0.1')));
    subscribe(CONNECT_ERRORS, refused);
    try {
      expect(await (await ask('/aisvc/api/v1/teams', { method, ...(body !== '' && { body }) })).json()).toEqual({ method, body });
      expect(refused).toHaveBeenCalled();
    } finally {
      unsubscribe(CONNECT_ERRORS, refused);
      late.closeAllConnections();
      await new Promise((resolve) => late.close(resolve));
    }
  });

  it('a gateway that is told to stop answers on, says that it is not ready, and ends each connection behind its answer', async () => {
    const connectionOf = async () => (await ask('/itemsvc/x', { method: 'POST', body: '{}' })).headers.get('connection');
    expect(await connectionOf()).toBe('keep-alive');
    isStopping = true;
    expect(await connectionOf()).toBe('close');
    expect(await (await ask('/health/ready')).json()).toEqual({ status: 'not ready', notReady: ['gateway'] });
  });
});
