import { createDatabases } from './databases';

/** Where the services' databases are. */
export interface DatabaseServer {
  /** Address of a database. */
  url(database: string): string;
  stop(): Promise<void>;
}

/** A PostgreSQL server that somebody else runs (`POSTGRES_URL`): only the databases are made here. */
export class OutsidePostgres implements DatabaseServer {
  constructor(
    private readonly adminUrl: string,
    private readonly prefix: string,
  ) {}

  url(database: string): string {
    const url = new URL(this.adminUrl);
    url.pathname = `/${this.prefix}${database}`;
    return url.href;
  }

  /** Throws with a word on the server and none on who signs in to it. */
  async makeDatabases(names: readonly string[]): Promise<void> {
    try {
      await createDatabases(this.adminUrl, names.map((name) => this.prefix + name));
    } catch (cause) {
      const reason = cause instanceof AggregateError ? String((cause.errors[0] as Error).message) : (cause as Error).message;
      throw new Error(`POSTGRES_URL: databases cannot be made on the server at ${new URL(this.adminUrl).host}: ${reason}`, { cause });
    }
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}
