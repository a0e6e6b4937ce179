import { ASK_MS, askAgain } from './ask-again';

interface Connection {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

interface Shared<C> {
  readonly opened: Promise<C>;
  users: number;
}

/**
 * A connection that is made when it is needed and thrown away when something on it failed. A client of Kafka that has seen its broker
 * die may remember addresses, versions and sequence numbers that do not hold any more; a new one does not.
 */
export class OnDemandConnection<C extends Connection> {
  private current: Shared<C> | undefined;

  constructor(private readonly make: () => C) {}

  /** For work that may be done twice: done again while its errors pass by themselves. */
  ask<T>(work: (connection: C) => Promise<T>, withinMs = ASK_MS): Promise<T> {
    return askAgain(() => this.use(work), withinMs);
  }

  async use<T>(work: (connection: C) => Promise<T>): Promise<T> {
    const used = (this.current ??= { opened: this.open(), users: 0 });
    used.users += 1;
    try {
      return await work(await used.opened);
    } catch (error) {
      if (this.current === used) this.current = undefined;
      throw error;
    } finally {
      used.users -= 1;
      // What others have under way on it may still succeed.
      if (this.current !== used && used.users === 0) void disconnect(used.opened);
    }
  }

  async close(): Promise<void> {
    const used = this.current;
    this.current = undefined;
    if (used) await disconnect(used.opened);
  }

  private async open(): Promise<C> {
    const connection = this.make();
    try {
      await connection.connect();
    } catch (error) {
      await connection.disconnect().catch(() => undefined);
      throw error;
    }
    return connection;
  }
}

const disconnect = (opened: Promise<Connection>) => opened.then((connection) => connection.disconnect()).catch(() => undefined);
