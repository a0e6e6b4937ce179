import { setTimeout as delay } from 'node:timers/promises';
import { type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { newUuid, type Principal, type ServiceName } from '@twinyard/conventions';
import type { Logger } from '@twinyard/service-kit';
import { GrantCache } from './grant-cache';
import { GrantSource } from './grant-source';
import type { EffectiveGrants } from './grants';
import type { PassportClient } from './passport-client';
import { type GrantSyncResponse, LEASE_MS } from './passport-protocol';

const RETRY_MS = 100;
/** An instance that nobody has asked anything for so long lets its lease run out. */
const UNASKED_MS = 5_000;

/** What an instance asks of passportsvc: by HTTP, or passportsvc itself in its own process. */
export type GrantAuthority = Pick<PassportClient, 'resolve' | 'sync'>;

/**
 * The grants cache of a service instance (design, section 4). It serves from memory only under a lease: each sync request
 * acknowledges the changes applied so far, and passportsvc lets no change return while an instance that holds a lease has
 * not acknowledged it. The lease is counted here from before the request was sent and there from after it arrived, so it
 * always ends here first. Without a lease every request is asked of passportsvc; when that cannot answer: 503.
 * Who is not asked anything needs no lease: it is taken up again with the next request, which itself is asked of passportsvc.
 */
export class SyncedGrantSource extends GrantSource implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly instance = newUuid();
  private readonly cache = new GrantCache();
  private readonly inFlight = new Map<string, Promise<EffectiveGrants>>();
  private readonly stopping = new AbortController();
  private leaseUntil = 0;
  private askedAt = 0;
  private goOn: () => void = () => undefined;
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly service: ServiceName,
    private readonly passport: GrantAuthority,
    private readonly logger: Logger,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.askedAt = performance.now();
    this.loop = this.keepInSync();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    this.goOn();
    await this.loop;
  }

  /** Whether cached grants may be served right now. */
  get hasLease(): boolean {
    return performance.now() < this.leaseUntil;
  }

  /** The same for somebody who is going to: the lease is kept for those. */
  useLease(): boolean {
    this.askedAt = performance.now();
    this.goOn();
    return this.hasLease;
  }

  protected override async held(principal: Principal): Promise<EffectiveGrants> {
    const name = nameOf(principal);
    if (!this.useLease()) return (await this.passport.resolve({ service: this.service, principal })).effective;
    return this.cache.get(name) ?? this.inFlight.get(name) ?? this.fetch(name, principal);
  }

  protected override heldNow(principal: Principal): EffectiveGrants | undefined {
    return this.useLease() ? this.cache.get(nameOf(principal)) : undefined;
  }

  private fetch(name: string, principal: Principal): Promise<EffectiveGrants> {
    const answer = this.passport
      .resolve({ service: this.service, principal })
      .then((response) => {
        this.cache.put(name, response);
        return response.effective;
      })
      .finally(() => {
        if (this.inFlight.get(name) === answer) this.inFlight.delete(name);
      });
    this.inFlight.set(name, answer);
    return answer;
  }

  private async keepInSync(): Promise<void> {
    for (;;) {
      await this.untilAsked();
      if (this.stopping.signal.aborted) return;
      try {
        await this.syncOnce();
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        this.logger.debug({ err: error }, 'lost touch with passportsvc');
        await delay(RETRY_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
  }

  /** At once where somebody has asked lately. */
  private untilAsked(): Promise<void> | undefined {
    if (performance.now() - this.askedAt < UNASKED_MS || this.stopping.signal.aborted) return undefined;
    return new Promise((resolve) => {
      this.goOn = resolve;
    });
  }

  private async syncOnce(): Promise<void> {
    const leaseUntil = performance.now() + LEASE_MS;
    const renew = () => {
      this.leaseUntil = leaseUntil;
    };
    const changes = await this.passport.sync({ instance: this.instance, service: this.service, acked: this.cache.seq }, this.stopping.signal, renew);
    if (changes.reset || changes.keys.length > 0) {
      // A request that arrives from now on must not be answered by a question that was put before the change.
      this.inFlight.clear();
    }
    this.cache.apply(changes);
    this.applied(changes);
    renew();
  }

  /** For who keeps more than grants under this lease: what has changed is forgotten before it is acknowledged. */
  protected applied(_changes: GrantSyncResponse): void {
    // Grants are all that services keep.
  }
}

const nameOf = ({ type, id, sessionId, oauthGrantId, profileId }: Principal) =>
  [type, id, sessionId ?? '', oauthGrantId ?? '', profileId ?? ''].join(' ');
