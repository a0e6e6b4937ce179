import { ENTERPRISE_SCHEMA_ID } from '../schema/user-schema';
import { applyPatch } from './apply-patch';
import { readPatch } from './patch-request';

const user = {
  userName: 'babs', active: true, title: 'Guide', name: { givenName: 'Barbara', familyName: 'Jensen' }, roles: [{ value: 'r1' }],
  emails: [{ value: 'w@example.com', type: 'work', primary: true }, { value: 'h@example.com', type: 'home' }],
  [ENTERPRISE_SCHEMA_ID]: { department: 'Tours', manager: { value: '1', displayName: 'John' } },
};
const [work, home] = user.emails;
const patched = (...Operations: unknown[]) => applyPatch(user, readPatch({ Operations }));
const refusalOf = (...operations: unknown[]) => {
  try {
    return patched(...operations);
  } catch (error) {
    return (error as { scimType?: string }).scimType ?? error;
  }
};

describe('PATCH (RFC 7644 section 3.5.2)', () => {
  it.each<[string, unknown, Record<string, unknown>]>([
    ['adds to a multi-valued attribute', { op: 'add', path: 'roles', value: [{ value: 'r2' }] }, { roles: [{ value: 'r1' }, { value: 'r2' }] }],
    ['does not add what is there', { op: 'add', path: 'roles', value: { value: 'r1' } }, {}],
    ['takes an object for an array of one', { op: 'ADD', path: 'Roles', value: { value: 'r2' } }, { roles: [{ value: 'r1' }, { value: 'r2' }] }],
    ['gives the primary value to what is added as such', { op: 'add', path: 'emails', value: [{ value: 'n@example.com', primary: true }] }, { emails: [{ ...work, primary: false }, home, { value: 'n@example.com', primary: true }] }],
    ['makes another value primary', { op: 'replace', path: 'emails[type eq "home"].primary', value: 'True' }, { emails: [{ ...work, primary: false }, { ...home, primary: true }] }],
    ['replaces all values', { op: 'replace', path: 'emails', value: [{ value: 'n@example.com' }] }, { emails: [{ value: 'n@example.com' }] }],
    ['replaces all values without a path too', { op: 'replace', value: { emails: [{ value: 'n@example.com' }], title: 'T' } }, { emails: [{ value: 'n@example.com' }], title: 'T' }],
    ['replaces parts of chosen values and keeps their others', { op: 'replace', path: 'emails[type eq "work" and value ew "example.com"]', value: { value: 'n@example.com' } }, { emails: [{ ...work, value: 'n@example.com' }, home] }],
    ['replaces a part of every value', { op: 'replace', path: 'emails.type', value: 'other' }, { emails: [{ ...work, type: 'other' }, { ...home, type: 'other' }] }],
    ['keeps the parts of a complex attribute that are not named', { op: 'replace', path: 'name', value: { familyName: 'J', honorificPrefix: 'Ms.' } }, { name: { givenName: 'Barbara', familyName: 'J', honorificPrefix: 'Ms.' } }],
    ['unassigns by null', { op: 'replace', value: { title: null, name: { givenName: null } } }, { title: undefined, name: { familyName: 'Jensen' } }],
    ['unassigns by an empty array', { op: 'replace', path: 'emails', value: [] }, { emails: undefined }],
    ['removes an attribute', { op: 'remove', path: 'title' }, { title: undefined }],
    ['removes a part, and what has none left', { op: 'remove', path: `${ENTERPRISE_SCHEMA_ID}:manager` }, { [ENTERPRISE_SCHEMA_ID]: { department: 'Tours' } }],
    ['removes chosen values', { op: 'remove', path: 'emails[type eq "home"]' }, { emails: [work] }],
    ['removes values that are named', { op: 'Remove', path: 'roles', value: [{ value: 'r1' }] }, { roles: undefined }],
    ['removes the address, and so the value', { op: 'remove', path: 'emails[type eq "home"].value' }, { emails: [work] }],
    ['removes nothing where nothing is chosen', { op: 'remove', path: 'emails[type eq "other"]' }, {}],
    ['leaves out an attribute that the extension does not have', { op: 'add', path: `${ENTERPRISE_SCHEMA_ID}:badge`, value: '7' }, {}],
    ['leaves out a part of one', { op: 'replace', path: `${ENTERPRISE_SCHEMA_ID.toUpperCase()}:badge.colour`, value: 'red' }, {}],
    ['leaves out extensions that nobody knows', { op: 'add', path: 'urn:example:params:scim:schemas:extension:door:2.0:User:keys', value: [{ value: '1' }] }, {}],
    ['leaves out whole ones', { op: 'replace', path: 'urn:example:params:scim:schemas:extension:door:2.0:User', value: { keys: 1 } }, {}],
    ['leaves them out in a value', { op: 'add', value: { 'urn:example:door:2.0:User': { keys: 1 }, [`${ENTERPRISE_SCHEMA_ID}:badge`]: 7, title: 'T' } }, { title: 'T' }],
    ['leaves out what is to be removed of them', { op: 'remove', path: `${ENTERPRISE_SCHEMA_ID}:badge` }, {}],
    ['removes the extension', { op: 'remove', path: ENTERPRISE_SCHEMA_ID }, { [ENTERPRISE_SCHEMA_ID]: undefined }],
    ['changes the extension by its own name', { op: 'replace', path: ENTERPRISE_SCHEMA_ID, value: { department: 'D' } }, { [ENTERPRISE_SCHEMA_ID]: { ...user[ENTERPRISE_SCHEMA_ID], department: 'D' } }],
    ['knows names with a schema, in any letter case', { op: 'replace', path: 'URN:ietf:params:scim:schemas:core:2.0:user:NAME.GivenName', value: 'B' }, { name: { givenName: 'B', familyName: 'Jensen' } }],
    ['leaves read-only and unknown members alone', { op: 'replace', value: { id: 'x', meta: { version: 'x' }, schemas: ['x'], unknown: 1 } }, {}],
    ['makes a value that brackets ask for', { op: 'add', path: 'addresses[type eq "work" and primary eq true]', value: { locality: 'Bern' } }, { addresses: [{ type: 'work', primary: true, locality: 'Bern' }] }],
  ])('%s', (_, operation, changes) => {
    expect(patched(operation)).toEqual(JSON.parse(JSON.stringify({ ...user, ...changes })));
  });

  it.each<[string, unknown]>([
    ['noTarget', { op: 'replace', path: 'emails[type eq "other"]', value: { value: 'x@example.com' } }], ['noTarget', { op: 'replace', path: 'emails[not (type pr)].value', value: 'x@example.com' }],
    ['noTarget', { op: 'replace', path: 'emails[value eq "no@example.com"].value', value: 'x@example.com' }], ['noTarget', { op: 'remove' }],
    ['invalidPath', { op: 'add', path: 'unknown', value: 1 }], ['invalidPath', { op: 'add', path: 'name.unknown', value: 1 }], ['invalidPath', { op: 'add', path: 'urn:ietf:params:scim:schemas:core:2.0:User:unknown', value: 1 }], ['invalidPath', { op: 'add', path: 'emails[', value: 1 }], ['invalidPath', { op: 'add', path: 'title[type eq "a"]', value: 1 }],
    ['invalidPath', { op: 'add', path: 'emails[type like "work"].value', value: 'x' }], ['invalidPath', { op: 'remove', path: 'emails[type eq "work"].unknown' }],
    ['mutability', { op: 'replace', path: 'id', value: 'x' }], ['mutability', { op: 'replace', path: 'meta.created', value: 'x' }], ['mutability', { op: 'remove', path: 'userName' }],
    ['invalidValue', { op: 'add', path: 'title' }], ['invalidValue', { op: 'add', value: 'x' }], ['invalidValue', { op: 'replace', path: 'active', value: 'maybe' }], ['invalidValue', { op: 'add', path: 'emails', value: 'no address' }],
    ['invalidValue', { op: 'replace', path: 'emails.primary', value: true }], ['invalidValue', { op: 'replace', path: 'title', value: ['a', 'b'] }], ['invalidValue', { op: 'replace', path: 'name', value: 'x' }],
    ['invalidSyntax', { op: 'move', path: 'title' }], ['invalidSyntax', { path: 'title' }], ['invalidSyntax', 'remove'], ['invalidSyntax', { op: 'add', path: 7, value: 1 }],
  ])('refuses with %s: %j', (scimType, operation) => {
    expect(refusalOf(operation)).toBe(scimType);
  });

  it.each([[undefined], [null], [{}], [{ Operations: [] }], [{ Operations: {} }], [{ Operations: Array.from({ length: 201 }, () => ({ op: 'remove', path: 'title' })) }]])('needs operations: %#', (body) => {
    expect(() => readPatch(body)).toThrow(expect.objectContaining({ scimType: 'invalidSyntax' }));
  });

  it('does one operation after the other', () => {
    expect(patched({ op: 'add', path: 'emails', value: { value: 'n@example.com', type: 'other' } }, { op: 'replace', path: 'emails[type eq "other"].display', value: 'N' }, { op: 'remove', path: 'emails[type eq "work"]' })).toMatchObject({
      emails: [home, { value: 'n@example.com', type: 'other', display: 'N' }],
    });
  });
});
