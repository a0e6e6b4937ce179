import { Turn } from '@twinyard/conventions';
import { SqlTx } from '@twinyard/service-kit';
import { Client, type Pool, type PoolClient, type QueryResult } from 'pg';
import { type Deadline, READ_TIMEOUT_MS } from '../deadline';
import type { StreamQuery } from '../snapshot';
import { FetchTime } from './fetch-time';
import { translateReadError } from './read-errors';
import type { Statement } from './statement';

/** Rows that are fetched at once. */
const FETCH = 500;
/** A row that weighs less, as it is written, comes with the others, so that they are 32 MB at most; a heavier one comes alone. */
const HEAVY_BYTES = 65_536;
/** What is stored in less is light however it is written (`weighedRows`): nobody need write it to know. */
const LIGHT_BYTES = 1_024;

interface CursorRow<D> {
  /** Missing where it is heavy. */
  readonly doc: D | null;
  readonly place: string;
}

/** Rows that came together, or one that came alone. */
interface Part<D> {
  readonly light?: readonly D[];
  readonly heavy?: string;
}

/** How a row comes: read already, or as the server writes it. */
type Column = 'doc' | 'doc::text';

/** What a cursor runs over. `from` is all behind `select … from`, the first of it the table. */
export interface CursorPlan {
  readonly table: string;
  readonly from: string;
  readonly statement: Statement;
}

/** A query of a store: table, what stands behind it, condition and order. */
interface CursorSource {
  readonly table: string;
  readonly from: string;
  readonly where: string;
  readonly order: string;
}

export function cursorPlan(statement: Statement, { table, from, where, order }: CursorSource, { skip = 0, limit }: StreamQuery): CursorPlan {
  const most = limit === undefined ? '' : ` limit ${statement.bind(limit)}::bigint`;
  const first = skip === 0 ? '' : ` offset ${statement.bind(skip)}::bigint`;
  return { table, from: `${table}${from} where ${where} order by ${order}${most}${first}`, statement };
}

/** For what has to be asked beside the streams: on their own connection, since who held it and waited for another could wait for one that waits for it. Its answers are of the snapshot's moment. */
export class SnapshotTx extends SqlTx {
  constructor(private readonly ask: (sql: string, parameters: readonly unknown[]) => Promise<unknown[]>) {
    super();
  }

  override query<R>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    return this.ask(sql, parameters) as Promise<R[]>;
  }
}

/** One connection in a transaction that sees the database as it was at its begin, for cursors. */
export class CursorConnection {
  readonly tx = new SnapshotTx((sql, parameters) => this.query(sql, parameters, false));
  private opened = 0;
  private asked = 0;
  /** The end of all that was asked so far: one statement after the other. */
  private answered: Promise<unknown> = Promise.resolve();
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

  /** A heavy row is read in a turn of its own: it takes longer than others wait gladly. */
  async *rows<D>(plan: CursorPlan, deadline?: Deadline): AsyncGenerator<readonly D[], void> {
    const turn = new Turn();
    for await (const { light, heavy } of this.parts<D>('doc', plan, deadline)) {
      if (light !== undefined) yield light;
      if (heavy === undefined) continue;
      await turn.pass();
      yield [JSON.parse(heavy) as D];
    }
  }

  /** JSON of each row, as the server writes it. */
  async *texts(plan: CursorPlan, deadline?: Deadline): AsyncGenerator<readonly string[], void> {
    for await (const { light, heavy } of this.parts<string>('doc::text', plan, deadline)) {
      if (light !== undefined) yield light;
      if (heavy !== undefined) yield [heavy];
    }
  }

