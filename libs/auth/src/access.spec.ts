import { ACTIONS } from '@twinyard/conventions';
import { Access } from './access';
import type { EffectiveGrants, Grant } from './grants';
import { NamespaceScope } from './namespace-scope';

const grant = (namespace: string, actions: Grant['actions'], irn: string, rest: Partial<Grant> = {}): Grant => ({
  permissionId: `${namespace} ${irn}`, namespace, actions, irn, via: { type: 'user', id: 'u' }, ...rest,
});
const holding = (grants: Grant[]): EffectiveGrants => ({ active: true, platformManager: false, groupIds: [], grants });
const access = (grants: Grant[], scopes = ['read', 'write'], namespaces?: string[]) => new Access(holding(grants), scopes, namespaces);
const file = (id: string, namespaces = ['a'], ancestorIds: string[] = []) => ({ type: 'filesvc:file' as const, id, namespaces, ancestorIds });

describe('what a caller may do', () => {
  it('is nothing until it is granted', () => {
    for (const action of ACTIONS) expect(access([]).holds(action, file('1'))).toBe(false);
    expect(access([]).scope('READ', 'filesvc:file').areas).toEqual([]);
  });

  it('adds up over grants, each in its own namespace', () => {
    const both = access([grant('a', ['READ'], 'filesvc:file:1'), grant('b', ['EDIT'], 'filesvc:*:*')]);
    expect(both.holds('READ', file('1'))).toBe(true);
    expect(both.holds('EDIT', file('1'))).toBe(false);
    expect(both.holds('EDIT', file('1', ['b']))).toBe(true);
    expect(both.holds('READ', file('2'))).toBe(false);
  });

  it('is capped by the scopes of the token', () => {
    const owner = [grant('a', ['*'], '*:*:*')];
    expect(access(owner, ['read']).holds('EDIT', file('1'))).toBe(false);
    expect(access(owner, ['write']).scope('READ', 'filesvc:file').areas).toEqual([]);
    expect(access(owner, ['read']).canShare(['READ'], { service: 'filesvc', type: 'file', id: '1' }, 'a')).toBe(false);
  });

  it('ends at nsfilter', () => {
    expect(access([grant('a', ['*'], '*:*:*')], undefined, ['b']).holds('READ', file('1'))).toBe(false);
  });

  it('comes down from a folder to what is in it', () => {
    const reader = access([grant('a', ['READ'], 'filesvc:file:folder')]);
    expect(reader.holds('READ', file('1', ['a'], ['root', 'folder']))).toBe(true);
    expect(reader.holds('READ', file('1', ['a'], ['root']))).toBe(false);
  });

  it('is narrowed by criteria on item class and user type', () => {
    const reader = access([grant('a', ['READ'], 'itemsvc:nameduseritem:*', { criteria: { _itemClass: 'Script', _userType: 'x' } })]);
    const item = (itemClass: string, userType: string) => ({ type: 'itemsvc:nameduseritem' as const, id: '1', namespaces: ['a'], itemClass, userType });
    expect([reader.holds('READ', item('Script', 'x')), reader.holds('READ', item('Script', 'y')), reader.holds('READ', item('UserConfig', 'x'))]).toEqual([true, false, false]);
    expect(reader.scope('READ', 'itemsvc:nameduseritem').areas).toEqual([
      { namespace: 'a', whole: false, ids: [], criteria: [{ _itemClass: 'Script', _userType: 'x' }], subresources: [] },
    ]);
  });

  it('does not reach the whole collection by a grant on some of its related items', () => {
    const subresource = { _type: 'relateditem' as const, _criteria: { floor: 1 } };
    const reader = access([grant('a', ['READ'], 'itemsvc:nameduseritem:1', { subresource })]);
    expect(reader.holds('READ', { type: 'itemsvc:nameduseritem', id: '1', namespaces: ['a'] })).toBe(false);
    expect(reader.scope('READ', 'itemsvc:nameduseritem').areas[0]).toMatchObject({ whole: false, ids: [], subresources: [{ id: '1', subresource }] });
    expect(reader.canShare([], { service: 'itemsvc', type: 'nameduseritem', id: '1' }, 'a')).toBe(false);
  });

  it('may be granted on with SHARE and the action itself, on no more than is covered', () => {
    const sharer = access([grant('a', ['SHARE', 'READ'], 'filesvc:file:*')]);
    expect(sharer.canShare(['READ'], { service: 'filesvc', type: 'file', id: '1' }, 'a')).toBe(true);
    expect(sharer.canShare(['EDIT'], { service: 'filesvc', type: 'file', id: '1' }, 'a')).toBe(false);
    expect(sharer.canShare(['*'], { service: 'filesvc', type: 'file', id: '1' }, 'a')).toBe(false);
    expect(sharer.canShare(['READ'], { service: 'filesvc', type: '*', id: '*' }, 'a')).toBe(false);
    expect(sharer.canShare(['READ'], { service: 'filesvc', type: 'file', id: '1' }, 'b')).toBe(false);
    expect(access([grant('a', ['*'], '*:*:*')]).canShare(['*'], { service: '*', type: '*', id: '*' }, 'a')).toBe(true);
  });

  it('makes an owner only by a star on everything', () => {
    expect(access([grant('a', ['*'], '*:*:*')]).ownsNamespace('a')).toBe(true);
    expect(access([grant('a', ['*'], 'filesvc:*:*'), grant('a', ['READ'], '*:*:*')]).ownsNamespace('a')).toBe(false);
  });

  it('is needed in every namespace of what is made in several', () => {
    const one = access([grant('a', ['CREATE'], '*:*:*')]);
    expect(() => one.requireInAll('CREATE', file('*', ['a', 'b']))).toThrow('permission');
    expect(() => one.requireInAll('CREATE', file('*', ['a']))).not.toThrow();
  });
});

describe('a scope', () => {
  it('is made by Access alone: anything else does not compile', () => {
    // @ts-expect-error an abstract class has no instances
    const made = () => new NamespaceScope();
    // @ts-expect-error a look-alike lacks the brand
    const alike: NamespaceScope = { action: 'READ', resourceType: 'filesvc:file', areas: [] };
    expect([typeof made, alike.areas]).toEqual(['function', []]);
  });
});
