import { EventEmitter, once } from 'node:events';
import type { QuietConnection } from '@twinyard/service-kit';
import { GRANT_CHANGE_CHANNEL } from './grant-feed.repository';

/** Tells whoever waits of grant changes that any replica of passportsvc committed: by PostgreSQL's NOTIFY. */
export class GrantChangeListener {
  private readonly emitter = new EventEmitter().setMaxListeners(0);

  /** Until then they are told of by `announce` alone, as in a command, which waits for its own changes and hears of nobody's. */
  listenOn(connection: QuietConnection): this {
    connection.listen(GRANT_CHANGE_CHANNEL, () => this.announce());
    return this;
  }

  /** Has whoever waits look. */
  announce(): void {
    this.emitter.emit('change');
  }

  /** Resolves at the next change, or when `signal` fires: whether there was one. */
  async next(signal: AbortSignal): Promise<boolean> {
    return once(this.emitter, 'change', { signal }).then(() => true, () => false);
  }
}
