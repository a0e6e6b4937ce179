import { type Derivable, deriveScopes, type IssuableScopes, keptScopes, type Maker } from './derivation';

const RUN = { id: 'run', namespaces: ['house_a1B2c3D4'] };
const KINDS: readonly Derivable[] = ['accessKey', 'applicationSecret', 'applicationToken', 'client', 'run', 'schedule'];
const SCOPES = ['read', 'write', 'openid', 'scim', 'download-secrets', '*'];
const subsets = SCOPES.reduce<string[][]>((all, scope) => [...all, ...all.map((some) => [...some, scope])], [[]]);

const derived = (maker: Maker, kind: Derivable, wanted?: readonly string[]): readonly string[] | 'refused' => {
  try {
    return deriveScopes(maker, kind, wanted);
  } catch {
    return 'refused';
  }
};

describe('what is derived from a token', () => {
  it.each(KINDS)('%s: has never more than its maker, whatever is wanted, and needs write', (kind) => {
    const ownOfClients = kind === 'client' ? ['scim', 'download-secrets'] : [];
    for (const scopes of subsets) {
      for (const wanted of [undefined, ...subsets]) {
        const got = derived({ scopes }, kind, wanted);
        if (!scopes.includes('write')) expect(got).toBe('refused');
        if (got === 'refused') continue;
        expect(got.filter((scope) => !scopes.includes(scope) && !ownOfClients.includes(scope))).toEqual([]);
        if (wanted !== undefined) expect(got).toEqual(wanted);
      }
    }
    expect(derived({ scopes: ['read', 'write'] }, kind, ['read'])).toEqual(['read']);
  });

  it('is a run and nothing else when a run makes it, and no access key when one made the token', () => {
    const may = (maker: Partial<Maker>) => KINDS.filter((kind) => derived({ scopes: ['read', 'write'], ...maker }, kind) !== 'refused');
    expect(may({})).toEqual(KINDS);
    expect(may({ run: RUN })).toEqual(['run']);
    expect(may({ accessKeyId: 'key' })).toEqual(KINDS.filter((kind) => kind !== 'accessKey'));
  });

  it('acts with read and write alone where it is a key or a run, also when it was kept with more', () => {
    expect(deriveScopes({ scopes: ['read', 'write', 'openid'] }, 'accessKey')).toEqual(['read', 'write']);
    expect(keptScopes(['read', 'scim', 'read'])).toEqual(['read']);
  });

  it('is signed with scopes that went through the rule, or does not compile', () => {
    // @ts-expect-error a list of words has not been checked
    const unchecked: IssuableScopes = ['read', 'write'];
    expect(unchecked).toHaveLength(2);
  });
});
