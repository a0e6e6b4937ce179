import type { Pool, PoolClient } from 'pg';
import { translateReadError } from './read-errors';
import type { Statement } from './statement';

/** Rows that are fetched at once. */
const FETCH = 500;
/** A row that weighs less comes with the others, so that they are 32 MB at most; a heavier one comes alone. */
const HEAVY_BYTES = 65_536;

interface CursorRow<D> {
  /** Missing where it is heavy. */
  readonly doc: D | null;
  readonly place: string;
}

/** What a cursor runs over. `from` is all behind `select … from`, the first of it the table. */
export interface CursorPlan {
  readonly table: string;
  readonly from: string;
  readonly statement: Statement;
  readonly timeoutMs: number;
}

/** One connection in a transaction that sees the database as it was at its begin, for cursors. */
export class CursorConnection {
  private opened = 0;
  private isBusy = false;
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly pool: Pool,
    private readonly client: PoolClient,
    private readonly pid: number,
  ) {}

  static async open(pool: Pool): Promise<CursorConnection> {
    const client = await pool.connect();
    try {
      await client.query('begin isolation level repeatable read read only; set local cursor_tuple_fraction = 1');
      // The snapshot is taken with the first query.
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      return new CursorConnection(pool, client, rows[0]?.pid ?? 0);
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  }

  /** A fetch at a time, when the reader wants it. */
  async *rows<D>({ table, from, statement, timeoutMs }: CursorPlan): AsyncGenerator<readonly D[], void> {
    const name = `stream_${(this.opened += 1)}`;
    await this.query(statement, `set local statement_timeout = ${timeoutMs}`);
    await this.query(statement, `declare ${name} no scroll cursor for
      select case when bytes < ${HEAVY_BYTES} then doc end as doc, ctid::text as place from ${from}`, statement.parameters);
    for (;;) {
      const rows = await this.query<CursorRow<D>>(statement, `fetch ${FETCH} from ${name}`);
      if (rows.length === 0) break;
      let light: D[] = [];
      for (const { doc, place } of rows) {
        if (doc !== null) {
          light.push(doc);
          continue;
        }
        if (light.length > 0) yield light;
        light = [];
        // The snapshot keeps the row where it is.
        yield (await this.query<{ doc: D }>(statement, `select doc from ${table} where ctid = $1::tid`, [place])).map((row) => row.doc);
      }
      if (light.length > 0) yield light;
    }
    await this.query(statement, `close ${name}`);
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    // Nobody waits for the answer any more: a long sort must not go on for it.
    if (this.isBusy) await this.pool.query('select pg_cancel_backend($1)', [this.pid]).catch(() => undefined);
    let broken: Error | undefined;
    await this.client.query('rollback').catch((lost: Error) => (broken = lost));
    this.client.release(broken);
  }

  private async query<R>(statement: Statement, sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    if (this.closing) throw new Error('The snapshot is closed');
    this.isBusy = true;
    try {
      return (await this.client.query(sql, [...parameters])).rows as R[];
    } catch (error) {
      throw translateReadError(error, statement.usesRegex);
    } finally {
      this.isBusy = false;
    }
  }
}
