import type { Principal } from '@twinyard/conventions';
import { createLogger } from '@twinyard/service-kit';
import type { EffectiveGrants } from './grants';
import type { GrantSyncRequest, GrantSyncResponse } from './passport-protocol';
import { type GrantAuthority, SyncedGrantSource } from './synced-grant-source';

const UNASKED_MS = 5_000;
const HOLD_MS = 600;
const ANN: Principal = { type: 'user', id: 'ann', tokenId: 't', scopes: ['read'] };

/** Says what Ann may do in words, and counts what it is asked. */
class Authority implements GrantAuthority {
  syncs = 0;
  resolved = 0;
  seq = 1;

  async resolve() {
    this.resolved += 1;
    const effective: EffectiveGrants = { active: true, platformManager: false, groupIds: [], grants: [], name: `as of ${this.seq}` };
    return { seq: this.seq, effective, keys: ['user:ann'] };
  }

  async sync({ acked }: GrantSyncRequest, signal: AbortSignal, onUpToDate: () => void): Promise<GrantSyncResponse> {
    this.syncs += 1;
    const isNew = acked < this.seq;
    if (!isNew) onUpToDate();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(end, isNew ? 0 : HOLD_MS);
      function end(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      }
      signal.addEventListener('abort', end);
    });
    return { seq: this.seq, reset: acked < 0, keys: acked >= 0 && isNew ? ['user:ann'] : [] };
  }
}

describe('grants in memory', () => {
  let authority: Authority;
  let source: SyncedGrantSource;
  const nameOfAnn = async () => (await source.resolve(ANN)).name;
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  beforeEach(async () => {
    jest.useFakeTimers();
    authority = new Authority();
    source = new SyncedGrantSource('aisvc', authority, createLogger('test', 'silent'));
    source.onApplicationBootstrap();
    await pass(HOLD_MS);
  });
  afterEach(async () => {
    await source.onApplicationShutdown();
    jest.useRealTimers();
  });

  it('are served without asking again, for as long as there are requests', async () => {
    for (let second = 0; second < 60; second += 1) {
      expect([source.hasLease, await nameOfAnn()]).toEqual([true, 'as of 1']);
      await pass(1_000);
    }
    expect(authority.resolved).toBe(1);
    expect(authority.syncs).toBeGreaterThan(60);
  });

  it('are kept in touch with nobody while nobody asks, and are those of now for the next who does', async () => {
    expect([await nameOfAnn(), source.known(ANN)?.name]).toEqual(['as of 1', 'as of 1']);
    await pass(UNASKED_MS + 2 * HOLD_MS);
    const { syncs } = authority;
    await pass(3_600_000);
    expect([source.hasLease, authority.syncs]).toEqual([false, syncs]);
    authority.seq = 2;
    expect([source.known(ANN), await nameOfAnn()]).toEqual([undefined, 'as of 2']);
    await pass(HOLD_MS);
    expect([source.hasLease, await nameOfAnn(), authority.syncs > syncs]).toEqual([true, 'as of 2', true]);
  });

  it('are let go of at a stop that comes while nobody asks', async () => {
    await pass(3_600_000);
    await source.onApplicationShutdown();
    const { syncs } = authority;
    await nameOfAnn();
    await pass(UNASKED_MS);
    expect(authority.syncs).toBe(syncs);
  });
});
