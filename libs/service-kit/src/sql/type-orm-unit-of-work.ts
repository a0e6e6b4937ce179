import { createHash } from 'node:crypto';
import { unavailable } from '@twinyard/conventions';
import type { DataSource, EntityManager } from 'typeorm';
import { translateStoreError } from '../store-errors';
import { SqlTx, type ToldFailure, UnitOfWork } from '../tx';
import { gather } from './gathered-runner';
import type { GatheredStatements } from './gathered-statements';
import type { QuietConnection } from './quiet-connection';
import { hasWaitedForConnection, isRetryable, isSqlConnectionLost } from './sql-errors';

/** A transaction opened by TypeORM: repositories use `manager` for entities and `query` for plain SQL. Its statements are gathered. */
export class TypeOrmTx extends SqlTx {
  constructor(readonly manager: EntityManager, private readonly gathered: Pick<GatheredStatements, 'ask' | 'askLater'>) {
    super();
  }

  /** One without parameters may be several. */
  override query<R = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    if (parameters.length > 0) return this.gathered.ask<R>(sql, parameters, UNNAMED);
    return this.manager.query(sql).then((result: unknown) => rowsOf<R>(result));
  }

  override prepared<R = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    return this.gathered.ask<R>(sql, parameters);
  }

  override async preparedLater(sql: string, parameters: readonly unknown[] = [], told?: ToldFailure): Promise<void> {
    this.gathered.askLater(sql, parameters, told);
  }

  override together<A, B, C = undefined>(first: () => Promise<A>, second: () => Promise<B>, third?: () => Promise<C>): Promise<[A, B, C]> {
    return Promise.all([first(), second(), third?.() as Promise<C>]);
  }
}

const UNNAMED = '';

/** Of one that only asks: each statement is a transaction by itself, and goes over the quiet connection. What needs `manager` is not for it. */
class PeekingTx extends TypeOrmTx {
  constructor(manager: EntityManager, private readonly quiet: QuietConnection) {
    super(manager, { ask: (sql, parameters) => quiet.ask(sql, parameters), askLater: () => mustNotWrite() });
  }

  override query<R = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    return this.quiet.ask<R>(sql, parameters);
  }
}

function mustNotWrite(): never {
  throw new Error('Whoever peeks writes nothing');
}

/** With positional parameters (`$1` …); its text is always the same. */
export interface SqlStatement {
  readonly sql: string;
  readonly parameters?: readonly unknown[];
}

interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/** What of node-postgres is used. */
interface Connection {
  query<R>(statement: Statement): Promise<{ readonly rows: R[] }>;
  end(): Promise<void>;
}

/** The pool gets no connection back that is lost and does not know it yet. */
async function answerOf<R>(connection: Connection, statement: Statement): Promise<R[]> {
  try {
    return (await connection.query<R>(statement)).rows;
  } catch (error) {
    if (isSqlConnectionLost(error)) connection.end().catch(() => undefined);
    throw error;
  }
}

const names = new Map<string, string>();

/** The same for the same text, in every process. */
function nameOf(sql: string): string {
  const known = names.get(sql);
  if (known !== undefined) return known;
  const name = createHash('sha256').update(sql).digest('base64url');
  names.set(sql, name);
  return name;
}

/** TypeORM answers `[rows, count]` to UPDATE and DELETE, and rows to all else. */
function rowsOf<R>(result: unknown): R[] {
  if (!Array.isArray(result)) return [];
  const isPair = result.length === 2 && Array.isArray(result[0]) && typeof result[1] === 'number';
  return (isPair ? result[0] : result) as R[];
}

const MAX_ATTEMPTS = 4;

export class TypeOrmUnitOfWork extends UnitOfWork<TypeOrmTx> {
  /** Without a quiet connection, as in commands, who peeks takes one of the pool. */
  constructor(private readonly dataSource: DataSource, private readonly quiet?: QuietConnection) {
    super();
  }

  override peek<R>(work: (tx: TypeOrmTx) => Promise<R>): Promise<R> {
    return this.quiet === undefined ? this.run(work) : work(new PeekingTx(this.dataSource.manager, this.quiet));
  }

  /** In as few trips to the server as it has questions (`GatheredStatements`). */
  override run<R>(work: (tx: TypeOrmTx) => Promise<R>): Promise<R> {
    return this.repeat(async (progress) => {
      const runner = this.dataSource.createQueryRunner();
      const statements = gather(runner, nameOf);
      try {
        return await runner.manager.transaction((manager) => work(new TypeOrmTx(manager, statements)));
      } finally {
        progress.begun = statements.isUnderWay;
        await runner.release();
      }
    });
  }

  /**
   * A statement that is a transaction by itself: one trip to the server, where `run` takes a second one to commit. To be done twice must come to the
   * same: whether a lost connection had done it nobody knows, and it is asked on another.
   */
  askRepeatable<R = Record<string, unknown>>(sql: string, parameters: readonly unknown[]): Promise<R[]> {
    return this.repeat(async () => {
      const runner = this.dataSource.createQueryRunner();
      try {
        const connection = (await runner.connect()) as Connection;
        return await answerOf<R>(connection, { name: nameOf(sql), text: sql, values: [...parameters] });
      } finally {
        await runner.release();
      }
    });
  }

  /**
   * Statements that are a transaction by themselves, in this order, their commit behind the last: one trip to the server, so that none of their locks
   * waits for this process. The rows of each.
   */
  runTogether(statements: readonly SqlStatement[]): Promise<Record<string, unknown>[][]> {
    return this.repeat(async (progress) => {
      const runner = this.dataSource.createQueryRunner();
      const gathered = gather(runner, nameOf);
      try {
        gathered.begin();
        const answers = statements.map(({ sql, parameters = [] }) => gathered.ask<Record<string, unknown>>(sql, parameters));
        const [rows] = await Promise.all([Promise.all(answers), gathered.commit()]);
        return rows;
      } catch (error) {
        await gathered.rollback().catch(() => undefined);
        throw error;
      } finally {
        progress.begun = gathered.isUnderWay;
        await runner.release();
      }
    });
  }

  private async repeat<R>(transaction: (progress: { begun: boolean }) => Promise<R>): Promise<R> {
    for (let attempt = 1; ; attempt += 1) {
      const progress = { begun: false };
      try {
        return await transaction(progress);
      } catch (error) {
        // A pooled connection that turns out to be dead before anything was done with it costs nothing but another one.
        const harmless = isRetryable(error) || (!progress.begun && isSqlConnectionLost(error) && !hasWaitedForConnection(error));
        if (attempt < MAX_ATTEMPTS && harmless) continue;
        throw isRetryable(error) ? unavailable('Others are changing the same right now', error) : translateStoreError(error);
      }
    }
  }
}
