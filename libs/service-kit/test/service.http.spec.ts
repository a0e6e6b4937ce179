import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { type NestFastifyApplication, RouteConfig } from '@nestjs/platform-fastify';
import { conflict, unavailable } from '@twinyard/conventions';
import { createTestDatabase, eventually, type TestDatabase } from '@twinyard/testing';
import { Type } from 'class-transformer';
import { IsString, ValidateNested } from 'class-validator';
import request from 'supertest';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { baseSettings, BULK_BODY_LIMIT, createService, FORM_BODY_LIMIT, loadSettings, ReadinessChecks, RECORD_BODY_LIMIT, SettingsError } from '../src';
import { StoreRoom } from '../src/store-room';
import { thingsEnvironment, thingsService } from './things-service';

class InnerDto {
  @IsString() name!: string;
}

class ThingDto {
  @IsString() title!: string;
  @ValidateNested({ each: true }) @Type(() => InnerDto) parts!: InnerDto[];
}

@Controller('aisvc/api/v1/things')
class ThingsController {
  constructor(private readonly source: DataSource) {}

  /** As the server says it when a write finds its disk full. */
  @Get('full')
  full(): Promise<unknown> {
    return this.source.query(`do $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`);
  }

  @Get()
  list(@Query() query: Record<string, unknown>): object {
    return query;
  }

  @Get('broken')
  broken(): never {
    throw new Error('the password of the database is hunter2');
  }

  @Get('away')
  away(): never {
    throw unavailable('The store is away', new Error('inside'));
  }

  @Get('one/:id')
  one(@Param('id') id: string): object {
    return { id };
  }

  @Get('taken')
  taken(): never {
    throw conflict('There is one already');
  }

  @Get('counted/:count')
  counted(@Param('count') count: number, @Query() inner: InnerDto): object {
    return { count, inner };
  }

  @Post()
  make(@Body() body: ThingDto): object {
    return body;
  }

  @Post('bulk')
  @RouteConfig({ bodyLimit: BULK_BODY_LIMIT })
  bulk(@Body() body: unknown[]): object {
    return { count: body.length };
  }

  @Delete()
  remove(@Body() body: unknown): object {
    return { body: body ?? null };
  }
}

