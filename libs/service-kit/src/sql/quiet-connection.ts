import { doubledWait } from '@twinyard/conventions';
import { Client, DatabaseError } from 'pg';
import type { Logger } from '../logging/logger';

const RETRY = { firstMs: 100, longestMs: 5_000 };
const CONNECT_MS = 15_000;
/** What is asked here is small: a line on which it is answered no sooner is taken for dead. */
const ANSWER_MS = 15_000;

/** Each finds what it asks for by an index. A table that rows rush through looks small to the planner, or full of what is gone: it would read all of it. */
const BY_INDEX = 'SET enable_seqscan = off; SET enable_bitmapscan = off';

/** What was sent with a notice, or that some may have been missed since nobody listened. */
export type Notice = { readonly payload: string } | 'missed';
export type NoticeListener = (notice: Notice) => void;

/**
 * The one connection of a process that its requests never use. It hears what any process announces (`NOTIFY`), and answers the small questions that a
 * process at rest asks now and then: the pool closes what rests, so that each of those would make a connection, with a process of the server and a
 * handshake that costs both sides milliseconds. It is made with the first channel or question, and made again when it is lost.
 */
export class QuietConnection {
  private readonly listeners = new Map<string, NoticeListener>();
  private opening: Promise<Client> | undefined;
  /** Once it is open, until its end. */
  private client: Client | undefined;
  private retry: NodeJS.Timeout | undefined;
  private failures = 0;
  private isClosed = false;
  /** One statement after the other. */
  private turn: Promise<unknown> = Promise.resolve();
  private readonly answerMs: number;

  constructor(private readonly url: string, private readonly logger: Logger, options: { readonly answerMs?: number } = {}) {
    this.answerMs = options.answerMs ?? ANSWER_MS;
  }

  /** From now on `listener` is told of each notice of the channel, and with `'missed'` at first and after each loss of the connection. One for a channel. */
  listen(channel: string, listener: NoticeListener): void {
    if (this.listeners.has(channel)) throw new Error(`Two listeners on the channel ${channel}`);
    this.listeners.set(channel, listener);
    if (this.opening === undefined) this.keepOpen();
    else this.ask(listenTo(channel)).then(() => this.tell(channel, 'missed'), () => this.keepOpen());
  }

  /** The listener of the channel is told nothing more. With the last one the connection ends; a question makes another. */
  async unlisten(channel: string): Promise<void> {
    this.listeners.delete(channel);
    if (this.listeners.size === 0) await this.end();
  }

  /** The rows of one statement, a transaction by itself, with positional parameters. @throws Error of the database, or of a line that is lost */
  ask<R = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    const answer = this.turn.then(() => this.answer<R>(sql, parameters));
    this.turn = answer.catch(() => undefined);
    return answer;
  }

  private async answer<R>(sql: string, parameters: readonly unknown[]): Promise<R[]> {
    const client = await this.open();
    try {
      return (await client.query(sql, [...parameters])).rows as R[];
    } catch (error) {
      // What was not answered is still under way there, and what comes next would wait for it.
      if (!(error instanceof DatabaseError)) client.end().catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.end();
  }

  private async end(): Promise<void> {
    clearTimeout(this.retry);
    const client = await this.opening?.catch(() => undefined);
    if (client === undefined) return;
    this.opening = this.client = undefined;
    await client.end().catch(() => undefined);
  }

  private open(): Promise<Client> {
    if (this.isClosed) return Promise.reject(new Error('The quiet connection is closed'));
    this.opening ??= this.connect();
    return this.opening;
  }

  private async connect(): Promise<Client> {
    const { url: connectionString, answerMs } = this;
    const client = new Client({ connectionString, keepAlive: true, connectionTimeoutMillis: CONNECT_MS, query_timeout: answerMs, statement_timeout: answerMs });
    let cause: Error | undefined;
    client.on('error', (error) => (cause = error)); // its end follows
    client.on('notification', ({ channel, payload = '' }) => this.tell(channel, { payload }));
    try {
      await client.connect();
      await client.query(BY_INDEX);
      for (const channel of this.listeners.keys()) await client.query(listenTo(channel));
    } catch (error) {
      this.opening = undefined;
      client.end().catch(() => undefined);
      throw error;
    }
    client.once('end', () => this.lost(client, cause));
    this.client = client;
    this.failures = 0;
    for (const channel of this.listeners.keys()) this.tell(channel, 'missed');
    return client;
  }

  private lost(client: Client, cause: Error | undefined): void {
    if (this.client !== client) return;
    this.opening = this.client = undefined;
    if (this.listeners.size > 0) this.retryLater(cause);
  }

  private keepOpen(): void {
    this.open().catch((error: unknown) => this.retryLater(error));
  }

  private retryLater(err: unknown): void {
    if (this.isClosed) return;
    const waitMs = doubledWait(RETRY, this.failures);
    this.failures += 1;
    this.logger.warn({ err, waitMs }, 'notices of the database are not heard right now');
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.keepOpen(), waitMs).unref();
  }

  private tell(channel: string, notice: Notice): void {
    this.listeners.get(channel)?.(notice);
  }
}

const listenTo = (channel: string) => `LISTEN ${channel}`;
