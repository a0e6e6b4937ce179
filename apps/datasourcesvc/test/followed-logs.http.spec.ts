import { type AddressInfo, connect, type Socket } from 'node:net';
import { eventually } from '@twinyard/testing';
import request from 'supertest';
import type { Component } from '../src/components/component';
import { ping } from '../src/components/ping.component';
import { EventReader, type FollowOptions } from './event-reader';
import { NS, ORCHESTRATORS, OTHER, type RunBody, RUNS, RunningService } from './running-service';

interface Conversation {
  say(text: string): Promise<void>;
  end(): void;
}
const conversations = new Map<string, Conversation>();

/** Says what it is told to, until it is told to end. */
const talks: Component = {
  ...ping, id: '00000000-0000-4000-8000-000000000001', name: 'talks',
  run: ({ runId, log, signal }) => new Promise((resolve, reject) => {
    conversations.set(runId, { say: (text) => log('info', text), end: () => resolve('done') });
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  }),
};

describe('the log of a run that is followed', () => {
  let service: RunningService;
  let owner: string;
  const readers: EventReader[] = [];

  beforeAll(async () => {
    service = await RunningService.start([ping, talks], { RUN_CONCURRENCY: 8 });
    owner = await service.passport.token('owner');
    await service.passport.grant('owner', NS, ['*']);
    await service.passport.grant('stranger', OTHER, ['*']);
  });
  afterEach(() => readers.splice(0).forEach((reader) => reader.close()));
  afterAll(() => service?.stop());

  const follow = async (token: string, id: string, options: FollowOptions = {}, of = service) => {
    const reader = await EventReader.open(of.app, token, id, options);
    readers.push(reader);
    return reader;
  };
  const begun = async (of = service, token = owner): Promise<{ readonly run: RunBody; readonly conversation: Conversation }> => {
    const run = await of.startRun(token, await of.orchestrator(token, [{ _orchcomp: 'talks' }]));
    return { run, conversation: (await eventually(() => conversations.get(run.id) ?? null)) as Conversation };
  };
  const ended = async (): Promise<string> => (await service.startRun(owner, await service.orchestrator(owner, [{ _orchcomp: 'ping' }], { _instant: true }))).id;
  const followed = async (of = service) => Number(/^run_logs_followed (.*)$/m.exec((await request(of.app.getHttpServer()).get('/metrics').expect(200)).text)?.[1]);

  it('is told from its beginning and as it is written, up to the record that says the end', async () => {
    const { run, conversation } = await begun();
    const reader = await follow(owner, run.id);
    expect([reader.status, reader.response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(await reader.next()).toEqual({ id: 1, data: { level: 'info', message: 'Run of "Import" started', timestamp: expect.stringMatching(/Z$/), orchRunId: run.id } });
    expect(await reader.next()).toMatchObject({ id: 2, data: { message: 'Step 1 "talks" started' } });
    for (const [index, text] of ['one', 'two\nlines'].entries()) {
      await conversation.say(text);
      expect(await reader.next()).toMatchObject({ id: index + 3, data: { message: text } });
    }
    conversation.end();
    const rest = await reader.rest();
    expect(rest.map(({ data }) => [data['message'], data['end']])).toEqual([['Step 1 "talks" completed', undefined], ['Run ended: COMPLETED', true]]);
    const late = await follow(owner, run.id);
    expect((await late.rest()).map(({ data }) => data)).toEqual(await service.log(owner, run.id));
  });

  it('goes on behind what its reader has, and says that there is nothing behind the end', async () => {
    const id = await ended();
    const records = await service.log(owner, id);
    const behind = await (await follow(owner, id, { lastEventId: '2' })).rest();
    expect(behind).toEqual(records.slice(2).map((data, index) => ({ id: index + 3, data })));
    expect(behind.at(-1)).toMatchObject({ data: { end: true } });
    expect((await follow(owner, id, { lastEventId: String(records.length) })).status).toBe(204);
    for (const lastEventId of [String(records.length + 1), 'last', '-1', '1.5']) {
      const refused = await follow(owner, id, { lastEventId });
      expect([refused.status, await refused.body()]).toEqual([400, expect.objectContaining({ details: [expect.objectContaining({ field: 'Last-Event-ID' })] })]);
    }
    const { run, conversation } = await begun();
    const reader = await follow(owner, run.id, { lastEventId: '2' });
    await conversation.say('third');
    expect(await reader.next()).toMatchObject({ id: 3, data: { message: 'third' } });
    conversation.end();
  });

  it('is long, and comes whole', async () => {
    const { run, conversation } = await begun();
    await service.query(`INSERT INTO orchestrator_run_log (run_id, at, level, message) SELECT $1, clock_timestamp(), 'info', n || repeat('x', 900) FROM generate_series(1, 2500) n`, [run.id]);
    conversation.end();
    const events = await (await follow(owner, run.id)).rest();
    expect(events.map(({ id }) => id)).toEqual(events.map((_event, index) => index + 1));
    expect([events.length > 2_500, events.at(-1)?.data['end']]).toEqual([true, true]);
  });

  it('is closed to nobody and to other tenants', async () => {
    const { run, conversation } = await begun();
    const stranger = await service.passport.token('stranger');
    expect((await follow('x.y.z', run.id)).status).toBe(401);
    for (const ns of [NS, OTHER]) expect((await follow(stranger, run.id, { ns })).status).toBe(404);
    expect((await follow(owner, run.id, { ns: OTHER })).status).toBe(404);
    expect((await follow(owner, 'nonsense')).status).toBe(404);
    conversation.end();
  });

  it.each(['revokeAll', 'disable'] as const)('ends when its reader loses the right to it: %s', async (lose) => {
    const { run, conversation } = await begun();
    const guest = `guest of ${lose}`;
    await service.passport.grant(guest, NS, ['READ'], 'datasourcesvc:orchestrator:*');
    const reader = await follow(await service.passport.token(guest), run.id);
    const kept = await follow(owner, run.id);
    expect([(await reader.next())?.id, (await reader.next())?.id]).toEqual([1, 2]);
    await service.passport[lose](guest);
    await conversation.say('not for guests');
    expect(await reader.rest()).toEqual([]);
    conversation.end();
    expect((await kept.rest()).map(({ data }) => data['message'])).toEqual(expect.arrayContaining(['not for guests', 'Run ended: COMPLETED']));
  });

  it('ends when its run is deleted', async () => {
    const { run } = await begun();
    const reader = await follow(owner, run.id);
    await reader.next();
    await service.call(owner, 'delete', `${RUNS}/${run.id}`).expect(204);
    expect((await reader.rest()).every(({ data }) => data['end'] === undefined)).toBe(true);
  });

  it('is told to as many as there are places, which one namespace does not take all, and holds no place of a request', async () => {
    const small = await RunningService.start([ping, talks], { LOG_STREAMS: 5, REQUEST_PLACES: 2 });
    try {
      const [good, hostile] = await Promise.all([small.passport.token('good'), small.passport.token('hostile')]);
      await small.passport.grant('hostile', NS, ['*']);
      await small.passport.grant('good', OTHER, ['*']);
      const { run } = await begun(small, hostile);
      const open = [await follow(hostile, run.id, {}, small), await follow(hostile, run.id, {}, small), await follow(hostile, run.id, {}, small)];
      expect(open.map(({ status }) => status)).toEqual([200, 200, 200]);
      const refused = await follow(hostile, run.id, {}, small);
      expect([refused.status, refused.response.headers.get('retry-after')]).toEqual([429, '5']);
      expect(await followed(small)).toBe(3);
      await small.call(hostile, 'get', ORCHESTRATORS).expect(200);
      const body = { _name: 'Short', _namespaces: [OTHER], _params: { tasks: [{ _orchcomp: 'ping' }] } };
      const { id } = (await small.call(good, 'post', ORCHESTRATORS, OTHER).send(body).expect(200)).body as { id: string };
      const other = (await small.call(good, 'post', RUNS, OTHER).send({ orchestratorId: id }).expect(200)).body as RunBody;
      expect((await (await follow(good, other.id, { ns: OTHER }, small)).rest()).at(-1)).toMatchObject({ data: { end: true } });
      open[0]?.close();
      await eventually(async () => expect(await followed(small)).toBe(2));
      expect((await follow(hostile, run.id, {}, small)).status).toBe(200);
    } finally {
      // Readers hear the end, or a service could not stop.
      await small.stop();
    }
  });

  it('is cut where its reader does not read', async () => {
    const strict = await RunningService.start([ping, talks], { LINE_SILENCE_SECONDS: 1 });
    let line: Socket | undefined;
    try {
      const token = await strict.passport.token('owner');
      await strict.passport.grant('owner', NS, ['*']);
      const { run } = await begun(strict, token);
      await strict.query(`INSERT INTO orchestrator_run_log (run_id, at, level, message) SELECT $1, clock_timestamp(), 'info', repeat('x', 4000) FROM generate_series(1, 6000) n`, [run.id]);
      const { port } = strict.app.getHttpServer().address() as AddressInfo;
      line = connect(port, '127.0.0.1').on('error', () => undefined);
      line.pause();
      line.write(`GET ${RUNS}/logs/${run.id}?follow=true&nsfilter=${NS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
      await eventually(async () => expect(await followed(strict)).toBe(1), { everyMs: 5 });
      await eventually(async () => expect(await followed(strict)).toBe(0));
    } finally {
      line?.destroy();
      await strict.stop();
    }
  });
});
