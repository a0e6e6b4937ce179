interface Connection {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

/**
 * A connection that is made when it is needed and thrown away when something on it failed. A client of Kafka that has seen its broker
 * die may remember addresses, versions and sequence numbers that do not hold any more; a new one does not.
 */
export class OnDemandConnection<C extends Connection> {
  private current: Promise<C> | undefined;

  constructor(private readonly make: () => C) {}

  async use<T>(work: (connection: C) => Promise<T>): Promise<T> {
    this.current ??= this.open();
    const used = this.current;
    try {
      return await work(await used);
    } catch (error) {
      if (this.current === used) this.current = undefined;
      void disconnect(used);
      throw error;
    }
  }

  async close(): Promise<void> {
    const used = this.current;
    this.current = undefined;
    if (used) await disconnect(used);
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
