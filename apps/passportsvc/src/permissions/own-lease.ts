import { Inject, Injectable } from '@nestjs/common';
import { type GrantAuthority, type GrantSyncResponse, type InvalidationKey, SyncedGrantSource } from '@twinyard/auth';
import { LOGGER, type Logger } from '@twinyard/service-kit';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { GrantResolver } from './grant-resolver';

/** Called with the keys of what has changed; `undefined`: everything may have. */
export type Forget = (keys: readonly InvalidationKey[] | undefined) => void;

/**
 * passportsvc as one of the instances that its changes wait for: what it keeps in memory under this lease is as right as what the
 * other services keep, with any number of replicas.
 */
@Injectable()
export class OwnLease extends SyncedGrantSource {
  private readonly forgetful: Forget[] = [];

  constructor(resolver: GrantResolver, private readonly feed: GrantFeed, @Inject(LOGGER) logger: Logger) {
    super('passportsvc', authorityOf(resolver, feed), logger);
  }

  onChange(forget: Forget): void {
    this.forgetful.push(forget);
  }

  override async onApplicationShutdown(): Promise<void> {
    const ended = super.onApplicationShutdown();
    this.feed.interrupt();
    await ended;
  }

  protected override applied({ reset, keys }: GrantSyncResponse): void {
    if (reset || keys.length > 0) for (const forget of this.forgetful) forget(reset ? undefined : keys);
  }
}

/** Without the way over HTTP. */
const authorityOf = (resolver: GrantResolver, feed: GrantFeed): GrantAuthority => ({
  resolve: ({ service, principal }) => resolver.answer(principal, service),
  sync: (request, _signal, onUpToDate) => feed.sync(request, onUpToDate),
});
