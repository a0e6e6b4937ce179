import { setTimeout as delay } from 'node:timers/promises';

/** Keeps what several readers read together below a rate. */
export class Pacer {
  /** When what has been read would have been read at the rate. */
  private due = 0;

  constructor(private readonly bytesPerSecond: number | undefined) {}

  async passed(bytes: number): Promise<void> {
    if (this.bytesPerSecond === undefined) return;
    const now = performance.now();
    this.due = Math.max(now, this.due) + (bytes / this.bytesPerSecond) * 1_000;
    if (this.due > now) await delay(this.due - now);
  }

  async *pace(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      yield chunk;
      await this.passed(chunk.length);
    }
  }
}
