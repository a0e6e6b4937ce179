/** The values of a statement that is put together of parts. */
export class SqlValues {
  private readonly bound: unknown[] = [];

  /** The place that stands for the value in the statement. */
  bind(value: unknown): string {
    return `$${this.bound.push(value)}`;
  }

  get all(): unknown[] {
    return [...this.bound];
  }
}