  /** One fetch ahead of the reader: the server works at the next rows while these are worked at. */
  private async *parts<D>(column: Column, { table, from, statement }: CursorPlan, deadline: Deadline | undefined): AsyncGenerator<Part<D>, void> {
    const { usesRegex } = statement;
    const time = new FetchTime(usesRegex, deadline);
    const name = `stream_${(this.opened += 1)}`;
    await this.query(`set local statement_timeout = ${time.leftMs()}`, [], usesRegex);
    await this.query(`declare ${name} no scroll cursor for
      select case when bytes < ${LIGHT_BYTES} then ${column} when bytes < ${HEAVY_BYTES} then case when octet_length(doc::text) < ${HEAVY_BYTES} then ${column} end end as doc, ctid::text as place from ${from}`, statement.parameters, usesRegex);
    const fetch = () => {
      const fetched = this.fetch<D>(name, time, usesRegex);
      // A reader that has left waits for no answer.
      fetched.catch(() => undefined);
      return fetched;
    };
    for (let ahead = fetch(); ;) {
      const rows = await ahead;
      if (this.closing) throw closed();
      if (rows.length === 0) break;
      ahead = rows.length < FETCH ? Promise.resolve([]) : fetch();
      let light: D[] = [];
      for (const { doc, place } of rows) {
        if (doc !== null) {
          light.push(doc);
          continue;
        }
        if (light.length > 0) yield { light };
        light = [];
        // The snapshot keeps the row where it is.
        const [row] = await this.query<{ text: string }>(`select doc::text as text from ${table} where ctid = $1::tid`, [place], false);
        if (row !== undefined) yield { heavy: row.text };
      }
      if (light.length > 0) yield { light };
    }
    await this.query(`close ${name}`, [], false);
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  /** Nobody waits for an answer any more: a long sort must not go on for it. One that cannot be cancelled goes with its connection. */
  private async end(): Promise<void> {
    let broken = this.asked > 0 ? await cancel(this.pool, this.pid) : undefined;
    if (broken === undefined) await this.answered.then(() => this.client.query('rollback')).catch((lost: Error) => (broken = lost));
    this.client.release(broken);
  }

  private async fetch<D>(name: string, time: FetchTime, usesRegex: boolean): Promise<readonly CursorRow<D>[]> {
    const [, fetched, worked] = await this.several(`set local statement_timeout = ${time.leftMs()}; fetch ${FETCH} from ${name}; ${WORKED}`, usesRegex);
    time.add((worked?.rows as readonly { readonly ms: number }[] | undefined)?.[0]?.ms ?? 0);
    return (fetched?.rows ?? []) as readonly CursorRow<D>[];
  }

  private async query<R>(sql: string, parameters: readonly unknown[], usesRegex: boolean): Promise<R[]> {
    return (await this.ask(sql, parameters, usesRegex)).rows as R[];
  }

  /** What `pg` answers to statements that go to the server as one text; its types speak of one. */
  private async several(sql: string, usesRegex: boolean): Promise<readonly QueryResult[]> {
    return (await this.ask(sql, [], usesRegex)) as unknown as readonly QueryResult[];
  }

  private async ask(sql: string, parameters: readonly unknown[], usesRegex: boolean): Promise<QueryResult> {
    if (this.closing) throw closed();
    this.asked += 1;
    const answer = this.answered.then(() => {
      if (this.closing) throw closed();
      return this.client.query(sql, [...parameters]);
    });
    this.answered = answer.catch(() => undefined);
    try {
      return await answer;
    } catch (error) {
      throw translateReadError(error, usesRegex);
    } finally {
      this.asked -= 1;
    }
  }
}

/** How long the server has worked at the statements before it in the same text (`statement_timestamp` is when the text came), of which each has a time limit of its own; what follows has the plain one again. */
const WORKED = `select extract(epoch from clock_timestamp() - statement_timestamp())::float8 * 1000 as ms, set_config('statement_timeout', '${READ_TIMEOUT_MS}', true)`;

/** Over a connection outside of the pool, whose places may all be held by those that want to leave. What it failed with is the answer. */
async function cancel(pool: Pool, pid: number): Promise<Error | undefined> {
  const client = new Client(pool.options);
  // Its end is of no interest; unheard, it would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select pg_cancel_backend($1)', [pid]);
    return undefined;
  } catch (error) {
    return error as Error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const closed = () => new Error('The snapshot is closed');
