import { setTimeout as delay } from 'node:timers/promises';
import type { ConsoleLine } from '@twinyard/scripts';
import type { LogLine, StepContext, StepReport } from '../step-context';

/** Of one record of the log. */
const MOST_CHARACTERS = 3_900;
/** However often a script speaks, its run is written to so seldom. */
const REST_MS = 100;

/** Writes what a script says into its run while it goes on: lines in their order, and how far it is. */
export class ScriptNotes {
  private lines: LogLine[] = [];
  private report: StepReport | undefined;
  private isWriting = false;
  private writing: Promise<void> = Promise.resolve();
  private failure: { readonly cause: unknown } | undefined;
  private readonly ending = new AbortController();
  private readonly failing = new AbortController();

  constructor(private readonly step: Pick<StepContext, 'logAll' | 'report'>) {}

  /** Aborted when the run cannot be written to any more. */
  get failed(): AbortSignal {
    return this.failing.signal;
  }

  hearLine({ level, text }: ConsoleLine): void {
    const left = text.length - MOST_CHARACTERS;
    this.lines.push({ level, message: left > 0 ? `${text.slice(0, MOST_CHARACTERS)} … (${left} more characters)` : text });
    this.write();
  }

  hearProgress(done: number, total: number | undefined): void {
    this.report = { _done: done, ...(total !== undefined && { _total: total }) };
    this.write();
  }

  /** All of it is written. @throws what kept it from that */
  async end(): Promise<void> {
    this.ending.abort();
    await this.writing;
    if (this.failure) throw this.failure.cause;
  }

  private write(): void {
    if (this.isWriting || this.failure) return;
    this.isWriting = true;
    this.writing = this.writeAll();
  }

  private async writeAll(): Promise<void> {
    try {
      while (this.lines.length > 0 || this.report !== undefined) {
        await this.writeSome();
        await delay(REST_MS, undefined, { signal: this.ending.signal }).catch(() => undefined);
      }
    } catch (cause) {
      this.failure = { cause };
      this.failing.abort();
    }
    this.isWriting = false;
  }

  private async writeSome(): Promise<void> {
    const [lines, report] = [this.lines, this.report];
    [this.lines, this.report] = [[], undefined];
    if (lines.length > 0) await this.step.logAll(lines);
    if (report) await this.step.report(report);
  }
}
