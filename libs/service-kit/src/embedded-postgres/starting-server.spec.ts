import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { waitUntilItAnswers } from './starting-server';

const SILENT_MS = 300;

/** ErrorResponse of PostgreSQL's protocol. */
function refusal(state: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${state}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

describe('waiting for a server that starts', () => {
  const real = new URL(process.env.TEST_POSTGRES_URL ?? '');
  let child: ChildProcess;
  let server: Server;
  /** A clock that the server's answers move on, and no standstill of the machine. */
  let now: number;
  beforeEach(() => {
    now = 1_000_000;
    child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1_000)'], { stdio: 'ignore' });
  });
  afterEach(async () => {
    child.kill('SIGKILL');
    await new Promise((resolve) => server.close(resolve));
  });

  async function listen(answer: (socket: Socket) => void): Promise<string> {
    server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(real);
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    return url.href;
  }

  it('goes on for as long as it says that it is starting up', async () => {
    let refused = 0;
    const url = await listen((socket) => {
      socket.on('error', () => undefined);
      if (refused < 8) return void socket.once('data', () => starting(socket));
      const onward = connect(Number(real.port), real.hostname).on('error', () => undefined);
      socket.pipe(onward).pipe(socket);
    });
    const starting = (socket: Socket) => {
      refused += 1;
      now += SILENT_MS / 2;
      socket.end(refusal('57P03', 'the database system is starting up'));
    };
    await waitUntilItAnswers({ url, child, said: [], silentMs: SILENT_MS, now: () => now });
    expect(refused).toBe(8);
    expect(child.killed).toBe(false);
  });

  it('ends one that says nothing, and tells what it wrote', async () => {
    const url = await listen((socket) => {
      now += SILENT_MS / 2;
      socket.destroy();
    });
    await expect(waitUntilItAnswers({ url, child, said: ['its last line'], silentMs: SILENT_MS, now: () => now })).rejects.toThrow('PostgreSQL did not answer within 0.3 s: its last line');
    expect(child.killed).toBe(true);
  });
});
