import { randomBytes } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createLogger, MongoConnection } from '@twinyard/service-kit';
import { type EngineSettings, engineSettings } from './engines';

/** A database of a test's own, behind a door that can be shut. */
export interface MongoTestDatabase {
  /** By which a service finds it. */
  readonly settings: EngineSettings;
  /** Another client, as another process would have. */
  connect(): Promise<MongoConnection>;
  /** From now on nobody reaches the server. */
  shut(): Promise<void>;
  unlock(): Promise<void>;
  /** Until the answer is called, whoever is connected hears nothing from the server and it nothing from them. */
  silence(): () => void;
  drop(): Promise<void>;
}

/** Longer than a machine stands still; what is asked behind a shut door waits so long. */
const SELECT_MS = 10_000;

/** On the run's MongoDB engine, or on the one of these settings. */
export async function createMongoDatabase(settings: EngineSettings = engineSettings('mongo')): Promise<MongoTestDatabase> {
  const url = new URL(settings.MONGO_URL as string);
  const door = await Door.open(url.hostname, Number(url.port || 27_017));
  const address = new URL(url);
  address.host = `127.0.0.1:${door.port}`;
  address.pathname = `/test_${randomBytes(8).toString('hex')}`;
  // The address that a replica set knows its members by would lead past the door.
  address.searchParams.set('directConnection', 'true');
  const connections: MongoConnection[] = [];
  const open = async () => {
    const allowStandalone = settings.MONGO_ALLOW_STANDALONE === 'true';
    const connection = await MongoConnection.open({ url: address.href, allowStandalone, serverSelectionTimeoutMs: SELECT_MS }, createLogger('itemsvc', 'silent'));
    connections.push(connection);
    return connection;
  };
  return {
    settings: { ...settings, MONGO_URL: address.href },
    connect: open,
    shut: () => door.shut(),
    unlock: () => door.unlock(),
    silence: () => door.silence(),
    drop: async () => {
      await (await open()).db.dropDatabase();
      await Promise.all(connections.map((connection) => connection.close()));
      await door.shut();
    },
  };
}

/** Passes bytes on between clients and a server, until it is shut. */
class Door {
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server, readonly port: number) {}

  static async open(host: string, port: number): Promise<Door> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const door = new Door(server, (server.address() as AddressInfo).port);
    server.on('connection', (client) => door.join(client, connect(port, host)));
    return door;
  }

  async shut(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.sockets.forEach((socket) => socket.destroy());
    await closed;
  }

  async unlock(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
  }

  silence(): () => void {
    const silent = [...this.sockets];
    silent.forEach((socket) => socket.pause());
    return () => silent.forEach((socket) => socket.resume());
  }

  private join(client: Socket, server: Socket): void {
    for (const [from, to] of [[client, server], [server, client]] as const) {
      this.sockets.add(from);
      // Or each question would wait 40 ms for the acknowledgement of the last one.
      from.setNoDelay(true);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}
