import { setTimeout as delay } from 'node:timers/promises';
import { doubledWait } from '@twinyard/conventions';
import type { Logger, MongoConnection } from '@twinyard/service-kit';
import type { ChangeStream } from 'mongodb';
import { type JobDocument, JOBS } from '../store/mongo/job-documents';
import { JobNotices, type Noticed } from './job-notices';

/** After an enqueue in this process: its transaction commits at some time after that. */
const OWN_LOOKS_MS = [5, 20, 80, 320, 1_280, 5_120];
/** How long the server keeps a question for changes open: on an idle service that is how often it is asked. */
const AWAIT_MS = 10_000;
const RETRY = { firstMs: 100, longestMs: 5_000 };

/** A change stream on a replica set. On a standalone server, which has none, a process hears of its own jobs alone; of others' at its next look. */
export class MongoNotices extends JobNotices {
  private onNotice: ((noticed: Noticed) => void) | undefined;
  private stream: ChangeStream | undefined;
  private readonly stopping = new AbortController();
  private following: Promise<void> = Promise.resolve();
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(private readonly connection: MongoConnection, private readonly logger: Logger) {
    super();
  }

  override start(onNotice: (noticed: Noticed) => void): void {
    this.onNotice = onNotice;
    if (this.connection.hasTransactions) this.following = this.follow();
  }

  override async stop(): Promise<void> {
    this.onNotice = undefined;
    this.stopping.abort();
    this.timers.forEach((timer) => clearTimeout(timer));
    this.timers.clear();
    await this.stream?.close().catch(() => undefined);
    await this.following;
  }

  override enqueued(kind: string): void {
    for (const ms of OWN_LOOKS_MS) this.after(ms, () => this.onNotice?.(kind));
  }

  private after(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      work();
    }, ms).unref();
    this.timers.add(timer);
  }

  private async follow(): Promise<void> {
    for (let failures = 0; this.onNotice !== undefined; failures += 1) {
      try {
        const wanted = { 'fullDocument.state': { $in: ['READY', 'WAITING'] } };
        this.stream = this.connection.db.collection<JobDocument>(JOBS).watch([{ $match: wanted }], { fullDocument: 'updateLookup', maxAwaitTimeMS: AWAIT_MS });
        // What was committed while nobody listened.
        this.onNotice('all');
        for await (const change of this.stream) {
          failures = 0;
          this.onNotice?.('fullDocument' in change && change.fullDocument ? (change.fullDocument as JobDocument).kind : 'all');
        }
      } catch (error) {
        if (this.onNotice === undefined) return;
        this.logger.warn({ err: error }, 'notices of jobs are not heard right now');
        await delay(doubledWait(RETRY, failures), undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
  }
}
