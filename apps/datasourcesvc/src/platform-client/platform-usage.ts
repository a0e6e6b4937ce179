/** What a run has used. */
export interface Usage {
  /** To the platform. */
  readonly requests: number;
  /** Of bodies, in both directions. */
  readonly bytes: number;
  /** Of scripts, and of processes that work for a step. */
  readonly processorMs: number;
}

/** What a run asks of the platform, and how long it keeps a processor busy: counted here until it is written down. */
export class PlatformUsage {
  private requests = 0;
  private bytes = 0;
  private processorMs = 0;

  asked(bytes: number): void {
    this.requests += 1;
    this.bytes += bytes;
  }

  took(bytes: number): void {
    this.bytes += bytes;
  }

  worked(ms: number): void {
    this.processorMs += ms;
  }

  /** All of it, which is for the caller to write down; `undefined` where there is nothing. */
  take(): Usage | undefined {
    const { requests, bytes } = this;
    const processorMs = Math.round(this.processorMs);
    [this.requests, this.bytes, this.processorMs] = [0, 0, this.processorMs - processorMs];
    return requests === 0 && bytes === 0 && processorMs === 0 ? undefined : { requests, bytes, processorMs };
  }

  /** It could not be written down. */
  giveBack({ requests, bytes, processorMs }: Usage): void {
    this.requests += requests;
    this.bytes += bytes;
    this.processorMs += processorMs;
  }
}
