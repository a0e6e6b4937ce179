import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server as SocketServer, type Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { collectGarbage, eventually } from '@twinyard/testing';
import { type Made, NotifiedHouse } from './notified-house';

const HOSTILE = 'hostile_a1B2c3D4';
const GOOD = 'good_a1B2c3D4';
const DRIP_MS = 100;
const FOREVER_MS = 600_000;
/** Of what is held for as long as a test takes: a machine that stops for seconds does not have it tried twice. */
const PATIENT_LEASE = { DELIVERY_LEASE_MS: 15_000 };

/** Writes a byte now and then until the other side has had enough. */
function drip(stream: Writable, byte: string): void {
  const timer = setInterval(() => stream.write(byte), DRIP_MS);
  stream.once('close', () => clearInterval(timer));
}

describe('receivers that mean harm', () => {
  let house: NotifiedHouse;
  let owner: string;
  const servers: (Server | SocketServer)[] = [];
  const sockets = new Set<Socket>();

  beforeEach(async () => {
    house = await NotifiedHouse.start();
    owner = await house.passport.token('owner');
    house.passport.addUser({ id: 'owner' });
    for (const namespace of [HOSTILE, GOOD]) await house.passport.grant('owner', namespace, ['*']);
  });

  afterEach(async () => {
    sockets.forEach((socket) => socket.destroy());
    await house?.stop();
    await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  });

  const listening = async (server: Server | SocketServer) => {
    servers.push(server);
    server.on('connection', (socket: Socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };
  const http = async (listener: RequestListener) => `http://127.0.0.1:${await listening(createServer(listener))}/hook`;
  /** What it says of itself never ends. */
  const drippingHead = async () => `http://127.0.0.1:${await listening(createSocketServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nX-Long: ');
      drip(socket, 'x');
    });
  }))}/hook`;
  const watched = (namespace: string, name: string, urls: readonly string[]) => house.watch(owner, namespace, name, urls);
  const log = (namespace: string, trigger: Made) => house.logOf(owner, namespace, trigger);

  it('of one tenant keep no other tenant waiting, however many they are', async () => {
    await house.boot({ WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_DEADLINE_MS: FOREVER_MS, DELIVERY_CONCURRENCY: 8, ...PATIENT_LEASE });
    const dripping = await Promise.all(Array.from({ length: 12 }, drippingHead));
    const silent = await Promise.all(Array.from({ length: 4 }, () => http(() => undefined)));
    const held = await watched(HOSTILE, 'held.ifc', [...dripping, ...silent]);
    const told = await watched(GOOD, 'told.ifc', [await http((_, answer) => answer.writeHead(204).end())]);
    await house.upload(HOSTILE, 'held.ifc', 5);
    // Its share is taken, to the last place.
    await eventually(async () => expect((await log(HOSTILE, held)).filter(({ _attempts }) => _attempts === 1)).toHaveLength(4));
    await house.upload(GOOD, 'told.ifc', 20);
    await eventually(async () => expect((await log(GOOD, told)).filter(({ _status }) => _status === 'SENT')).toHaveLength(20));
    const ofHostile = await log(HOSTILE, held);
    expect(ofHostile.map(({ _status }) => _status)).toEqual(Array.from({ length: 80 }, () => 'SENDING'));
    expect(ofHostile.filter(({ _attempts }) => _attempts === 1)).toHaveLength(4);
  });

  it('have a deadline for the whole: a dripping head, silence, a closed door; the drops of a body change nothing', async () => {
    const settings = { WEBHOOK_ALLOW_PRIVATE: 'true', DELIVERY_ATTEMPTS: 1 };
    await house.boot({ ...settings, WEBHOOK_DEADLINE_MS: 700 });
    const closing = `http://127.0.0.1:${await listening(createSocketServer((socket) => socket.destroy()))}/hook`;
    const triggers = await Promise.all([await drippingHead(), await http(() => undefined), closing].map((url, index) => watched(HOSTILE, `${index}.ifc`, [url])));
    for (const index of triggers.keys()) await house.upload(HOSTILE, `${index}.ifc`);
    await eventually(async () => {
      // What nobody holds has no deadline.
      collectGarbage();
      const ends = await Promise.all(triggers.map(async (trigger) => (await log(HOSTILE, trigger)).map(({ _status, _error }) => [_status, _error])));
      const late = ['ERROR', 'the webhook took longer than 0.7 s'];
      expect(ends).toEqual([[late], [late], [['ERROR', expect.any(String)]]]);
    });
    // It has answered when its head is there. A machine that stops for a moment takes longer for that than 0.7 s, and what waits for the drops waits for ever here.
    await house.closeAll();
    await house.boot({ ...settings, WEBHOOK_DEADLINE_MS: FOREVER_MS });
    const endless = await watched(HOSTILE, 'endless.ifc', [await http((_, answer) => drip(answer.writeHead(200), 'x'.repeat(10)))]);
    await house.upload(HOSTILE, 'endless.ifc');
    await eventually(async () => expect((await log(HOSTILE, endless)).map(({ _status, _error }) => [_status, _error])).toEqual([['SENT', undefined]]));
  });

  it('may be the mail server itself: its mails end, and webhooks go out meanwhile', async () => {
    const port = await listening(createSocketServer((socket) => drip(socket.on('error', () => undefined), '220-wait\r\n')));
    const settings = { WEBHOOK_ALLOW_PRIVATE: 'true', SMTP_URL: `smtp://127.0.0.1:${port}`, DELIVERY_CONCURRENCY: 4, DELIVERY_ATTEMPTS: 1 };
    await house.boot({ ...settings, ...PATIENT_LEASE, MAIL_DEADLINE_MS: FOREVER_MS });
    const { group, trigger: mailed } = await house.makeTrigger(owner, HOSTILE, 'EMAIL', 'mailed.ifc');
    await house.make(owner, HOSTILE, 'subscription', { _group: { _id: group._id } });
    const told = await watched(GOOD, 'told.ifc', [await http((_, answer) => answer.writeHead(204).end())]);
    await house.upload(HOSTILE, 'mailed.ifc', 9);
    await eventually(async () => expect((await log(HOSTILE, mailed)).filter(({ _attempts }) => _attempts === 1)).toHaveLength(2));
    await house.upload(GOOD, 'told.ifc');
    await eventually(async () => expect(await log(GOOD, told)).toMatchObject([{ _status: 'SENT' }]));
    // What is under way is ended with the service, and ends by itself where the deadline is short.
    await house.closeAll();
    await house.boot({ ...settings, MAIL_DEADLINE_MS: 300, DELIVERY_LEASE_MS: 600 });
    await eventually(async () => expect(new Set((await log(HOSTILE, mailed)).map(({ _status }) => _status))).toEqual(new Set(['ERROR'])));
  });
});