describe('what every service does alike', () => {
  let database: TestDatabase;
  let app: NestFastifyApplication;
  const environment = () => thingsEnvironment(database);
  const definition = thingsService([ThingsController]);

  beforeAll(async () => {
    database = await createTestDatabase();
    process.umask(0o022); // of most shells
    app = await createService(definition, loadSettings(baseSettings, environment()));
    await app.listen(0, '127.0.0.1');
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  const server = () => request(app.getHttpServer());
  const THINGS = '/aisvc/api/v1/things';
  /** A character for each byte. */
  const raw = async (method: string, path: string, type: string, body: string): Promise<unknown> => {
    const { port } = app.getHttpServer().address() as AddressInfo;
    return (await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { 'content-type': type }, body: Buffer.from(body, 'latin1') })).json();
  };

  it('makes folders and files for its owner alone, where nobody says more', () => {
    const scratch = mkdtempSync(join(tmpdir(), 'twinyard-modes-'));
    const [folder, file] = [join(scratch, 'folder'), join(scratch, 'file')];
    mkdirSync(folder);
    writeFileSync(file, '');
    const modes = [folder, file].map((path) => statSync(path).mode & 0o777);
    rmSync(scratch, { recursive: true });
    expect(modes).toEqual([0o700, 0o600]);
  });

  it('says nothing of the inside in a 500, and the request id in every answer', async () => {
    const { body, headers } = await server().get(`${THINGS}/broken`).set('x-request-id', 'mine-1').expect(500);
    expect(body).toEqual({ message: 'Something went wrong on our side', code: 'internal', requestId: 'mine-1' });
    expect(headers).toMatchObject({ 'x-request-id': 'mine-1', 'x-content-type-options': 'nosniff' });
    expect((await server().get(THINGS).set('x-request-id', 'bad id').expect(200)).headers['x-request-id']).not.toBe('bad id');
  });

  it('answers errors in one form', async () => {
    expect((await server().get(`${THINGS}/taken`).expect(409)).body).toMatchObject({ message: 'There is one already', code: 'conflict' });
    expect((await server().get(`${THINGS}/away`).expect(503)).headers['retry-after']).toBe('1');
    expect((await server().get('/aisvc/api/v1/nothing').expect(404)).body).toMatchObject({ code: 'not_found', requestId: expect.any(String) });
    expect((await server().post(THINGS).set('content-type', 'text/xml').send('<a/>').expect(415)).body.code).toBe('unsupported_media_type');
  });

  it('says 507 when the disk of its database is full, and that it is not ready, until there was room for a while', async () => {
    const real = performance.now.bind(performance);
    // Of its own: that of the process remembers what specs before this one have filled, and would have those behind it wait.
    const room = jest.replaceProperty(StoreRoom, 'ofProcess', new StoreRoom());
    const clock = jest.spyOn(performance, 'now');
    try {
      expect((await server().get('/health/ready').expect(200)).body).toEqual({ status: 'ready' });
      expect((await server().get(`${THINGS}/full`).expect(507)).body).toMatchObject({ code: 'insufficient_storage', message: 'There is no room left to store this' });
      expect((await server().get('/health/ready').expect(503)).body).toEqual({ status: 'not ready', failing: ['room in the store'] });
      clock.mockImplementation(() => real() + 30_000);
      await server().get('/health/ready').expect(200);
    } finally {
      clock.mockRestore();
      room.restore();
    }
  });

  it('names every bad field by its path', async () => {
    const { body } = await server().post(THINGS).send({ parts: [{ name: 'a' }, { name: 1 }] }).expect(400);
    expect(body.details).toEqual([{ field: 'title', issue: 'is required' }, { field: 'parts[1].name', issue: 'must be a string (it is a number)' }]);
    expect((await server().post(THINGS).set('content-type', 'application/json').send('null').expect(400)).body.details).toEqual([{ field: 'body', issue: 'must be an object (it is null)' }]);
    expect((await server().get(`${THINGS}/counted/7`).expect(400)).body.details).toEqual([{ field: 'name', issue: 'is required' }]);
    expect((await server().get(`${THINGS}/counted/7?name=a`).expect(200)).body).toEqual({ count: 7, inner: { name: 'a' } });
  });

  it('checks the same when a process builds the service again', async () => {
    const again = await createService(definition, loadSettings(baseSettings, environment()));
    try {
      await again.listen(0, '127.0.0.1');
      const { body } = await request(again.getHttpServer()).post(THINGS).send({ title: 1, parts: [] }).expect(400);
      expect(body.details).toEqual([{ field: 'title', issue: 'must be a string (it is a number)' }]);
      await request(again.getHttpServer()).post(THINGS).send({ title: 'a', parts: [], more: 1 }).expect(201);
    } finally {
      await again.close();
    }
  });

  it('takes an empty JSON body on DELETE and GET, and a body on DELETE', async () => {
    await server().get(THINGS).set('content-type', 'application/json').expect(200);
    expect((await server().delete(THINGS).set('content-type', 'application/json').expect(200)).body).toEqual({ body: null });
    expect((await server().delete(THINGS).send(['a']).expect(200)).body).toEqual({ body: ['a'] });
  });

  it('refuses bad JSON, prototype keys and text that no store can hold', async () => {
    const post = (text: string) => server().post(`${THINGS}/bulk`).set('content-type', 'application/json').send(text);
    for (const text of ['{', '{"__proto__":{}}', '["\\u0000"]', '["\\ud800"]', '[{"a\\u0000":1}]', '[{"a": 1e400}]', `[-${'9'.repeat(400)}]`, '[1.5E+999]', `${'['.repeat(9_000)}${']'.repeat(9_000)}`, `${'{"a":'.repeat(151)}"\\u0000"${'}'.repeat(151)}`]) expect([text, (await post(text)).status]).toEqual([text, 400]);
    await post('["\\ud83d\\ude00"]').expect(201);
    // JSON knows its path as that of any other fault.
    for (const [text, field] of [['{"__proto__":{}}', '__proto__'], ['[1,{"a":{"b":[{"\\u005f_proto__":1}]}}]', '[1].a.b[0].__proto__']] as const) expect((await post(text)).body).toMatchObject({ code: 'invalid', details: [{ field, issue: 'is a key that no object may have' }] });
    await server().get(`${THINGS}?a=%00`).expect(400);
    await post('["1e400", 1e300, "a:1e999"]').expect(201);
  });

  it('answers in its own form to a path that no route can take', async () => {
    expect((await server().get(`${THINGS}/one/${'x'.repeat(5_000)}`).expect(400)).body).toEqual({ message: expect.any(String), code: 'invalid', details: [{ field: 'path', issue: 'is not a valid path' }], requestId: expect.any(String) });
  });

  it('bounds bodies by route, and says how', async () => {
    const post = (to: string, json: string) => server().post(to).set('content-type', 'application/json').send(json);
    const items = JSON.stringify(Array.from({ length: 3_000 }, () => 'x'.repeat(1_000)));
    expect((await post(`${THINGS}/bulk`, items).expect(201)).body.count).toBe(3_000);
    const title = 'x'.repeat(RECORD_BODY_LIMIT - 1_000);
    expect((await post(THINGS, JSON.stringify({ title, parts: [] })).expect(201)).body.title).toHaveLength(title.length);
    for (const [to, limit] of [[THINGS, RECORD_BODY_LIMIT], [`${THINGS}/bulk`, BULK_BODY_LIMIT]] as const) {
      expect((await post(to, `["${'x'.repeat(limit)}"]`).expect(413)).body).toMatchObject({ code: 'too_large', message: `The body has more than ${limit} bytes` });
    }
    const form = server().post(THINGS).type('form').send(`title=${'x'.repeat(FORM_BODY_LIMIT)}`);
    expect((await form.expect(413)).body).toMatchObject({ code: 'too_large', message: `The body has more than ${FORM_BODY_LIMIT} bytes` });
  });

  it('names a number that would not be kept, and where a body is not UTF-8', async () => {
    const post = (body: string) => server().post(`${THINGS}/bulk`).set('content-type', 'application/json').send(body);
    expect((await post('[{"a":[9007199254740993]}]').expect(400)).body).toMatchObject({ code: 'inexact_number', details: [{ field: '[0].a[0]', issue: expect.stringContaining('9007199254740993') }] });
    expect((await post('9007199254740993').expect(400)).body.details).toMatchObject([{ field: 'body' }]);
    expect(await raw('POST', `${THINGS}/bulk`, 'application/json', '["\xfc"]')).toMatchObject({ details: [{ field: 'body', issue: 'is not UTF-8 from byte 2 on' }] });
    await post('[9007199254740992, 0.1, "9007199254740993", 1e22]').expect(201);
  });

  it('reads forms in UTF-8, and in Windows-1252 where they are not, every key of them', async () => {
    const remove = (form: string) => server().delete(THINGS).type('form').send(form).expect(200);
    expect((await remove('name=T%C3%BCr&town=K%F6ln+5+%80&gr%FC%DF=a%2Bb%zz')).body.body).toEqual({ name: 'Tür', town: 'Köln 5 €', grüß: 'a+b%zz' });
    expect(await raw('DELETE', THINGS, 'application/x-www-form-urlencoded', 'name=T\xfcr&name=T%F6r')).toEqual({ body: { name: ['Tür', 'Tör'] } });
    expect(Object.keys((await remove(Array.from({ length: 1_500 }, (_, n) => `k${n}=1`).join('&'))).body.body as object)).toHaveLength(1_500);
  });

  it.each(['with its length', 'in chunks'])('hears a body over the limit to its end (%s): the answer is not lost to whoever still sends, and the connection stays', async (how) => {
    const address = app.getHttpServer().address() as AddressInfo;
    const socket = connect(address.port);
    let answers = '';
    socket.on('data', (chunk: Buffer) => (answers += chunk.toString()));
    const length = BULK_BODY_LIMIT + 1;
    const isChunked = how === 'in chunks';
    socket.write(`POST ${THINGS}/bulk HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n${isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`}\r\n\r\n`);
    if (isChunked) socket.write(`${(2 * length).toString(16)}\r\n${'x'.repeat(length)}`);
    await eventually(() => expect(answers).toContain('too_large'));
    socket.write('x'.repeat(length));
    if (isChunked) socket.write('\r\n0\r\n\r\n');
    socket.write('GET /health/live HTTP/1.1\r\nHost: here\r\n\r\n');
    await eventually(() => expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']));
    socket.destroy();
  });

  it('is ready while its parts are, and not any more when it drains', async () => {
    await server().get('/health/live').expect(200);
    await server().get('/health/ready').expect(200);
    app.get(ReadinessChecks).add('part', () => Promise.reject(new Error('no')));
    expect((await server().get('/health/ready').expect(503)).body.failing).toEqual(['part']);
    app.get(ReadinessChecks).drain();
    expect((await server().get('/health/ready').expect(503)).body.failing).toEqual(['draining']);
  });

  it('answers 429 over the limit of an address, whatever is shown that nobody has verified, and goes on serving others', async () => {
    const ask = (address: string, n: number) => server().get(THINGS).set('x-forwarded-for', address).set('authorization', `Bearer made-up-${n}`);
    const answers = await Promise.all(Array.from({ length: 61 }, (_, n) => ask('203.0.113.7', n)));
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ code: 'too_many_requests', message: expect.any(String) });
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
    await ask('203.0.113.8', 0).expect(200);
  });

  it('takes a network of IPv6 for one address', async () => {
    const ask = (n: number) => server().get(THINGS).set('x-forwarded-for', `2001:db8:1:2::${n.toString(16)}`);
    const answers = await Promise.all(Array.from({ length: 61 }, (_, n) => ask(n + 1)));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
  });

  it('names every bad setting and never its value', () => {
    const load = () => loadSettings(baseSettings, { ...environment(), PORT: 'secret-port', SERVICE_TOKEN: '', BASE_URL_FILE: '/nowhere' });
    expect(load).toThrow(SettingsError);
    expect(load).toThrow(/PORT[\s\S]*SERVICE_TOKEN: is missing|SERVICE_TOKEN[\s\S]*PORT/);
    expect(load).toThrow('BASE_URL_FILE: the file cannot be read');
    expect(load).not.toThrow(/secret-port/);
    expect(loadSettings(baseSettings, environment()).BASE_URL).toBe('http://twinyard.test');
  });

  it('wants exactly one of the settings that exclude each other, also when a service extends the schema', () => {
    const schema = baseSettings.extend({ PAGE_SIZE: z.coerce.number().default(10) });
    const load = (more: NodeJS.ProcessEnv) => loadSettings(schema, { ...environment(), ...more });
    expect(() => load({ EVENTS_DATABASE_URL: '' })).toThrow('EVENTS_DATABASE_URL and KAFKA_BROKERS: one of them must be given');
    expect(() => load({ KAFKA_BROKERS: 'kafka:9092' })).toThrow('EVENTS_DATABASE_URL and KAFKA_BROKERS: only one of them may be given');
    expect(load({ EVENTS_DATABASE_URL: '', KAFKA_BROKERS: 'one:9092,two:9092' })).toMatchObject({ KAFKA_BROKERS: 'one:9092,two:9092', PAGE_SIZE: 10 });
  });

  it('names the settings that another one needs', () => {
    const kafka = { ...environment(), EVENTS_DATABASE_URL: '', KAFKA_BROKERS: 'kafka:9092', KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_PASSWORD: 'secret-password' };
    expect(() => loadSettings(baseSettings, kafka)).toThrow('KAFKA_SASL_USERNAME: is missing, KAFKA_SASL_MECHANISM needs it');
    expect(() => loadSettings(baseSettings, { ...kafka, KAFKA_SASL_USERNAME: 'twinyard' })).not.toThrow();
  });
});
