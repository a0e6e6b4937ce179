import fc from 'fast-check';
import { parseRange } from './byte-range';
import { isActive } from './content-headers';
import { evaluatePreconditions, rangeHolds } from './preconditions';

const current = { etag: '"abc"', lastModified: new Date('2026-03-01T12:00:00.500Z') };
const SAME = 'Sun, 01 Mar 2026 12:00:00 GMT';
const BEFORE = 'Sun, 01 Mar 2026 11:59:59 GMT';

describe('a byte range', () => {
  it.each([
    [undefined, 10, undefined], ['', 10, undefined], ['bytes=-', 10, undefined], ['bytes=2-1', 10, undefined], ['bytes=0-1,3-4', 10, undefined], ['items=0-1', 10, undefined],
    ['bytes=0-', 10, { first: 0, last: 9 }], ['bytes=9-20', 10, { first: 9, last: 9 }], ['BYTES = 1-2', 10, { first: 1, last: 2 }],
    ['bytes=-3', 10, { first: 7, last: 9 }], ['bytes=-30', 10, { first: 0, last: 9 }],
    ['bytes=10-', 10, 'unsatisfiable'], ['bytes=-0', 10, 'unsatisfiable'], ['bytes=0-0', 0, 'unsatisfiable'], ['bytes=-1', 0, 'unsatisfiable'],
  ])('%s of %d bytes is %j', (header, size, expected) => {
    expect(parseRange(header, size)).toEqual(expected);
  });

  it('lies always within the content', () => {
    fc.assert(fc.property(fc.nat(50), fc.option(fc.nat(60)), fc.option(fc.nat(60)), (size, from, to) => {
      const range = parseRange(`bytes=${from ?? ''}-${to ?? ''}`, size);
      if (range === undefined || range === 'unsatisfiable') return;
      expect(range.first).toBeLessThanOrEqual(range.last);
      expect(range.last).toBeLessThan(size);
    }));
  });
});

describe('preconditions', () => {
  it.each([
    [{}, 'go on'],
    [{ 'if-match': '"abc"' }, 'go on'], [{ 'if-match': '*' }, 'go on'], [{ 'if-match': '"x", "abc"' }, 'go on'],
    [{ 'if-match': '"x"' }, 'failed'], [{ 'if-match': 'W/"abc"' }, 'failed'],
    [{ 'if-unmodified-since': SAME }, 'go on'], [{ 'if-unmodified-since': BEFORE }, 'failed'], [{ 'if-unmodified-since': BEFORE, 'if-match': '"abc"' }, 'go on'],
    [{ 'if-none-match': '"abc"' }, 'not modified'], [{ 'if-none-match': 'W/"abc"' }, 'not modified'], [{ 'if-none-match': '*' }, 'not modified'], [{ 'if-none-match': '"x"' }, 'go on'],
    [{ 'if-modified-since': SAME }, 'not modified'], [{ 'if-modified-since': BEFORE }, 'go on'], [{ 'if-modified-since': 'yesterday' }, 'go on'],
    [{ 'if-modified-since': SAME, 'if-none-match': '"x"' }, 'go on'],
  ] as const)('%j: %s', (headers, expected) => {
    expect(evaluatePreconditions(headers, current)).toBe(expected);
  });

  it.each([[{}, true], [{ 'if-range': '"abc"' }, true], [{ 'if-range': 'W/"abc"' }, false], [{ 'if-range': SAME }, true], [{ 'if-range': BEFORE }, false]] as const)('a range with %j holds: %s', (headers, expected) => {
    expect(rangeHolds(headers, current)).toBe(expected);
  });
});

describe('active content', () => {
  it.each([
    ['a', 'text/html'], ['a', 'TEXT/HTML;charset=x'], ['a', 'application/xhtml+xml'], ['a', 'image/svg+xml'], ['a', 'application/javascript'], ['a', 'text/javascript'],
    ['a', 'text/xml'], ['a', 'application/xml'], ['a', 'application/rss+xml'], ['a', 'multipart/x-mixed-replace'], ['a.svg', 'image/png'], ['a.Html', 'text/plain'], ['a.js', 'application/octet-stream'],
  ])('%s as %s is', (name, type) => {
    expect(isActive(name, type)).toBe(true);
  });

  it.each([['a.png', 'image/png'], ['a.pdf', 'application/pdf'], ['a.txt', 'text/plain; charset=utf-8'], ['a.ifc', 'application/octet-stream'], ['a.glb', 'model/gltf-binary'], ['a.json', 'application/json']])('%s as %s is not', (name, type) => {
    expect(isActive(name, type)).toBe(false);
  });
});
