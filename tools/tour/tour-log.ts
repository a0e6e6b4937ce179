/** Prints each step, its time and its result. */
export class TourLog {
  readonly timings: Record<string, number> = {};
  private count = 0;

  constructor(private readonly print: (line: string) => void) {}

  async step<T>(title: string, work: () => Promise<T>, result: (value: T) => string): Promise<T> {
    const started = performance.now();
    this.count += 1;
    try {
      const value = await work();
      const seconds = (performance.now() - started) / 1000;
      this.timings[title] = seconds;
      this.print(`${String(this.count).padStart(2)}. ${title.padEnd(44)} ${seconds.toFixed(2).padStart(6)} s   ${result(value)}`);
      return value;
    } catch (error) {
      this.print(`${String(this.count).padStart(2)}. ${title.padEnd(44)} failed: ${(error as Error).message}`);
      throw error;
    }
  }

  say(line: string): void {
    this.print(line);
  }
}
