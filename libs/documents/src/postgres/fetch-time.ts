import { ServiceError } from '@twinyard/conventions';
import { type Deadline, READ_TIMEOUT_MS, REGEX_TIMEOUT_MS } from '../deadline';

/** What the fetches of one stream may take: where it runs regular expressions 2 s in all of them together, else a minute each, and none more than is left till its deadline. */
export class FetchTime {
  private workedMs = 0;

  constructor(private readonly usesRegex: boolean, private readonly deadline?: Deadline) {}

  /** Whole milliseconds that the next may take, one at least. Errors: `query_too_slow` where nothing is left. */
  leftMs(): number {
    const left = this.usesRegex ? Math.floor(REGEX_TIMEOUT_MS - this.workedMs) : READ_TIMEOUT_MS;
    if (left <= 0) throw new ServiceError('query_too_slow', 'The regular expression takes too long');
    return Math.min(left, this.deadline?.leftMs() ?? left);
  }

  /** What the server worked for one of them, by its own clock: how long the reader was busy meanwhile does not count. */
  add(milliseconds: number): void {
    this.workedMs += milliseconds;
  }
}
