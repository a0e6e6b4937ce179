import { Access } from './access';
import type { Grant } from './grants';

const grant = (namespace: string, actions: Grant['actions'], irn: string): Grant => ({ permissionId: `${namespace} ${irn}`, namespace, actions, irn, via: { type: 'user', id: 'u' } });
const accessOf = (grants: Grant[], { scopes = ['read', 'write'], namespaces }: { readonly scopes?: string[]; readonly namespaces?: string[] } = {}) =>
  new Access({ active: true, platformManager: false, groupIds: [], grants }, scopes, namespaces);
const file = (id: string, ...namespaces: string[]) => ({ type: 'filesvc:file' as const, id, namespaces });
const reader = [grant('house', ['READ'], 'filesvc:file:*')];

describe('a refusal', () => {
  it('says which permission is missing, on what, where, and who can grant it', () => {
    expect(() => accessOf(reader).require('EDIT', file('1', 'house'))).toThrow(
      'You do not have the permission for this: it takes EDIT on filesvc:file:1 in house, which an owner there can grant',
    );
    expect(accessOf(reader).denial(['EDIT', 'CREATE'], file('1', 'house'))).toMatchObject({ code: 'forbidden', message: expect.stringContaining(' EDIT or CREATE on ') });
  });

  it('says of what is to be made where the caller wanted it, also where it holds nothing', () => {
    const refused = (namespace: string) => () => accessOf(reader, { namespaces: [namespace] }).requireInAll('CREATE', file('*', namespace));
    expect(refused('house')).toThrow(': it takes CREATE on filesvc:file:* in house, which an owner there can grant');
    expect(refused('nowhere')).toThrow(': it takes CREATE on filesvc:file:* in nowhere, which an owner there can grant');
    expect(() => accessOf(reader, { namespaces: ['house'] }).requireAnywhere('DELETE', 'filesvc:file')).toThrow(' DELETE on filesvc:file:* in house,');
  });

  it('names no record that the caller may not READ, and no namespace that it knows nothing of', () => {
    const blind = [grant('house', ['RUN'], 'datasourcesvc:*:*')];
    expect(() => accessOf(blind).require('EDIT', file('1', 'house', 'secret'))).toThrow(/ EDIT on filesvc:file:\* in house, which an owner there can grant$/);
    expect(() => accessOf(blind).require('EDIT', file('1', 'secret'))).toThrow(/ EDIT on filesvc:file:\*, which an owner of the namespace can grant$/);
    expect(() => accessOf(reader, { namespaces: ['house', 'secret'] }).require('EDIT', file('1', 'house', 'secret'))).toThrow(/ EDIT on filesvc:file:1 in house, /);
  });

  it('tells in one sentence who holds nothing at all', () => {
    expect(() => accessOf([], { namespaces: ['house'] }).require('CREATE', file('*', 'house'))).toThrow(
      'You do not have the permission for this: you hold none in any namespace yet, and an owner there has to grant you CREATE on filesvc:file:* in house first',
    );
  });

  it('names the scope, where it is the token that is not enough', () => {
    const owner = [grant('house', ['*'], '*:*:*')];
    expect(() => accessOf(owner, { scopes: ['read'] }).require('EDIT', file('1', 'house'))).toThrow("The token's scope does not allow EDIT: it takes a token with the scope `write`");
    expect(() => accessOf(owner, { scopes: ['write'] }).requireAnywhere('READ', 'filesvc:file')).toThrow("The token's scope does not allow READ: it takes a token with the scope `read`");
  });
});
