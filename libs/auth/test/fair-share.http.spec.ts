import { type AddressInfo, connect, type Socket } from 'node:net';
import { Body, Controller, Get, Module, Param, Post } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { baseSettings, createService, defineService, FairShare, SqlModule } from '@twinyard/service-kit';
import { createTestDatabase, eventually, FakePassport, type TestDatabase, testSettings } from '@twinyard/testing';
import { Allow, AuthModule, Ctx, FairShareModule, RequestContext, RequestPlaces } from '../src';

const [NS, OTHER_NS] = ['ns_12345678', 'other_12345678'];
/** Of four places three are of one namespace at most, while it is alone. */
const FEW_PLACES = { REQUEST_PLACES: 4, TENANT_SHARE: 0.7, REQUEST_WAIT_SECONDS: 600, REQUESTS_WAITING: 100 };
const MOST_OF_ONE = 3;

/** Work that goes on until it is let go, whoever waits for it. */
class Work {
  static begun = 0;
  static goOn: () => void = () => undefined;
  static door: Promise<void> = Promise.resolve();

  static close(): void {
    Work.begun = 0;
    Work.door = new Promise((resolve) => (Work.goOn = resolve));
  }
}

@Controller('aisvc/api/v1/work')
class WorkController {
  constructor(private readonly places: RequestPlaces) {}

  @Get(':name')
  @Allow('READ', 'aisvc:team')
  async get(@Ctx() ctx: RequestContext, @Param('name') name: string): Promise<object> {
    ctx.access.scope('READ', 'aisvc:team');
    if (name === 'short') return { name };
    Work.begun += 1;
    if (name === 'aside') await this.places.without(ctx, () => Work.door);
    if (name === 'given-back') this.places.giveBack(ctx);
    await Work.door;
    if (name === 'failing') throw new Error('it fails');
    return { name };
  }

  @Post()
  @Allow('CREATE', 'aisvc:team')
  post(@Ctx() ctx: RequestContext, @Body() body: unknown): object {
    ctx.access.requireAnywhere('CREATE', 'aisvc:team');
    return { length: JSON.stringify(body).length };
  }
}

