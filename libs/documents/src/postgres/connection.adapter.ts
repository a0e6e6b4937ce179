import { GatheredStatements, isRetryable, SqlTx, type ToldFailure, translateStoreError } from '@twinyard/service-kit';
import { Pool, type PoolClient } from 'pg';
import type { SortSpace } from '../aggregation/sorts/sort-space';
import { READ_TIMEOUT_MS, REGEX_TIMEOUT_MS } from '../deadline';
import type { DocumentTx } from '../document-store';
import { CopyIn } from './copy-in.adapter';
import { CursorConnection } from './cursor-connection.adapter';
import { CONNECTION_SECONDS, KeptStatements } from './kept-statements';
import { translateReadError } from './read-errors';
import type { Statement } from './statement';
import { TextRead } from './text-read.adapter';
import { translateRefusal, translateWriteError } from './write-errors';

/** Its statements are gathered: a small write takes as many trips to the server as it has questions. */
class PgTx extends SqlTx {
  constructor(private readonly client: PoolClient, private readonly statements: GatheredStatements) {
    super();
  }

  /** One without parameters may be several. */
  override query<R>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    if (parameters.length > 0) return this.statements.ask<R>(sql, parameters, UNNAMED);
    return this.statements.afterWaiting(async () => (await this.client.query(sql)).rows as R[]);
  }

  override prepared<R>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    return this.statements.ask<R>(sql, parameters);
  }

  override async preparedLater(sql: string, parameters: readonly unknown[] = [], told?: ToldFailure): Promise<void> {
    this.statements.askLater(sql, parameters, told);
  }

  override together<A, B, C = undefined>(first: () => Promise<A>, second: () => Promise<B>, third?: () => Promise<C>): Promise<[A, B, C]> {
    return Promise.all([first(), second(), third?.() as Promise<C>]);
  }

  copyIn(sql: string, rows: Buffer): Promise<void> {
    return this.statements.afterWaiting(() => this.client.query(new CopyIn(sql, rows)).done);
  }
}

const UNNAMED = '';

/** A connection is a process of the server: what a burst opened is soon given back. */
const IDLE_MS = 2_000;
const MAX_ATTEMPTS = 4;

export interface ConnectionOptions {
  readonly url: string;
  readonly maxConnections?: number;
  /** What an answer weighs at most. */
  readonly answerBytes?: number;
  /** The disk that pipelines sort on. */
  readonly sortSpace?: SortSpace;
}

/** The pool, transactions, and reads under a time limit. */
export class PgConnection {
  private readonly pool: Pool;
  private readonly kept = new KeptStatements();

  constructor({ url, maxConnections = 10 }: ConnectionOptions) {
    this.pool = new Pool({ connectionString: url, max: maxConnections, idleTimeoutMillis: IDLE_MS, maxLifetimeSeconds: CONNECTION_SECONDS, statement_timeout: READ_TIMEOUT_MS });
    // An idle connection that the server closes; the next query opens another.
    this.pool.on('error', () => undefined);
    // One that goes while it waits for its owner: the next statement on it is refused. Unheard, it would end the process.
    this.pool.on('connect', (client) => client.on('error', () => undefined));
  }

  close(): Promise<void> {
    return this.pool.end();
  }

