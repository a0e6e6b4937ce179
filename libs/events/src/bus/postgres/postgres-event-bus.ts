import type { Logger } from '@twinyard/service-kit';
import { type ClientBase, Pool } from 'pg';
import { type BusMessage, type BusStatistics, type Consumer, type DeadLetter, type DeadLetterFilter, EventBus, type Subscription } from '../event-bus';
import { DeadLetters, REPLAY } from './dead-letters';
import { CHANNEL, EventLog } from './event-log';
import { prepareEventLog } from './event-log-tables';
import { GroupPositions } from './group-positions';
import { PostgresConsumer } from './postgres-consumer';

export interface PostgresEventBusOptions {
  /** The one database that all services share; NOTIFY does not cross databases. */
  readonly url: string;
  /** Taken at the first start of the log only. */
  readonly partitions?: number;
  /** After this time another consumer of the group takes over a partition from one that is alive and gets no event done. */
  readonly leaseMs?: number;
  /** After this time it takes over from one that gives no sign of life. */
  readonly sessionMs?: number;
  /** Longest time between two looks at the log, should a notice get lost. */
  readonly idleMs?: number;
  /** Events are kept at least this long. */
  readonly retentionMs?: number;
  readonly logger?: Logger;
}

const DAY_MS = 86_400_000;
const LEASE_MS = 30_000;
const SESSION_MS = 3_000;

/** Notices wake consumers; this is for one that got lost, for a retry that fell due and for what a dead consumer left behind. */
const IDLE_MS = 5_000;

/** The event log in PostgreSQL. One connection a process, which works and listens: notices come between two statements. */
export class PostgresEventBus extends EventBus {
  private readonly pool: Pool;
  private readonly log: EventLog;
  private readonly letters: DeadLetters;
  private readonly consumers = new Set<PostgresConsumer>();
  private partitions: number | undefined;

  constructor(private readonly options: PostgresEventBusOptions) {
    super();
    this.pool = new Pool({
      connectionString: options.url, max: 1, connectionTimeoutMillis: 10_000, idleTimeoutMillis: 0, statement_timeout: 30_000, keepAlive: true,
      onConnect: (client) => this.listen(client),
    });
    this.pool.on('error', (error) => options.logger?.warn({ err: error }, 'the connection to the event log was lost'));
    // While the tables are made nobody else hears of it.
    this.pool.on('connect', (client) => client.on('error', () => undefined));
    // It is replaced by the next query, which the consumers make at once, since nobody listens until then.
    this.pool.on('remove', () => this.notice(REPLAY));
    this.log = new EventLog(this.pool);
    this.letters = new DeadLetters(this.pool);
  }

  override async start(): Promise<void> {
    await this.layout();
  }

  override async publish(messages: readonly BusMessage[]): Promise<void> {
    if (messages.length > 0) await this.log.append(messages, await this.layout());
  }

  override async subscribe(subscription: Subscription): Promise<Consumer> {
    const { leaseMs = LEASE_MS } = this.options;
    const sessionMs = Math.min(leaseMs, this.options.sessionMs ?? SESSION_MS);
    const positions = new GroupPositions(this.pool, subscription.group, sessionMs);
    await positions.join(subscription.topics, await this.layout());
    await positions.leave(subscription.left ?? []);
    const consumer = new PostgresConsumer(subscription, {
      log: this.log,
      positions,
      deadLetters: this.letters,
      leaseMs,
      sessionMs,
      idleMs: this.options.idleMs ?? IDLE_MS,
      ...(this.options.logger && { logger: this.options.logger }),
      onStop: (stopped) => this.consumers.delete(stopped),
    });
    this.consumers.add(consumer);
    return consumer;
  }

  override deadLetters(filter: DeadLetterFilter): Promise<DeadLetter[]> {
    return this.letters.list(filter);
  }

  override replay(filter: DeadLetterFilter): Promise<number> {
    return this.letters.requestReplay(filter);
  }

  override async statistics(): Promise<BusStatistics> {
    const lag = await this.count(
      `SELECT p.consumer_group AS "group", p.topic, sum(h.last - p.position) AS events FROM event_positions p
       JOIN event_heads h ON h.topic = p.topic AND h.partition = p.partition GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    const deadLetters = await this.count('SELECT consumer_group AS "group", topic, count(*) AS events FROM event_dead_letters GROUP BY 1, 2 ORDER BY 1, 2');
    return { lag, deadLetters };
  }

  override async check(): Promise<void> {
    await this.pool.query('SELECT 1');
  }

  override async close(): Promise<void> {
    await Promise.all([...this.consumers].map((consumer) => consumer.stop()));
    await this.pool.end();
  }

  override prune(now = new Date()): Promise<number> {
    return this.log.prune(new Date(now.getTime() - (this.options.retentionMs ?? 7 * DAY_MS)));
  }

  /** The number of partitions; the tables are made on the way, whoever comes first. */
  private async layout(): Promise<number> {
    if (this.partitions !== undefined) return this.partitions;
    const client = await this.pool.connect();
    try {
      this.partitions = await prepareEventLog(client, this.options.partitions ?? 4);
    } finally {
      client.release();
    }
    return this.partitions;
  }

  /** Before the connection is used: what was announced while nobody listened is looked for now. */
  private async listen(client: ClientBase): Promise<void> {
    client.on('notification', ({ payload }) => this.notice(payload ?? ''));
    await client.query(`LISTEN ${CHANNEL}`);
    this.notice(REPLAY);
  }

  private notice(payload: string): void {
    const topics = payload === REPLAY ? 'all' : new Set([payload]);
    for (const consumer of this.consumers) consumer.wake(topics);
  }

  private async count(sql: string): Promise<{ group: string; topic: string; events: number }[]> {
    const { rows } = await this.pool.query<{ group: string; topic: string; events: string }>(sql);
    return rows.map((row) => ({ ...row, events: Number(row.events) }));
  }
}
