/** @jest-environment node */
import { type AddressInfo, connect } from 'node:net';
import { Body, Controller, Get, Post } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createTestDatabase, eventually, type TestDatabase } from '@twinyard/testing';
import type * as Pino from 'pino';
import { createService } from '../src';
import { thingsService, thingsSettings } from './things-service';

const mockWritten: string[] = [];

/** The logger as it is, with its lines kept here in place of standard output. */
jest.mock('pino', () => {
  const actual = jest.requireActual<typeof Pino>('pino');
  const toMemory = (options: object) => actual.pino(options, { write: (line: string) => void mockWritten.push(line) });
  return { ...actual, pino: Object.assign(toMemory, actual.pino) };
});

const THINGS = '/aisvc/api/v1/things';
const MOST = 2;

@Controller('aisvc/api/v1/things')
class ThingsController {
  @Get('never')
  never(): Promise<never> {
    return new Promise(() => undefined);
  }

  @Get()
  none(): object {
    return {};
  }

  @Post()
  make(@Body() body: object): object {
    return body;
  }
}

/** Behind a gateway or not: each service holds its callers to the same. */
describe('the lines of a service', () => {
  let database: TestDatabase;
  let app: NestFastifyApplication;

  beforeAll(async () => {
    database = await createTestDatabase();
    const settings = thingsSettings(database, { LOG_LEVEL: 'info', RATE_LIMIT_PER_MINUTE: '100000', LINE_SILENCE_SECONDS: '1', HEAD_SECONDS: '1', REQUESTS_PER_CALLER: String(MOST) });
    app = await createService(thingsService([ThingsController]), settings);
    await app.listen(0, '127.0.0.1');
  });
  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  const address = () => app.getHttpServer().address() as AddressInfo;
  const say = (text: string) => {
    const socket = connect(address().port, '127.0.0.1').on('error', () => undefined);
    const heard = { text: '', socket };
    socket.on('data', (chunk: Buffer) => (heard.text += chunk.toString())).write(text);
    return heard;
  };
  const ask = () => fetch(`http://127.0.0.1:${address().port}${THINGS}`);

  it('are answered 408 where a body does not come, which is logged with its route', async () => {
    const heard = say(`POST ${THINGS} HTTP/1.1\r\nHost: x\r\nX-Request-Id: r-late\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`);
    await eventually(() => expect(heard.socket.closed).toBe(true));
    const [answer = '', body = ''] = heard.text.split('\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(JSON.parse(body)).toEqual({ message: 'The body of the request did not come in time: less than 100 bytes a second for 1 s', code: 'request_timeout', requestId: 'r-late' });
    const lines = mockWritten.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ requestId }) => requestId === 'r-late');
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'a line was cut', slowness: 'slow sender', method: 'POST', route: THINGS, status: 408, ms: expect.any(Number) }));
  });

  it('are answered 408 where a head does not come', async () => {
    const heard = say('GET / HTTP/1.1\r\nHo');
    await eventually(() => expect(heard.socket.closed).toBe(true));
    expect(heard.text).toMatch(/^HTTP\/1\.1 408 [^]*"code":"request_timeout"/);
  });

  it('have so many requests of one address open, and answer more of them 429', async () => {
    const held = Array.from({ length: MOST }, () => say(`GET ${THINGS}/never HTTP/1.1\r\nHost: x\r\n\r\n`));
    const refused = await eventually(async () => {
      const answer = await ask();
      expect(answer.status).toBe(429);
      return answer;
    });
    expect([refused.headers.get('retry-after'), await refused.json()]).toEqual(['1', { message: expect.any(String), code: 'too_many_requests', requestId: expect.any(String) }]);
    for (const { socket } of held) socket.destroy();
    await eventually(async () => expect((await ask()).status).toBe(200));
  });
});
