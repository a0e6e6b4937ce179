import type { Principal } from '@twinyard/conventions';
import { Access } from './access';
import type { RouteRule } from './decorators';
import type { EffectiveGrants } from './grants';
import { keptCallerId, opensToRuns, withinRun } from './run-bounds';

const grant = (namespace: string) => ({ permissionId: namespace, namespace, actions: ['*'] as const, irn: '*:*:*', via: { type: 'user', id: 'u' } as const });
const held: EffectiveGrants = {
  active: true, platformManager: true, groupIds: ['g'], grants: [grant('a_12345678'), grant('b_12345678')], name: 'Ann', email: 'ann@example.com', emailVerified: true,
};
const principal = (...namespaces: string[]): Principal => ({ type: 'user', id: 'u', tokenId: 't', scopes: ['read', 'write'], run: { id: 'r', namespaces } });

describe('the token of a run', () => {
  it('holds in the namespaces of its run what its starter holds there, and elsewhere nothing', () => {
    expect(withinRun(principal('a_12345678', 'c_12345678'), held)).toEqual({ active: true, platformManager: false, groupIds: [], grants: [grant('a_12345678')], name: 'Ann' });
    expect(withinRun(principal(), held).grants).toEqual([]);
    expect(withinRun({}, held)).toBe(held);
    const access = new Access(withinRun(principal('a_12345678'), held), ['read', 'write'], ['a_12345678', 'b_12345678']);
    expect([access.namespaces, access.isPlatformManager, access.hasEmail('ann@example.com'), access.ownsNamespace('b_12345678')]).toEqual([['a_12345678'], false, false, false]);
  });

  it('is bounded once for all requests of a run, and anew when grants change', () => {
    const first = withinRun(principal('a_12345678'), held);
    expect(withinRun(principal('a_12345678'), held)).toBe(first);
    expect(withinRun(principal('a_12345678'), { ...held, active: false }).active).toBe(false);
    for (let run = 0; run < 200; run += 1) expect(withinRun(principal(`n${run}_12345678`, 'b_12345678'), held).grants).toEqual([grant('b_12345678')]);
  });

  it('opens no route about the caller, and changes nothing of the identity service but secrets', () => {
    const allow = (action: 'READ' | 'EDIT', type: Extract<RouteRule, { kind: 'allow' }>['type']): RouteRule => ({ kind: 'allow', action, type, nsfilter: 'required', queryToken: false });
    const rules: [Exclude<RouteRule, { kind: 'public' }>, boolean][] = [
      [{ kind: 'signed-in', scope: 'by method', runs: false }, false], [{ kind: 'signed-in', scope: 'own', runs: true }, true],
      [allow('EDIT', 'itemsvc:nameduseritem') as never, true], [allow('READ', 'passportsvc:workspace') as never, true],
      [allow('EDIT', 'passportsvc:secret') as never, true], [allow('EDIT', 'passportsvc:usergroup') as never, false], [allow('EDIT', 'passportsvc:app') as never, false],
    ];
    for (const [rule, opens] of rules) expect([rule, opensToRuns(rule)]).toEqual([rule, opens]);
  });

  it('keeps its work apart from that of its starter and of other runs', () => {
    const run = (id: string) => keptCallerId({ id: 'u', run: { id, namespaces: [] } });
    expect(new Set([keptCallerId({ id: 'u' }), run('r'), run('s')]).size).toBe(3);
  });
});
