import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createTestDatabase, eventually, type TestDatabase } from '@twinyard/testing';
import type { DataSource } from 'typeorm';
import { createDataSource, createLogger, type Notice, QuietConnection, type SqlTx, TypeOrmUnitOfWork } from '../src';

const LOGGER = createLogger('test', 'silent');
const PID = 'SELECT pg_backend_pid() AS pid';

/** A way to the database that can fall silent without a word: then nothing goes through any more, and nobody is told. */
class SilencedLine {
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server, readonly url: string) {}

  static async to(url: string): Promise<SilencedLine> {
    const target = new URL(url);
    const server = createServer((socket) => line.carry(socket, connect(Number(target.port), target.hostname)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = new URL(url);
    address.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const line: SilencedLine = new SilencedLine(server, address.href);
    return line;
  }

  /** Those that are open now; new ones work. */
  silence(): void {
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private carry(...[near, far]: [Socket, Socket]): void {
    for (const [from, to] of [[near, far], [far, near]] as const) {
      this.sockets.add(from);
      from.on('error', () => undefined).on('close', () => to.destroy()).pipe(to);
    }
  }
}

describe('the quiet connection', () => {
  let database: TestDatabase;
  let source: DataSource;
  let quiet: QuietConnection;
  let heard: Notice[];
  const hear = (notice: Notice) => void heard.push(notice);
  const notify = (channel: string, payload: string) => source.query('SELECT pg_notify($1, $2)', [channel, payload]);
  const pid = async () => (await quiet.ask<{ pid: number }>(PID))[0]?.pid;

  beforeAll(async () => {
    database = await createTestDatabase();
    source = await createDataSource({ url: database.url, entities: [], migrations: [], poolSize: 1 }).initialize();
    await source.query('CREATE TABLE thing (id int PRIMARY KEY)');
  });
  beforeEach(() => {
    quiet = new QuietConnection(database.url, LOGGER);
    heard = [];
  });
  afterEach(() => quiet.close());
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  it('tells each listener of its channel alone, and first to look for what was announced before', async () => {
    const others: Notice[] = [];
    quiet.listen('one', hear);
    quiet.listen('other', (notice) => others.push(notice));
    await eventually(() => expect([heard[0], others[0]]).toEqual(['missed', 'missed']));
    await notify('one', 'a');
    await notify('other', 'b');
    await eventually(() => expect(others.at(-1)).toEqual({ payload: 'b' }));
    expect(heard.filter((notice) => notice !== 'missed')).toEqual([{ payload: 'a' }]);
    expect(() => quiet.listen('one', hear)).toThrow('Two listeners');
  });

  it('hears a channel that was added while it was open, and is made by the first question', async () => {
    const first = await pid();
    quiet.listen('late', hear);
    await eventually(() => expect(heard).toEqual(['missed']));
    await notify('late', 'a');
    await eventually(() => expect(heard.at(-1)).toEqual({ payload: 'a' }));
    expect(await pid()).toBe(first);
  });

  it('is made again when it is lost, says so, and refuses nothing that is asked afterwards', async () => {
    quiet.listen('one', hear);
    const first = await pid();
    await source.query('SELECT pg_terminate_backend($1, 60000)', [first]);
    await eventually(() => expect(heard).toEqual(['missed', 'missed']));
    expect(await pid()).not.toBe(first);
    await notify('one', 'a');
    await eventually(() => expect(heard.at(-1)).toEqual({ payload: 'a' }));
  });

  it('outlives a refused statement, and gives up a line that no answer comes over', async () => {
    const line = await SilencedLine.to(database.url);
    const behind = new QuietConnection(line.url, LOGGER, { answerMs: 2_000 });
    try {
      behind.listen('one', hear);
      const [first] = await behind.ask(PID);
      await expect(behind.ask('SELECT nothing')).rejects.toThrow('column "nothing" does not exist');
      expect(await behind.ask(PID)).toEqual([first]);
      line.silence();
      await expect(behind.ask(PID)).rejects.toThrow();
      await eventually(() => expect(heard).toEqual(['missed', 'missed']));
      expect(await behind.ask(PID)).not.toEqual([first]);
    } finally {
      await behind.close();
      line.close();
    }
  });

  it('ends with its last listener, and at its close for good', async () => {
    quiet.listen('one', hear);
    const first = await pid();
    await quiet.unlisten('one');
    const open = (which: number | undefined) => source.query<unknown[]>('SELECT FROM pg_stat_activity WHERE pid = $1', [which]);
    await eventually(async () => expect(await open(first)).toEqual([]));
    const second = await pid();
    await quiet.close();
    await eventually(async () => expect(await open(second)).toEqual([]));
    await expect(pid()).rejects.toThrow('closed');
  });

  it('answers who peeks while all connections of the pool are taken, and lets nobody write that way', async () => {
    const unitOfWork = new TypeOrmUnitOfWork(source, quiet);
    const answers = await unitOfWork.run(() => unitOfWork.peek(async (tx: SqlTx) => [await tx.query('SELECT 1 AS one'), await tx.prepared('SELECT $1::int AS two', [2])]));
    expect(answers).toEqual([[{ one: 1 }], [{ two: 2 }]]);
    await expect(unitOfWork.peek((tx) => tx.preparedLater('INSERT INTO thing VALUES ($1)', [1]))).rejects.toThrow('peeks');
    expect(await source.query('SELECT * FROM thing')).toEqual([]);
  });

  it('is not needed to peek: without one, as in commands, a transaction of the pool does it', async () => {
    expect(await new TypeOrmUnitOfWork(source).peek((tx) => tx.query('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });
});