describe('places of requests', () => {
  let passport: FakePassport;
  let database: TestDatabase;
  let app: NestFastifyApplication;
  let places: FairShare;
  const tokens = new Map<string, string>();
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    passport = await FakePassport.start();
    database = await createTestDatabase();
    @Module({})
    class TestModule {}
    const definition = defineService({
      name: 'aisvc', settings: baseSettings, openApi: { title: 'Test', description: '' },
      module: (settings) => ({
        module: TestModule, controllers: [WorkController],
        imports: [SqlModule.forRoot({ url: database.url, entities: [], migrations: [] }), AuthModule.forService('aisvc', settings), FairShareModule.forRequests(FEW_PLACES)],
      }),
    });
    app = await createService(definition, { ...testSettings(passport, database, database), MIGRATE_ON_START: true } as never);
    await app.listen(0, '127.0.0.1');
    places = app.get(FairShare, { strict: false });
    for (const [name, namespace] of [['alice', NS], ['mallory', OTHER_NS]] as const) {
      await passport.grant(name, namespace, ['*']);
      tokens.set(name, await passport.token(name));
    }
  });
  beforeEach(() => Work.close());
  afterEach(async () => {
    Work.goOn();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await eventually(() => expect([places.running, places.waiting]).toEqual([0, 0]));
  });
  afterAll(async () => {
    await app?.close();
    await database?.drop();
    await passport?.stop();
  });

  const headOf = (method: string, path: string, as: string, ...more: readonly string[]) => [
    `${method} /aisvc/api/v1/work${path}?nsfilter=${as === 'alice' ? NS : OTHER_NS} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${tokens.get(as)}`, ...more, '', '',
  ].join('\r\n');

  /** A connection on which all of this is said at once. */
  function say(text: string): { readonly socket: Socket; heard: string } {
    const line = { socket: connect((app.getHttpServer().address() as AddressInfo).port, '127.0.0.1'), heard: '' };
    sockets.add(line.socket);
    line.socket.on('error', () => undefined).on('data', (chunk: Buffer) => (line.heard += chunk.toString())).write(text);
    return line;
  }
  const get = (name: string, as = 'mallory') => say(headOf('GET', `/${name}`, as));
  const answered = async (line: { readonly heard: string }, status: number) => eventually(() => expect(line.heard).toContain(`HTTP/1.1 ${status}`));

  const openConnections = () => new Promise<number>((resolve, reject) => app.getHttpServer().getConnections((error: Error | null, count: number) => (error ? reject(error) : resolve(count))));

  it('are held for as long as the work goes on, also when the caller has gone', async () => {
    const gone = Array.from({ length: MOST_OF_ONE }, () => get('long'));
    await eventually(() => expect(Work.begun).toBe(MOST_OF_ONE));
    for (const { socket } of gone) socket.destroy();
    const next = Array.from({ length: 5 }, () => get('long'));
    await eventually(async () => expect([places.waiting, await openConnections()]).toEqual([5, 5]));
    await answered(get('short', 'alice'), 200);
    await eventually(() => expect(places.running).toBe(MOST_OF_ONE));
    expect(Work.begun).toBe(MOST_OF_ONE);
    Work.goOn();
    for (const line of next) await answered(line, 200);
  });

  it('are given back when the work of one who has gone fails', async () => {
    const line = get('failing');
    await eventually(() => expect(Work.begun).toBe(1));
    line.socket.destroy();
    Work.goOn();
    await eventually(() => expect(places.running).toBe(0));
  });

  it('are not taken by who has gone while it waited, and nothing is done for it', async () => {
    const held = Array.from({ length: MOST_OF_ONE }, () => get('long'));
    await eventually(() => expect(Work.begun).toBe(MOST_OF_ONE));
    const gone = Array.from({ length: 5 }, () => get('long'));
    await eventually(() => expect(places.waiting).toBe(5));
    for (const { socket } of gone) socket.destroy();
    await eventually(async () => expect(await openConnections()).toBe(MOST_OF_ONE));
    Work.goOn();
    for (const line of held) await answered(line, 200);
    await eventually(() => expect([places.running, places.waiting]).toEqual([0, 0]));
    expect(Work.begun).toBe(MOST_OF_ONE);
  });

  it('are given back by all requests of a pipeline whose line is lost', async () => {
    const line = say(headOf('GET', '/long', 'mallory').repeat(MOST_OF_ONE + 2));
    await eventually(() => expect([Work.begun, places.waiting]).toEqual([MOST_OF_ONE, 2]));
    line.socket.destroy();
    await eventually(async () => expect(await openConnections()).toBe(0));
    Work.goOn();
    await eventually(() => expect([places.running, places.waiting]).toEqual([0, 0]));
    expect(Work.begun).toBe(MOST_OF_ONE);
  });

  it.each([['aside', 2], ['given-back', 1]])('are another\'s of the tenant while requests wait for something else: %s', async (name, entered) => {
    const enter = jest.spyOn(places, 'enter');
    const waiting = Array.from({ length: MOST_OF_ONE + 5 }, () => get(name));
    await eventually(() => expect([Work.begun, places.running, places.waiting]).toEqual([waiting.length, 0, 0]));
    await answered(get('short'), 200);
    Work.goOn();
    for (const line of waiting) await answered(line, 200);
    expect(enter).toHaveBeenCalledTimes(entered * waiting.length + 1);
    enter.mockRestore();
  });

  it('know what the body of a request weighs that waits for one, whether it says its length or not', async () => {
    const enter = jest.spyOn(places, 'enter');
    const body = JSON.stringify({ text: 'x'.repeat(1_000) });
    await answered(say(`${headOf('POST', '', 'mallory', 'Content-Type: application/json', `Content-Length: ${body.length}`)}${body}`), 201);
    await answered(say(`${headOf('POST', '', 'mallory', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`), 201);
    await answered(get('short'), 200);
    expect(enter.mock.calls).toEqual([[OTHER_NS, body.length], [OTHER_NS, body.length], [OTHER_NS, 0]]);
    enter.mockRestore();
  });
});
