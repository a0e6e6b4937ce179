import { setTimeout as delay } from 'node:timers/promises';

interface Connection {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

interface Shared<C> {
  readonly opened: Promise<C>;
  users: number;
}

/** After this time no further attempt is begun. */
const ASK_MS = 10_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;

/**
 * A connection that is made when it is needed and thrown away when something on it failed. A client of Kafka that has seen its broker
 * die may remember addresses, versions and sequence numbers that do not hold any more; a new one does not.
 */
export class OnDemandConnection<C extends Connection> {
  private current: Shared<C> | undefined;

  constructor(private readonly make: () => C) {}

  /**
   * For work that may be done twice: tried again while Kafka says that the error passes by itself, as when a partition has just got its
   * leader, or another one. The client does so for some of its requests only.
   */
  async ask<T>(work: (connection: C) => Promise<T>): Promise<T> {
    const until = Date.now() + ASK_MS;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      try {
        return await this.use(work);
      } catch (error) {
        if (!passesByItself(error) || Date.now() + waitMs > until) throw error;
      }
      await delay(waitMs);
    }
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

/** As the protocol's table of error codes has it; what the client has tried for long enough is not marked so. */
const passesByItself = (error: unknown) => error instanceof Error && 'retriable' in error && error.retriable === true;
