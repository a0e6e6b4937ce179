import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { eventually } from '@twinyard/testing';
import { ITEM_SETTINGS, type ItemSettings } from '../src/config';
import type { ItemService } from './item-service';

/** A line to the service's database that leads through this process and can be held: who talks on it gets no further while the test looks, however slowly that looks. */
export class HeldLine {
  private readonly clients = new Set<Socket>();
  private isHeld = false;

  private constructor(private readonly server: Server, readonly settings: Readonly<Record<string, string>>) {}

  static async open(items: ItemService): Promise<HeldLine> {
    const { DATABASE_URL, MONGO_URL } = items.part<ItemSettings>(ITEM_SETTINGS as never);
    const target = new URL(DATABASE_URL ?? MONGO_URL ?? '');
    const server = createServer((client) => line.join(client, connect(Number(target.port), target.hostname)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = new URL(target);
    address.port = String((server.address() as AddressInfo).port);
    const line: HeldLine = new HeldLine(server, { [DATABASE_URL === undefined ? 'MONGO_URL' : 'DATABASE_URL']: address.href });
    return line;
  }

  /** Holds the line when it is so; what is asked is asked while it is held. */
  holdWhen(isSo: () => Promise<boolean>): Promise<boolean> {
    return eventually(async () => {
      this.isHeld = true;
      for (const client of this.clients) client.pause();
      if (await isSo()) return true;
      this.isHeld = false;
      for (const client of this.clients) client.resume();
      return false;
    }, { everyMs: 5 });
  }

  async close(): Promise<void> {
    for (const client of this.clients) client.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket, far: Socket): void {
    this.clients.add(client);
    client.on('error', () => undefined).on('data', (said: Buffer) => far.write(said)).once('close', () => {
      this.clients.delete(client);
      far.destroy();
    });
    far.on('error', () => undefined).on('data', (said: Buffer) => client.write(said)).once('close', () => client.destroy());
    if (this.isHeld) client.pause();
  }
}
