import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A line to a server, on which one can see who is connected, and which can be absent. */
export class Line {
  private readonly clients = new Set<Socket>();
  private readonly server: Server;
  private port = 0;

  constructor(private readonly target: URL) {
    this.server = createServer((client) => this.join(client));
  }

  /** Where the line begins; it stays the same when the line is opened again. */
  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get connections(): number {
    return this.clients.size;
  }

  async open(): Promise<this> {
    await once(this.server.listen(this.port, '127.0.0.1'), 'listening');
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const client of this.clients) client.destroy();
    await closed;
  }

  private join(client: Socket): void {
    const far = connect(Number(this.target.port), this.target.hostname);
    this.clients.add(client);
    client.once('close', () => {
      this.clients.delete(client);
      far.destroy();
    });
    far.once('close', () => client.destroy());
    for (const end of [client, far]) end.on('error', () => undefined);
    client.pipe(far).pipe(client);
  }
}