  async transaction<T>(work: (tx: SqlTx) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.attempt(work);
      } catch (error) {
        if (attempt < MAX_ATTEMPTS && isRetryable(error)) continue;
        throw translateStoreError(error);
      }
    }
  }

  /** A read, in the caller's transaction when there is one. */
  read<R>(sql: string, statement: Statement, tx?: DocumentTx): Promise<R[]> {
    if (!tx && !statement.usesRegex) return this.plainRead<R>(sql, statement);
    if (!statement.usesRegex) return statement.byKey ? asSqlTx(tx as DocumentTx).prepared<R>(sql, statement.parameters) : asSqlTx(tx as DocumentTx).query<R>(sql, statement.parameters);
    return tx ? readLimited<R>(asSqlTx(tx), sql, statement) : this.transaction((own) => readLimited<R>(own, sql, statement));
  }

  async write<R>(tx: DocumentTx, sql: string, parameters: readonly unknown[]): Promise<R[]> {
    try {
      return await asSqlTx(tx).query<R>(sql, parameters);
    } catch (error) {
      throw translateWriteError(error);
    }
  }

  /** As `write`, for a statement that is often run with this very text. */
  async writeOften<R>(tx: DocumentTx, sql: string, parameters: readonly unknown[]): Promise<R[]> {
    try {
      return await asSqlTx(tx).prepared<R>(sql, parameters);
    } catch (error) {
      throw translateWriteError(error);
    }
  }

  /** As `writeOften`, with the next statement or the commit: for what nobody needs an answer of. These fail as it would have. */
  writeLater(tx: DocumentTx, sql: string, parameters: readonly unknown[]): Promise<void> {
    return asSqlTx(tx).preparedLater(sql, parameters, translateRefusal);
  }

  /** Whether a transaction can copy rows in: one that another library opened runs statements alone. */
  canCopyIn(tx: DocumentTx): boolean {
    return tx instanceof PgTx;
  }

  async copyIn(tx: DocumentTx, sql: string, rows: Buffer): Promise<void> {
    if (!(tx instanceof PgTx)) throw new Error('Rows are copied in by a transaction of this store');
    try {
      await tx.copyIn(sql, rows);
    } catch (error) {
      throw translateWriteError(error);
    }
  }

  /** Of the same pool; given back by `close`. */
  async cursors(): Promise<CursorConnection> {
    try {
      return await CursorConnection.open(this.pool);
    } catch (error) {
      throw translateStoreError(error);
    }
  }

  private async plainRead<R>(text: string, { parameters, byKey }: Statement): Promise<R[]> {
    const name = byKey ? this.kept.nameOf(text) : undefined;
    try {
      // The pool resolves with what its statement gives to `callback`; its type speaks of a client, which gives back the statement.
      if (byKey && TextRead.canBind(parameters)) return await (this.pool.query(new TextRead(text, parameters, byKey, name)) as unknown as Promise<R[]>);
      return (await this.pool.query({ text, values: parameters, ...(name !== undefined && { name }) })).rows as R[];
    } catch (error) {
      throw translateReadError(error, false);
    }
  }

  private async attempt<T>(work: (tx: SqlTx) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    const statements = new GatheredStatements({
      connect: async () => client, rollBack: () => client.query('rollback'), nameOf: (text) => this.kept.nameOf(text) ?? UNNAMED,
    });
    let broken: Error | undefined;
    try {
      statements.begin();
      const result = await work(new PgTx(client, statements));
      await statements.commit();
      return result;
    } catch (error) {
      await statements.rollback().catch((lost: Error) => (broken = lost));
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

/** Any transaction of the same database will do, whichever library opened it. */
function asSqlTx(tx: DocumentTx): SqlTx {
  if (tx instanceof SqlTx) return tx;
  throw new Error('The PostgreSQL document store needs a transaction of PostgreSQL');
}

async function readLimited<R>(tx: SqlTx, sql: string, statement: Statement): Promise<R[]> {
  const [before] = await tx.query<{ timeout: string }>(`select current_setting('statement_timeout') as timeout`);
  await tx.query(`select set_config('statement_timeout', $1, true)`, [`${REGEX_TIMEOUT_MS}`]);
  try {
    const rows = await tx.query<R>(sql, statement.parameters);
    await tx.query(`select set_config('statement_timeout', $1, true)`, [before?.timeout ?? '0']);
    return rows;
  } catch (error) {
    const translated = translateReadError(error, true);
    // What is worth another try is left as the transaction knows it.
    throw isRetryable(error) ? error : translated;
  }
}
