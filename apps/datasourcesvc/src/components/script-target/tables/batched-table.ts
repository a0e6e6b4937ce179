import { limitExceeded } from '@twinyard/conventions';
import type { ReadTable } from '@twinyard/scripts';

/** Rows that a script reads from a file, some at a time. */
export class BatchedTable implements ReadTable {
  private batches: AsyncGenerator<string, void> | undefined;
  private expiry: NodeJS.Timeout | undefined;
  private isLate = false;

  /** `leave`: a place that it holds. */
  constructor(batches: AsyncGenerator<string, void>, private readonly leave: () => void = () => undefined) {
    this.batches = batches;
  }

  /** Others wait for the place: it is not held for ever, whatever the script waits for. */
  closeWithin(minutes: number): this {
    this.expiry = setTimeout(() => {
      this.isLate = true;
      void this.close();
    }, minutes * 60_000).unref();
    return this;
  }

  async next(): Promise<string | undefined> {
    if (this.isLate) throw limitExceeded('The file was open for too long, and was closed since others wait: read its rows, then do what takes long');
    const { done = true, value } = (await this.batches?.next()) ?? {};
    if (!done) return value as string;
    await this.close();
    return undefined;
  }

  async close(): Promise<void> {
    clearTimeout(this.expiry);
    const { batches } = this;
    this.batches = undefined;
    try {
      await batches?.return();
    } finally {
      this.leave();
    }
  }
}
