import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { freePort } from '@twinyard/testing';
import type { FastifyInstance } from 'fastify';
import { createGateway } from './gateway';
import { gatewaySettingsFor } from './test-gateway';

let gateway: FastifyInstance;
let origin: string;
beforeAll(async () => {
  const nobody = `http://127.0.0.1:${await freePort()}`;
  gateway = await createGateway(gatewaySettingsFor(Object.fromEntries(SERVICES.map((service) => [service, nobody])) as Record<ServiceName, string>));
  origin = await gateway.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => gateway?.close());

const ask = (method: string, path: string) => fetch(origin + path, { method, headers: { 'x-request-id': 'r-1' } });

describe('paths of the gateway itself', () => {
  it.each(['/', '/health/live', '/health/ready?verbose=1'])('answer 405 at %s to what they do not take, and say what they do', async (path) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const answer = await ask(method, path);
      expect([answer.status, answer.headers.get('allow'), answer.headers.get('x-request-id'), await answer.json()]).toEqual([
        405, 'GET, HEAD', 'r-1', { message: `${method} is not answered here; GET, HEAD are`, code: 'method_not_allowed', requestId: 'r-1' },
      ]);
    }
  });

  it('are answered by the methods that the 405 names', async () => {
    for (const method of ['GET', 'HEAD']) expect([(await ask(method, '/')).status, (await ask(method, '/health/live')).status]).toEqual([200, 200]);
  });

  it('are no others: what is not there is 404 by any method', async () => {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      const answer = await ask(method, '/health/live/further');
      expect([answer.status, answer.headers.get('allow'), await answer.json()]).toEqual([404, null, expect.objectContaining({ code: 'not_found', requestId: 'r-1' })]);
    }
  });
});

describe('what the gateway refuses itself', () => {
  const SHAPE = { message: expect.any(String), code: 'unavailable', requestId: 'r-1' };
  const OAUTH = { error: 'temporarily_unavailable', error_description: 'passportsvc does not answer at the moment' };

  it.each([
    ['/passportsvc/api/v2/oauth/token', OAUTH],
    ['/passportsvc/api/v1/oauth/revoke?a=b', OAUTH],
    ['/passportsvc/api/v1/oauth/userinfo', SHAPE],
    ['/passportsvc/api/v1/users', SHAPE],
    ['/itemsvc/api/v1/oauth/token', SHAPE],
  ])('has at %s the shape that is read there', async (path, shape) => {
    const answer = await ask('POST', path);
    expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('x-request-id'), answer.headers.get('cache-control')]).toEqual([503, '1', 'r-1', shape === OAUTH ? 'no-store' : null]);
    expect(await answer.json()).toEqual(shape);
  });
});
