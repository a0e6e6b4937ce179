import { createHash } from 'node:crypto';
import { unavailable } from '@twinyard/conventions';
import type { DataSource, EntityManager } from 'typeorm';
import { translateStoreError } from '../store-errors';
import { SqlTx, UnitOfWork } from '../tx';
import { GatheredStatements } from './gathered-statements';
import { hasWaitedForConnection, isRetryable, isSqlConnectionLost } from './sql-errors';

/** A transaction opened by TypeORM: repositories use `manager` for entities and `query` for plain SQL. */
export class TypeOrmTx extends SqlTx {
  constructor(readonly manager: EntityManager, private readonly gathered?: GatheredStatements) {
    super();
  }

  override query<R = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    return this.manager.query(sql, [...parameters]).then((result: unknown) => rowsOf<R>(result));
  }

  /** By the driver's own connection: TypeORM has no word for it. */
  override async prepared<R = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    if (this.gathered) return this.gathered.ask<R>(sql, parameters);
    const connection = (await this.manager.queryRunner?.connect()) as Connection | undefined;
    if (connection === undefined) return this.query<R>(sql, parameters);
    return (await connection.query<R>({ name: nameOf(sql), text: sql, values: [...parameters] })).rows;
  }

  override async preparedLater(sql: string, parameters: readonly unknown[] = []): Promise<void> {
    if (this.gathered) this.gathered.askLater(sql, parameters);
    else await this.prepared(sql, parameters);
  }

  override together<A, B, C = undefined>(first: () => Promise<A>, second: () => Promise<B>, third?: () => Promise<C>): Promise<[A, B, C]> {
    return this.gathered ? Promise.all([first(), second(), third?.() as Promise<C>]) : super.together(first, second, third);
  }
}

/** What of node-postgres is used. */
interface Connection {
  query<R>(statement: { readonly name: string; readonly text: string; readonly values: unknown[] }): Promise<{ readonly rows: R[] }>;
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
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override run<R>(work: (tx: TypeOrmTx) => Promise<R>): Promise<R> {
    return this.repeat(async (progress) => this.dataSource.transaction((manager) => {
      progress.begun = true;
      return work(new TypeOrmTx(manager));
    }));
  }

  /** As `run`, in fewer trips to the server (`GatheredStatements`): for what is done very often by prepared statements. */
  runGathered<R>(work: (tx: TypeOrmTx) => Promise<R>): Promise<R> {
    return this.repeat(async (progress) => {
      const runner = this.dataSource.createQueryRunner();
      const statements = new GatheredStatements(runner, nameOf);
      try {
        return await runner.manager.transaction((manager) => work(new TypeOrmTx(manager, statements)));
      } finally {
        progress.begun = statements.isUnderWay;
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
