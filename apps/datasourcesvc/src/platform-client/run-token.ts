import type { PassportClient, RunTokenRequest, RunTokenResponse } from '@twinyard/auth';
import { PassingFailure } from './platform-error';

/** Renewed this long before it ends, so that no request under way meets its end. */
const MARGIN_MS = 60_000;

/** The token that a run acts with. */
export class RunToken {
  private current: RunTokenResponse | undefined;
  private issuing: Promise<RunTokenResponse> | undefined;

  constructor(private readonly passport: PassportClient, private readonly request: RunTokenRequest) {}

  async get(): Promise<string> {
    if (this.current !== undefined && this.current.expiresAt - MARGIN_MS >= Date.now()) return this.current.token;
    // Several requests that begin together are content with one.
    this.issuing ??= this.issue().finally(() => { this.issuing = undefined; });
    this.current = await this.issuing;
    return this.current.token;
  }

  /** After a 401: the key may have been rotated. */
  drop(): void {
    this.current = undefined;
  }

  private async issue(): Promise<RunTokenResponse> {
    try {
      return await this.passport.issueRunToken(this.request);
    } catch (error) {
      throw new PassingFailure('The identity service gives no token for the run', undefined, { cause: error });
    }
  }
}
