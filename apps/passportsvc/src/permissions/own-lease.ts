import { once } from 'node:events';
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

  constructor(resolver: GrantResolver, feed: GrantFeed, @Inject(LOGGER) logger: Logger) {
    super('passportsvc', authorityOf(resolver, feed), logger);
  }

  onChange(forget: Forget): void {
    this.forgetful.push(forget);
  }

  protected override applied({ reset, keys }: GrantSyncResponse): void {
    if (reset || keys.length > 0) for (const forget of this.forgetful) forget(reset ? undefined : keys);
  }
}

/** Without the way over HTTP. A stop need not wait for the end of the hold. */
const authorityOf = (resolver: GrantResolver, feed: GrantFeed): GrantAuthority => ({
  resolve: ({ service, principal }) => resolver.answer(principal, service),
  sync: (request, signal, onUpToDate) => Promise.race([feed.sync(request, onUpToDate), aborted(signal)]),
});

async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw new Error('stopped');
}
