import type { Notice, QuietConnection } from '@twinyard/service-kit';
import { CHANNEL } from '../store/postgres/statement-parts';
import { JobNotices, type Noticed } from './job-notices';

/** By NOTIFY, whose payload is the kind. */
export class PostgresNotices extends JobNotices {
  constructor(private readonly connection: QuietConnection) {
    super();
  }

  override start(onNotice: (noticed: Noticed) => void): void {
    this.connection.listen(CHANNEL, (notice: Notice) => onNotice(notice === 'missed' ? 'all' : notice.payload));
  }

  override stop(): Promise<void> {
    return this.connection.unlisten(CHANNEL);
  }

  /** The transaction that commits them tells everybody. */
  override enqueued(): void {
    return undefined;
  }
}
