import { ServiceError } from '@twinyard/conventions';

/** Contract 0.1: what regular expressions of a caller may hold a store for, in one read or in all fetches of one stream together. */
export const REGEX_TIMEOUT_MS = 2_000;
/** What else a store may work for one answer, or for one fetch of a stream. */
export const READ_TIMEOUT_MS = 60_000;
/** Contract 2.7: what an aggregate may take, in the store and behind it together. */
export const AGGREGATE_TIMEOUT_MS = 60_000;

export const pipelineTooSlow = () => new ServiceError('query_too_slow', 'The pipeline takes too long');
/** Nobody hears it. */
const callerHasGone = () => new ServiceError('request_timeout', 'The caller has gone');

/** When a work must be done. All that take part in it hold the same one: a store asks what is left, to work no longer, and others look at it between their steps. */
export class Deadline {
  private readonly end: number;

  /** `gone`: of who waits for the work; nobody else wants it. */
  constructor(milliseconds = AGGREGATE_TIMEOUT_MS, private readonly now: () => number = () => performance.now(), private readonly gone?: AbortSignal) {
    this.end = now() + milliseconds;
  }

  static ofPipeline(gone?: AbortSignal): Deadline {
    return new Deadline(AGGREGATE_TIMEOUT_MS, undefined, gone);
  }

  /** Whole milliseconds, one at least. Errors: `query_too_slow` where nothing is left, `request_timeout` where the caller has gone. */
  leftMs(): number {
    if (this.gone?.aborted === true) throw callerHasGone();
    const left = Math.ceil(this.end - this.now());
    if (left <= 0) throw pipelineTooSlow();
    return left;
  }

  /** Errors: those of `leftMs`. */
  check(): void {
    this.leftMs();
  }
}
