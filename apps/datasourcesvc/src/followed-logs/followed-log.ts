import { Readable } from 'node:stream';
import type { StoredCaller } from '@twinyard/auth';
import type { LogHead, PlacedRecord } from '../runs/run-logs.repository';
import { toLogLine } from '../runs/run-log';
import { isFinal } from '../runs/run-state';

/** What lies there for a reader that is slower than the log; what its line holds, and one message, come on top. */
const MOST_HELD_BYTES = 64 * 1024;

/** From where a log is told: behind so many records, the last of which has this place. */
export interface LogPosition {
  readonly told: number;
  readonly place: number;
}

/** A log as a stream of server-sent events, for one reader. Who does not read is told nothing more until it does, and its line is cut by the watch over lines. */
export class FollowedLog {
  readonly events: Readable;
  private told: number;
  private place: number;
  private saidAt = performance.now();
  private hasEnded = false;
  /** There is more than its reader took. */
  private isLeftBehind = false;

  /** `onRead`: a reader that was behind takes more. */
  constructor(readonly runId: string, readonly caller: StoredCaller, position: LogPosition, onRead: () => void) {
    this.told = position.told;
    this.place = position.place;
    this.events = new Readable({ highWaterMark: MOST_HELD_BYTES, read: () => void (this.isLeftBehind && onRead()) });
    // The head of the answer goes out with it.
    this.comment();
  }

  get isOpen(): boolean {
    return !this.hasEnded && !this.events.destroyed;
  }

  get isReading(): boolean {
    return this.events.readableLength < MOST_HELD_BYTES;
  }

  /** The place of the last record that it was told. */
  get lastPlace(): number {
    return this.place;
  }

  isBehind({ last }: LogHead): boolean {
    return this.place < last;
  }

  /** Whether it would take more now. */
  hasMore(head: LogHead): boolean {
    this.isLeftBehind = this.isBehind(head);
    return this.isOpen && this.isLeftBehind && this.isReading;
  }

  /** Records up to that head, oldest first. */
  tell(records: readonly PlacedRecord[], head: LogHead): void {
    if (!this.isOpen || records.length === 0) return;
    this.say(records.map((record) => this.toEvent(record, isFinal(head.state) && record.place === head.last)).join(''));
  }

  /** So that nobody on the way takes the line for a dead one. */
  commentAfter(silentMs: number): void {
    if (this.isOpen && this.events.readableLength === 0 && performance.now() - this.saidAt >= silentMs) this.comment();
  }

  end(): void {
    if (!this.isOpen) return;
    this.hasEnded = true;
    this.events.push(null);
  }

  private comment(): void {
    this.say(':\n\n');
  }

  private say(text: string): void {
    this.saidAt = performance.now();
    this.events.push(text);
  }

  private toEvent(record: PlacedRecord, isEnd: boolean): string {
    this.told += 1;
    this.place = record.place;
    const line = { ...toLogLine(record), ...(this.told === 1 && { orchRunId: this.runId }), ...(isEnd && { end: true }) };
    return `id: ${this.told}\ndata: ${JSON.stringify(line)}\n\n`;
  }
}
