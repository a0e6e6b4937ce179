import fc from 'fast-check';
import { ERROR_STATUS, ServiceError } from './errors';
import { isObjectId, newNamespace, newObjectId, newUserItemId } from './identifiers';
import { irnCovers, parseIrn } from './irn';
import { parsePaging } from './page';
import { scopeAllows } from './permissions';
import { booleanParameter, isNestedDeeper, listParameter, parseObjectParameter, prefixedParameters, refuseBrokenText, repeatedParameter } from './query-params';

const codeOf = (work: () => unknown) => {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as ServiceError).code;
  }
};

describe('paging (contract 0.1)', () => {
  it('is read from plain parameters and from inside page, which wins', () => {
    expect(parsePaging({ _offset: '5', _pageSize: '10' })).toEqual({ offset: 5, pageSize: 10 });
    expect(parsePaging({ _offset: '5', page: '{"_offset":7,"_pageSize":0}' })).toEqual({ offset: 7, pageSize: 0 });
  });

  it('takes the defaults for wrong keys and values, and the maximum for more', () => {
    expect(parsePaging({ page: '{"offset":7}' })).toEqual({ offset: 0, pageSize: 25 });
    expect(parsePaging({ _offset: '-1', _pageSize: 'x' })).toEqual({ offset: 0, pageSize: 25 });
    expect(parsePaging({ _pageSize: '5000' })).toEqual({ offset: 0, pageSize: 1_000 });
    expect(parsePaging({ _offset: '9223372036854775807', _pageSize: '9223372036854775807' })).toEqual({ offset: Number.MAX_SAFE_INTEGER, pageSize: 1_000 });
    expect(parsePaging({ _pageSize: '5000' }, { defaultSize: 25, maxSize: 200 }).pageSize).toBe(200);
  });

  it('names a page that is no JSON', () => {
    expect(codeOf(() => parsePaging({ page: '{' }))).toBe('invalid');
  });
});

describe('query parameters', () => {
  it('may repeat or hold commas', () => {
    expect(repeatedParameter({ _id: ['a', 'b'] }, '_id')).toEqual(['a', 'b']);
    expect(listParameter({ _ids: ['a, b', 'c'] }, '_ids')).toEqual(['a', 'b', 'c']);
    expect(listParameter({}, '_ids')).toBeUndefined();
  });

  it('hold booleans, objects and keys with dots', () => {
    expect([booleanParameter({ a: 'TRUE' }, 'a'), booleanParameter({ a: '0' }, 'a'), booleanParameter({}, 'a')]).toEqual([true, false, false]);
    expect(parseObjectParameter({ query: '{"a":1}' }, 'query')).toEqual({ a: 1 });
    expect(codeOf(() => parseObjectParameter({ query: '[1]' }, 'query'))).toBe('invalid');
    expect(prefixedParameters({ '_userAttributes.colour': 'red', other: '1' }, '_userAttributes.')).toEqual({ colour: 'red' });
  });
});

describe('text that no store can hold', () => {
  it.each(['a\0', '\ud800', 'x\udfff'])('is refused wherever it stands: %j', (text) => {
    expect(codeOf(() => refuseBrokenText({ a: [{ b: text }] }))).toBe('invalid');
    expect(codeOf(() => refuseBrokenText({ [text]: 1 }))).toBe('invalid');
  });

  it('is looked for in values that are not too deep, which is found without walking all of them', () => {
    const nested = (levels: number): unknown => JSON.parse(`${'{"a":['.repeat(levels / 2)}1${']}'.repeat(levels / 2)}`);
    expect([isNestedDeeper(1, 0), isNestedDeeper({}, 0), isNestedDeeper(nested(10), 10), isNestedDeeper(nested(10), 9)]).toEqual([false, true, false, true]);
    expect(isNestedDeeper([1, 'x', null, nested(200_000)], 100)).toBe(true);
  });

  it('leaves every well-formed text alone', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => text.includes('\0') || codeOf(() => refuseBrokenText([text])) === undefined));
  });
});

describe('IRNs', () => {
  it('cover by star at any level', () => {
    const target = parseIrn('filesvc:file:1');
    expect(['*:*:*', 'filesvc:*:*', 'filesvc:file:*', 'filesvc:file:1'].every((pattern) => irnCovers(parseIrn(pattern), target))).toBe(true);
    expect(['itemsvc:*:*', 'filesvc:file:2', '*:agent:*'].some((pattern) => irnCovers(parseIrn(pattern), target))).toBe(false);
    expect(irnCovers(parseIrn('filesvc:file:1'), parseIrn('filesvc:file:*'))).toBe(false);
  });

  it.each(['', 'filesvc', 'filesvc:file', 'filesvc:file:', 'a:b:c:d', 'FILESVC:file:1', 'filesvc:file:a b'])('refuse %j', (text) => {
    expect(codeOf(() => parseIrn(text))).toBe('invalid');
  });
});

describe('identifiers', () => {
  it('are distinct, ascending within a process, and of the right form', () => {
    const ids = Array.from({ length: 1_000 }, () => newObjectId(1_700_000_000_000));
    expect(ids.every(isObjectId)).toBe(true);
    expect(new Set(ids).size).toBe(1_000);
    expect(newNamespace('My House (1)')).toMatch(/^MyHouse1_[A-Za-z0-9]{8}$/);
    expect(newNamespace('***')).toMatch(/^ns_[A-Za-z0-9]{8}$/);
    expect(newUserItemId('Outer Walls')).toMatch(/^outer walls_[a-z0-9]{10}$/);
  });
});

describe('scopes and errors', () => {
  it('let read read and write do the rest', () => {
    expect([scopeAllows(['read'], 'READ'), scopeAllows(['read'], 'CREATE'), scopeAllows(['write'], 'READ'), scopeAllows(['write'], 'SHARE')]).toEqual([true, false, false, true]);
  });

  it('have one status each', () => {
    for (const [code, status] of Object.entries(ERROR_STATUS)) expect(new ServiceError(code as keyof typeof ERROR_STATUS, 'x').status).toBe(status);
  });
});
