/** For how long a sender that is waited for has sent nothing. */
export class LineSilence {
  private since: number | undefined;

  begin(): void {
    this.since = performance.now();
  }

  end(): void {
    this.since = undefined;
  }

  get ms(): number {
    return this.since === undefined ? 0 : performance.now() - this.since;
  }
}
