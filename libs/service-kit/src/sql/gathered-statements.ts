import { asItIs, type ToldFailure } from '../tx';
import { type NamedStatement, StatementBatch } from './statement-batch';

const [BEGIN, COMMIT] = ['START TRANSACTION', 'COMMIT'];

interface WaitingStatement extends NamedStatement {
  readonly resolve: (rows: unknown[]) => void;
  readonly reject: (error: unknown) => void;
  /** What its own failure is told as. */
  readonly told: ToldFailure;
}

/** What of `pg` takes a batch. */
export interface BatchConnection {
  query(batch: StatementBatch): unknown;
}

/** How a transaction reaches its connection. */
export interface BatchParts {
  readonly connect: () => Promise<BatchConnection>;
  readonly rollBack: () => Promise<unknown>;
  /** Under which connections keep a statement, parsed and planned; empty: it is read and planned each time. */
  readonly nameOf: (text: string) => string;
  /** Hears of each statement when it is sent. */
  readonly log?: (text: string, values: readonly unknown[]) => void;
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
  /** Why nothing may follow. Where it could not begin each statement would be a transaction of its own; behind one that failed the server undoes all, and takes even a commit without a word. */
  private failure: { readonly error: unknown } | undefined;
  private waiting: WaitingStatement[] = [];
  /** What is under way. */
  private sent: Promise<void> | undefined;

  constructor(private readonly parts: BatchParts) {}

  begin(): void {
    this.askLater(BEGIN, []);
  }

  ask<R>(text: string, values: readonly unknown[], name = this.parts.nameOf(text)): Promise<R[]> {
    if (this.waiting.every(({ reject }) => reject === nobody)) queueMicrotask(() => void this.send());
    return new Promise<unknown[]>((resolve, reject) => this.waiting.push({ name, text, values, resolve, reject, told: asItIs })) as Promise<R[]>;
  }

  /** That it failed is told by what it goes with, `told` in its own words. */
  askLater(text: string, values: readonly unknown[], told: ToldFailure = asItIs): void {
    this.waiting.push({ name: this.parts.nameOf(text), text, values, resolve: nobody, reject: nobody, told });
  }

  /** What is said on the connection by another way, when all that waits and all that is under way has been answered. */
  async afterWaiting<R>(next: () => Promise<R>): Promise<R> {
    await this.send();
    if (this.failure) throw this.failure.error;
    try {
      return await next();
    } catch (error) {
      this.failure ??= { error };
      throw error;
    }
  }

  async commit(): Promise<void> {
    if (this.failure) throw this.failure.error;
    if (!this.isBegun && this.waiting.length <= 1) return void (this.waiting = []);
    this.isUnderWay = true;
    await this.ask(COMMIT, []);
  }

  async rollback(): Promise<void> {
    this.waiting = [];
    if (this.isBegun) await this.parts.rollBack();
  }

  /** All that waits, behind what is under way. */
  private send(): Promise<void> {
    const sent = this.sent === undefined ? this.sendWaiting() : this.sent.then(() => this.sendWaiting());
    this.sent = sent;
    return sent.then(() => {
      if (this.sent === sent) this.sent = undefined;
    });
  }

  /** Its failure is told to who waits for it, and to whoever comes next. */
  private async sendWaiting(): Promise<void> {
    const batch = this.waiting.splice(0);
    if (batch.length === 0) return;
    try {
      if (this.failure) throw this.failure.error;
      const answers = await this.exchange(batch);
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] ?? []);
    } catch (error) {
      this.failure ??= { error };
      for (const { reject } of batch) reject(error);
    }
  }

  private async exchange(batch: readonly WaitingStatement[]): Promise<readonly unknown[][]> {
    const connection = await this.parts.connect();
    this.isBegun = true;
    for (const { text, values } of batch) this.parts.log?.(text, values);
    const statements = new StatementBatch(batch);
    connection.query(statements);
    try {
      const answers = await statements.answers;
      this.isUnderWay = true;
      return answers;
    } catch (error) {
      throw batch[statements.failedAt]?.told(error) ?? error;
    }
  }
}
