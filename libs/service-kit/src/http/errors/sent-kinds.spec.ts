import { invalid, invalidField, invalidFields, notFound } from '@twinyard/conventions';
import { withSentKinds } from './sent-kinds';

const told = (field: string, sent: Parameters<typeof withSentKinds>[1], issue = 'must be a text') => withSentKinds(invalidField(field, issue), sent).message;

describe('what a refusal says of what was sent', () => {
  it.each([
    ['_name', { _name: 7.5 }, 'a number'], ['_name', { _name: null }, 'null'], ['_name', { _name: false }, 'false'], ['_name', { _name: {} }, 'an object'],
    ['_name', { _name: [1] }, 'an array of 1 entry'], ['_name', { _name: [] }, 'an array of 0 entries'], ['_name', { _name: 'x' }, 'a string of 1 character'],
    ['[1]._namespaces', [{}, { _namespaces: 'of the house' }], 'a string of 12 characters'], ['_permissions[0]._user._id', { _permissions: [{ _user: { _id: 3 } }] }, 'a number'],
    ['body', 'bare', 'a string of 4 characters'], ['body', [], 'an array of 0 entries'],
  ])('%s of %j: %s', (field, body, kind) => {
    expect(told(field, { body })).toBe(`${field}: must be a text (it is ${kind})`);
  });

  it('is of the query or of the path where the field stands there', () => {
    expect(told('_pageSize', { query: { _pageSize: 'many' }, body: { _pageSize: 3 } }, 'must be a whole number')).toBe('_pageSize: must be a whole number (it is a string of 4 characters)');
    expect(told('width', { params: { width: '0' } })).toBe('width: must be a text (it is a string of 1 character)');
  });

  it.each([
    ['what is not there', { body: { other: 1 } }], ['what is inherited', { body: {} }, 'toString'], ['a path through a text', { body: { _name: 'x' } }, '_name.length'],
    ['bytes', { body: Buffer.from('{}') }], ['no body', {}],
  ])('is nothing of %s', (_, sent: object, field = '_name.first') => {
    expect(told(field, sent)).toBe(`${field}: must be a text`);
  });

  it('is nothing where the fault is another, and never what was sent', () => {
    expect(told('_parents', { body: { _parents: 'secret' } }, 'names no folder')).toBe('_parents: names no folder');
    expect(told('_name', { body: { _name: 'Wände' } }, 'must have at most 5 bytes')).toBe('_name: must have at most 5 bytes (it is a string of 6 bytes)');
    expect(told('_password', { body: { _password: 'secret' } }, 'must have 8 characters')).toBe('_password: must have 8 characters (it is a string of 6 characters)');
    for (const issue of ['must be a string', 'must be longer than or equal to 8 characters', 'must be one of A, B', 'must have at most 72 bytes']) {
      expect(told('_password', { body: { _password: 12_345_678 } }, issue)).toBe(`_password: ${issue} (it is a number)`);
    }
    for (const issue of ['must be a whole number', 'must be an integer number', 'must not be greater than 9', 'must be at most 9', 'must be from 1 to 9']) {
      expect(told('count', { body: { count: 12 } }, issue)).toBe(`count: ${issue} (it is 12)`);
    }
  });

  it('stands at every field, and leaves the rest of the refusal as it is', () => {
    const refused = withSentKinds(invalidFields([{ field: 'a', issue: 'must be a text' }, { field: 'b', issue: 'is required' }, { field: 'c', issue: 'must be an array' }]), { body: { a: 1, c: '$&' } });
    expect(refused.message).toBe('a: must be a text (it is a number); b: is required; c: must be an array (it is a string of 2 characters)');
    expect(refused.details).toEqual([{ field: 'a', issue: 'must be a text (it is a number)' }, { field: 'b', issue: 'is required' }, { field: 'c', issue: 'must be an array (it is a string of 2 characters)' }]);
    const other = invalid('Something else', [{ field: 'a', issue: 'must be a text' }]);
    expect([withSentKinds(other, { body: { a: 1 } }).message, withSentKinds(notFound('file', 'x'), {}).status]).toEqual(['Something else', 404]);
  });
});
