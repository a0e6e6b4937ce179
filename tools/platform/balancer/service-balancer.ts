import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

const HOST = '127.0.0.1';
/** On one machine a process that lives answers at once; one that is stopped in a debugger is passed over. */
const CONNECT_WITHIN_MS = 2_000;

/**
 * One address in front of the replicas of a service, as a Kubernetes Service is: each new connection goes to the next replica, one that does
 * not take it is passed over, and what travels on it is nobody's business here. A connection stays with its replica until either end closes it.
 */
export class ServiceBalancer {
  private readonly open = new Set<Socket>();
  private turn = 0;

  private constructor(
    private readonly server: Server,
    private readonly replicas: readonly number[],
  ) {
    server.on('connection', (client) => void this.serve(client));
  }

  /** `replicas`: ports on this machine. */
  static async start(port: number, replicas: readonly number[]): Promise<ServiceBalancer> {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, HOST, resolve);
    });
    return new ServiceBalancer(server, replicas);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.open) socket.resetAndDestroy();
    await closed;
  }

  private async serve(client: Socket): Promise<void> {
    this.keep(client);
    const replica = await this.reach(client);
    if (replica === undefined) {
      client.resetAndDestroy(); // what a closed port would have done
      return;
    }
    this.keep(replica);
    join(client, replica);
    join(replica, client);
    client.resume();
  }

  private async reach(client: Socket): Promise<Socket | undefined> {
    const first = this.turn++;
    for (let offset = 0; offset < this.replicas.length && !client.destroyed; offset += 1) {
      const socket = await connectTo(this.replicas[(first + offset) % this.replicas.length] ?? 0);
      if (socket !== undefined && !client.destroyed) return socket;
      socket?.destroy();
    }
    return undefined;
  }

  private keep(socket: Socket): void {
    this.open.add(socket);
    socket.on('error', () => undefined); // `close` follows and says so to the other side
    socket.once('close', () => this.open.delete(socket));
    if (socket.destroyed) this.open.delete(socket);
  }
}

function connectTo(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: HOST, allowHalfOpen: true, noDelay: true });
    const giveUp = () => {
      socket.destroy();
      resolve(undefined);
    };
    socket.setTimeout(CONNECT_WITHIN_MS, giveUp);
    socket.once('error', giveUp);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', giveUp);
      resolve(socket);
    });
  });
}

/** Bytes and the end of them go on; a connection that breaks breaks the other one too, so that a replica's death is seen at once. */
function join(from: Socket, to: Socket): void {
  from.pipe(to);
  from.once('close', (broken) => (broken || !from.readableEnded ? to.resetAndDestroy() : to.destroySoon()));
  if (from.destroyed) to.destroy();
}
