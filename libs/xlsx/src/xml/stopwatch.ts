import { XlsxFault } from '../xlsx-fault';

/** How long a workbook keeps the process busy: waits between its parts do not count. */
export class Stopwatch {
  private spent = 0;

  constructor(private readonly mostMs: number) {}

  /** @throws XlsxFault when it has been too long. */
  time<T>(work: () => T): T {
    const begun = performance.now();
    try {
      return work();
    } finally {
      this.spent += performance.now() - begun;
      this.require();
    }
  }

  private require(): void {
    if (this.spent > this.mostMs) throw new XlsxFault(`The workbook takes longer to read than ${Math.round(this.mostMs / 1_000)} seconds`);
  }
}
