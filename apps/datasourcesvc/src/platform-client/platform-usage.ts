export interface Usage {
  readonly requests: number;
  /** Of bodies, in both directions. */
  readonly bytes: number;
}

/** What a run asks of the platform: counted here until it is written down. */
export class PlatformUsage {
  private requests = 0;
  private bytes = 0;

  asked(bytes: number): void {
    this.requests += 1;
    this.bytes += bytes;
  }

  took(bytes: number): void {
    this.bytes += bytes;
  }

  /** All of it, which is for the caller to write down; `undefined` where there is nothing. */
  take(): Usage | undefined {
    const { requests, bytes } = this;
    [this.requests, this.bytes] = [0, 0];
    return requests === 0 && bytes === 0 ? undefined : { requests, bytes };
  }

  /** It could not be written down. */
  giveBack({ requests, bytes }: Usage): void {
    this.requests += requests;
    this.bytes += bytes;
  }
}
