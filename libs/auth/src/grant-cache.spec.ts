import { GrantCache } from './grant-cache';

const effective = { active: true, platformManager: false, groupIds: [], grants: [] };

describe('the grants cache', () => {
  it('drops exactly the entries that a change makes stale', () => {
    const cache = new GrantCache();
    cache.apply({ seq: 4, reset: false, keys: [] });
    cache.put('alice', { seq: 4, effective, keys: ['user:alice', 'usergroup:g'] });
    cache.put('bob', { seq: 4, effective, keys: ['user:bob', 'usergroup:g'] });
    cache.put('carol', { seq: 4, effective, keys: ['user:carol'] });
    cache.apply({ seq: 5, reset: false, keys: ['user:bob'] });
    expect([cache.get('alice'), cache.get('bob'), cache.get('carol')].map((entry) => entry !== undefined)).toEqual([true, false, true]);
    cache.apply({ seq: 6, reset: false, keys: ['usergroup:g'] });
    expect([cache.get('alice'), cache.get('carol')].map((entry) => entry !== undefined)).toEqual([false, true]);
    expect(cache.seq).toBe(6);
  });

  it('does not keep an answer that was read before a change it has applied', () => {
    const cache = new GrantCache();
    cache.apply({ seq: 5, reset: false, keys: ['user:alice'] });
    cache.put('alice', { seq: 4, effective, keys: ['user:alice'] });
    expect(cache.get('alice')).toBeUndefined();
  });

  it('starts anew when changes were missed', () => {
    const cache = new GrantCache();
    cache.put('alice', { seq: 1, effective, keys: ['user:alice'] });
    cache.apply({ seq: 9, reset: true, keys: [] });
    expect(cache.size).toBe(0);
  });

  it('is bounded, and forgets the oldest first', () => {
    const cache = new GrantCache();
    for (let i = 0; i <= 10_000; i += 1) cache.put(`u${i}`, { seq: 1, effective, keys: [`user:u${i}`, 'usergroup:all'] });
    expect([cache.size, cache.get('u0'), cache.get('u10000') !== undefined]).toEqual([10_000, undefined, true]);
  });
});
