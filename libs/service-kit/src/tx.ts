/**
 * A transaction in progress. Only a unit of work makes one, so a write that takes a `Tx` cannot run outside of it.
 */
export abstract class Tx {
  /** Keeps a look-alike object from being taken for a transaction. */
  protected readonly brand = 'Tx' as const;
}

/** Makes of an error of a database what it means to its caller. */
export type ToldFailure = (error: unknown) => unknown;
export const asItIs: ToldFailure = (error) => error;

/** A transaction of a PostgreSQL database, whichever library opened it. */
export abstract class SqlTx extends Tx {
  /** Runs one statement with positional parameters (`$1` …) inside the transaction and returns its rows. */
  abstract query<R = Record<string, unknown>>(sql: string, parameters?: readonly unknown[]): Promise<R[]>;

  /**
   * As `query`, for a statement that runs very often and whose text is always the same: each connection has the server parse and plan it
   * once, where the library can. Not for one whose best plan depends on the values.
   */
  prepared<R = Record<string, unknown>>(sql: string, parameters?: readonly unknown[]): Promise<R[]> {
    return this.query<R>(sql, parameters);
  }

  /**
   * As `prepared`, for a statement that nobody needs an answer of: where the library can, it goes with the next one, or with the commit, which then fails with it.
   * `told`: what its own failure is to whoever hears of it there.
   */
  async preparedLater(sql: string, parameters?: readonly unknown[], told: ToldFailure = asItIs): Promise<void> {
    try {
      await this.prepared(sql, parameters);
    } catch (error) {
      throw told(error);
    }
  }

  /** Prepared statements that do not wait for each other's answers. They are done in this order; where the library can, they go to the server together. */
  async together<A, B, C = undefined>(first: () => Promise<A>, second: () => Promise<B>, third?: () => Promise<C>): Promise<[A, B, C]> {
    return [await first(), await second(), (await third?.()) as C];
  }
}

/**
 * Makes transactions. `run` commits when `work` resolves and rolls back when it throws. `work` may run twice (a
 * serialization failure or a deadlock is tried again), so ids and times are made before it.
 */
export abstract class UnitOfWork<T extends Tx = SqlTx> {
  abstract run<R>(work: (tx: T) => Promise<R>): Promise<R>;

  /** For a small question that is asked again and again, at rest too: it reads only, and where it can it costs neither a transaction nor a connection of the pool. */
  peek<R>(work: (tx: T) => Promise<R>): Promise<R> {
    return this.run(work);
  }
}
