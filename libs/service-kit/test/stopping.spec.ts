import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createTestDatabase, eventually, freePort, type TestDatabase } from '@twinyard/testing';
import { thingsEnvironment } from './things-service';

const FILE = join(__dirname, '..', '..', '..', 'dist', 'libs', 'service-kit', 'test', 'stopping-process.js');
const THINGS = '/aisvc/api/v1/things';

interface Answer {
  readonly status: number;
  readonly connection?: string;
  readonly body: string;
}

describe('a service', () => {
  let database: TestDatabase;
  let child: ChildProcess;
  let port: number;
  let log: string;
  let agent: Agent;

  beforeAll(async () => void (database = await createTestDatabase()));
  afterAll(() => database?.drop());
  beforeEach(() => {
    log = '';
    agent = new Agent({ keepAlive: true });
  });
  afterEach(() => {
    agent.destroy();
    child.kill('SIGKILL');
  });

  const launch = async (own: NodeJS.ProcessEnv, channels: readonly 'ipc'[] = []) => {
    port = await freePort();
    const settings = { ...thingsEnvironment(database), PORT: String(port), DRAIN_SECONDS: '4', LOG_LEVEL: 'info', RATE_LIMIT_PER_MINUTE: '1000000', ...own };
    child = spawn(process.execPath, [FILE], { env: { PATH: process.env.PATH, ...settings }, stdio: ['ignore', 'pipe', 'pipe', ...channels] });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  };

  const start = async (own: NodeJS.ProcessEnv = {}) => {
    await launch(own);
    await eventually(async () => expect((await ask('GET', '/health/ready')).status).toBe(200));
  };

  /** Over kept connections. */
  const ask = (method: string, path: string): Promise<Answer> => new Promise((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port, path, method, agent }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString())).on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, ...(response.headers.connection !== undefined && { connection: response.headers.connection }) }));
    }).on('error', reject).end();
  });

  it('loses no request when it is told to stop: it says that it is not ready, answers on, and ends each connection behind an answer', async () => {
    // Longer than any machine stops for; it ends when all has been asked.
    await start({ DRAIN_SECONDS: '300' });
    const answers: Answer[] = [];
    let isGoing = false;
    const caller = async (method: string) => {
      while (!isGoing) answers.push(await ask(method, THINGS));
    };
    const callers = Promise.all(Array.from({ length: 16 }, (_, n) => caller(n % 2 === 0 ? 'GET' : 'POST')));
    await eventually(() => expect(answers.length).toBeGreaterThan(100));
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await eventually(async () => expect(await ask('GET', '/health/ready')).toMatchObject({ status: 503, connection: 'close' }), { everyMs: 1 });
    const before = answers.length;
    await eventually(() => expect(answers.length - before).toBeGreaterThan(100), { everyMs: 1 });
    isGoing = true;
    await callers;
    child.kill('SIGINT');
    expect(await exit).toEqual([0, null]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201]));
    expect(new Set(answers.slice(before + 16).map(({ connection }) => connection))).toEqual(new Set(['close']));
  });

  it('answers what comes by a connection that it had taken before it began to close', async () => {
    await start();
    const early = connect(port, '127.0.0.1');
    let answer = '';
    early.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    await once(early, 'connect');
    expect((await ask('GET', THINGS)).status).toBe(200); // so that the one before it has been taken
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await eventually(() => expect(ask('GET', THINGS)).rejects.toMatchObject({ code: 'ECONNREFUSED' }));
    early.write(`POST ${THINGS} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
    await once(early, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(await exit).toEqual([0, null]);
  });

  it.each([['that never says anything', ''], ['by which a head never comes whole', 'GET / HTTP/1.1\r\n']])('does not wait for a connection %s', async (_how, said) => {
    await start({ DRAIN_SECONDS: '0', HEAD_SECONDS: '2' });
    const open = connect(port, '127.0.0.1');
    await once(open, 'connect');
    if (said !== '') open.write(said);
    expect((await ask('GET', THINGS)).status).toBe(200); // so that the one before it has been taken
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    open.destroy();
  });

  it.each([['while it serves', true], ['while it starts', false]])('ends when its runner goes %s', async (_when, isUp) => {
    await launch({}, ['ipc']);
    if (isUp) await eventually(async () => expect((await ask('GET', '/health/ready')).status).toBe(200));
    const exit = once(child, 'exit');
    child.disconnect();
    expect(await exit).toEqual([null, 'SIGKILL']);
  });

  it('tells of what Node warns of in a line like any other', async () => {
    await start();
    await ask('GET', `${THINGS}/warned`);
    await eventually(() => expect(log).toContain('this is odd'));
    const lines = log.split('\n').filter((text) => text !== '').map((text) => JSON.parse(text) as object);
    expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', msg: 'a warning of Node' }));
  });

  it('tells of a failure that nobody waited for, with the requests that were open, counts it, and serves on', async () => {
    await start();
    expect(await ask('GET', `${THINGS}/unheld`)).toMatchObject({ status: 200 });
    await eventually(() => expect(log).toContain('a failure that nobody waited for'));
    const line = JSON.parse(log.split('\n').find((text) => text.includes('nobody waited for')) ?? '{}') as object;
    expect(line).toMatchObject({ level: 'error', err: { message: 'of the second promise' }, requests: [{ method: 'GET', route: `${THINGS}/unheld` }] });
    expect((await ask('GET', '/metrics')).body).toContain('unheld_failures_total 1');
  });
});
