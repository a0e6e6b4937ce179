import type { QueryRunner } from 'typeorm';
import { type NamedStatement, StatementBatch } from './statement-batch';

const [BEGIN, COMMIT, ROLLBACK] = ['START TRANSACTION', 'COMMIT', 'ROLLBACK'];

interface WaitingStatement extends NamedStatement {
  readonly resolve: (rows: unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

/** What of `pg` takes a batch. */
interface BatchConnection {
  query(batch: StatementBatch): unknown;
}

const nobody = () => undefined;

/**
 * The statements of one transaction, in fewer trips to the server: its beginning goes with what is asked first, what is asked at the same time goes
 * together, and what may wait goes with whatever comes next, its commit at the latest. In the order in which they were asked.
 */
export class GatheredStatements {
  /** Whether the server may have done anything that another try would do twice, or has at least been there: then its loss is told. */
  isUnderWay = false;
  private isBegun = false;
  /** Why nothing may follow: it could not begin, so that each statement would be a transaction of its own, or one failed whose answer nobody waits for. */
  private failure: { readonly error: unknown } | undefined;
  private waiting: WaitingStatement[] = [];
  private readonly plainly: QueryRunner['query'];

  constructor(private readonly runner: QueryRunner, private readonly nameOf: (text: string) => string) {
    this.plainly = runner.query.bind(runner) as QueryRunner['query'];
    // TypeORM goes this way with all that it says, of a transaction too.
    runner.query = ((text: string, ...rest: []) => this.divert(text) ?? this.afterWaiting(() => this.plainly(text, ...rest))) as QueryRunner['query'];
  }

  ask<R>(text: string, values: readonly unknown[]): Promise<R[]> {
    if (this.waiting.every(({ reject }) => reject === nobody)) queueMicrotask(() => void this.send());
    return new Promise<unknown[]>((resolve, reject) => this.waiting.push({ name: this.nameOf(text), text, values, resolve, reject })) as Promise<R[]>;
  }

  /** That it failed is told by what it goes with. */
  askLater(text: string, values: readonly unknown[]): void {
    this.waiting.push({ name: this.nameOf(text), text, values, resolve: nobody, reject: nobody });
  }

  private divert(text: string): Promise<unknown> | undefined {
    if (text === BEGIN) return Promise.resolve(this.askLater(text, []));
    if (text === COMMIT) return this.commit();
    if (text === ROLLBACK) return this.rollback();
    return undefined;
  }

  private async afterWaiting<R>(next: () => Promise<R>): Promise<R> {
    await this.send();
    if (this.failure) throw this.failure.error;
    return next();
  }

  private async commit(): Promise<void> {
    if (this.failure) throw this.failure.error;
    if (!this.isBegun && this.waiting.length <= 1) return void (this.waiting = []);
    this.isUnderWay = true;
    await this.ask(COMMIT, []);
  }

  private async rollback(): Promise<void> {
    this.waiting = [];
    if (this.isBegun) await this.plainly(ROLLBACK);
  }

  /** All that waits. Its failure is told to who waits for it, or to whoever comes next. */
  private async send(): Promise<void> {
    const batch = this.waiting.splice(0);
    if (batch.length === 0) return;
    try {
      if (this.failure) throw this.failure.error;
      const connection = (await this.runner.connect()) as BatchConnection;
      this.isBegun = true;
      const statements = new StatementBatch(batch);
      connection.query(statements);
      const answers = await statements.answers;
      this.isUnderWay = true;
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] ?? []);
    } catch (error) {
      if (!this.isUnderWay || batch.every(({ reject }) => reject === nobody)) this.failure ??= { error };
      for (const { reject } of batch) reject(error);
    }
  }
}
