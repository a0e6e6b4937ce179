/** @jest-environment node */
import { type AddressInfo, connect } from 'node:net';
import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { unauthenticated } from '@twinyard/conventions';
import { createTestDatabase, eventually, type TestDatabase } from '@twinyard/testing';
import { IsString } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type * as Pino from 'pino';
import request from 'supertest';
import { createService, nameCaller } from '../src';
import { thingsService, thingsSettings } from './things-service';

const mockWritten: string[] = [];

/** The logger as it is, with its lines kept here in place of standard output. */
jest.mock('pino', () => {
  const actual = jest.requireActual<typeof Pino>('pino');
  const toMemory = (options: object) => actual.pino(options, { write: (line: string) => void mockWritten.push(line) });
  return { ...actual, pino: Object.assign(toMemory, actual.pino) };
});

class ThingDto {
  @IsString() title!: string;
}

@Controller('aisvc/api/v1/things')
class ThingsController {
  @Get('one/:id')
  one(@Req() asked: FastifyRequest, @Param('id') id: string): object {
    Object.assign(asked, { ctx: { principal: { type: 'user', id: 'somebody' } } });
    return { id };
  }

  @Get('closed')
  closed(): never {
    throw unauthenticated();
  }

  @Get('taken-over')
  takenOver(@Req() asked: FastifyRequest, @Res() reply: FastifyReply): void {
    nameCaller(asked.raw, 'client', 'machine');
    reply.hijack();
    reply.raw.writeHead(204).end();
  }

  @Get('never')
  never(): Promise<never> {
    return new Promise(() => undefined);
  }

  @Post()
  make(@Body() body: ThingDto): object {
    return body;
  }
}

describe('the log of requests', () => {
  let database: TestDatabase;
  let app: NestFastifyApplication;
  const THINGS = '/aisvc/api/v1/things';

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await createService(thingsService([ThingsController]), thingsSettings(database, { LOG_LEVEL: 'info', HEAD_SECONDS: '1' }));
    await app.listen(0, '127.0.0.1');
  });
  beforeEach(() => mockWritten.splice(0));
  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  const server = () => request(app.getHttpServer());
  const lines = () => mockWritten.map((line) => JSON.parse(line) as Record<string, unknown>);
  /** The only line of a request, once it is there. */
  const lineOf = async (requestId: string) => {
    const found = () => lines().filter((line) => line.requestId === requestId && line.msg === 'request');
    await eventually(() => expect(found()).toHaveLength(1));
    return found()[0];
  };
  const raw = (text: string) => connect((app.getHttpServer().address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined).end(text);

  it('names a request by its id: route, status, time, bytes, who asked and for which namespaces; not the path, nor what else the query holds', async () => {
    await server().get(`${THINGS}/one/secret-id?nsfilter=proj_a1b2c3d4&nsfilter=some,text&query=secret-text&access_token=secret-token`).set('x-request-id', 'r-200').expect(200);
    expect(await lineOf('r-200')).toEqual({
      level: 'info', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), service: 'aisvc', requestId: 'r-200', method: 'GET', route: `${THINGS}/one/:id`, status: 200, ms: expect.any(Number), bytes: expect.any(Number),
      caller: 'user:somebody', namespaces: ['proj_a1b2c3d4'], msg: 'request',
    });
    expect(mockWritten.join('')).not.toMatch(/secret|some,text|127\.0\.0\.1/);
  });

  it.each<[number, string, string, string?, string?]>([
    [401, 'GET', `${THINGS}/closed`],
    [404, 'GET', '/aisvc/api/v1/nothing'],
    [405, 'DELETE', `${THINGS}/one/1`],
    [400, 'POST', THINGS, 'application/json', '{"title":1}'],
    [400, 'POST', THINGS, 'application/json', '{'],
    [413, 'POST', THINGS, 'application/json', `"${'x'.repeat(18 * 1024 * 1024)}"`],
    [415, 'POST', THINGS, 'text/xml', '<a/>'],
    [400, 'GET', '/aisvc/api/v1/%zz'],
    [204, 'GET', `${THINGS}/taken-over`],
  ])('has a line for a %i of %s %s', async (status, method, path, type = 'text/plain', body = undefined) => {
    const requestId = `r-${mockWritten.length}-${status}-${path.length}`;
    const asked = server()[method.toLowerCase() as 'get'](path).set('x-request-id', requestId);
    await (body === undefined ? asked : asked.set('content-type', type).send(body)).expect(status);
    expect(await lineOf(requestId)).toMatchObject({ method, status, ...(status === 204 && { caller: 'client:machine' }) });
  });

  it('has a line for a request whose caller went away', async () => {
    raw(`GET ${THINGS}/never HTTP/1.1\r\nHost: x\r\nX-Request-Id: r-gone\r\n\r\n`);
    expect(await lineOf('r-gone')).toMatchObject({ route: `${THINGS}/never`, aborted: true });
  });

  it('has a line for each request of a pipeline whose caller went away', async () => {
    raw(['one', 'two', 'three'].map((name) => `GET ${THINGS}/never HTTP/1.1\r\nHost: x\r\nX-Request-Id: r-${name}\r\n\r\n`).join(''));
    for (const name of ['one', 'two', 'three']) expect(await lineOf(`r-${name}`)).toMatchObject({ route: `${THINGS}/never`, aborted: true });
  });

  it('has a line for what is no HTTP, under the id that it was answered with', async () => {
    raw('HELLO\r\n\r\n');
    await eventually(() => expect(lines()).toContainEqual(expect.objectContaining({ msg: 'request refused before it was read', code: 'invalid', requestId: expect.any(String) })));
  });

  it('says nothing of health, and what is there under which methods by Allow', async () => {
    await server().get('/health/live').expect(200);
    const { headers, body } = await server().delete(`${THINGS}/one/1?a=b`).expect(405);
    expect(headers.allow).toBe('GET, HEAD');
    expect(body).toMatchObject({ code: 'method_not_allowed', message: 'DELETE is not answered here; GET, HEAD are' });
    expect((await server().put('/health/live').expect(405)).headers.allow).toBe('GET, HEAD');
    await lineOf(body.requestId as string);
    expect(lines().map(({ route }) => route)).not.toContain('/health/live');
  });

  it('has a line for a 429', async () => {
    await eventually(async () => expect((await server().get(`${THINGS}/one/1`).set('x-request-id', 'r-429')).status).toBe(429), { everyMs: 0 });
    await eventually(() => expect(lines()).toContainEqual(expect.objectContaining({ requestId: 'r-429', status: 429 })));
  });
});
