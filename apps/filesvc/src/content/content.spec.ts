import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { MAX_RANGES, parseRanges } from './byte-ranges';
import { codingsOf, decode } from './content-codings';
import { dispositionOf, isActive } from './content-headers';
import { parseHttpDate } from './http-date';
import { evaluatePreconditions, rangeHolds } from './preconditions';
import { representationFor } from './representation';
import type { StoredContent } from './stored-content';

const current = { etag: '"abc"', lastModified: new Date('2026-03-01T12:00:00.500Z'), isDateStrong: true };
const SAME = 'Sun, 01 Mar 2026 12:00:00 GMT';
const BEFORE = 'Sun, 01 Mar 2026 11:59:59 GMT';
const range = (first: number, last: number) => ({ first, last });

describe('byte ranges', () => {
  it.each([
    [undefined, 10, undefined], ['', 10, undefined], ['bytes=', 10, undefined], ['bytes=-', 10, undefined], ['bytes=2-1', 10, undefined], ['items=0-1', 10, undefined], ['bytes=a-b', 10, undefined],
    ['bytes=0-1,3-2', 10, undefined], ['bytes=0-1;3-4', 10, undefined], ['bytes=1--2', 10, undefined], ['bytes 0-1', 10, undefined],
    ['bytes=0-', 10, [range(0, 9)]], ['bytes=9-20', 10, [range(9, 9)]], ['BYTES = 1-2', 10, [range(1, 2)]], ['bytes=0-99999999999999999999999', 10, [range(0, 9)]],
    ['bytes=-3', 10, [range(7, 9)]], ['bytes=-30', 10, [range(0, 9)]],
    ['bytes=10-', 10, 'unsatisfiable'], ['bytes=-0', 10, 'unsatisfiable'], ['bytes=0-0', 0, 'unsatisfiable'], ['bytes=-1', 0, 'unsatisfiable'], ['bytes=10-,20-30', 10, 'unsatisfiable'],
    ['bytes=0-1,3-4', 10, [range(0, 1), range(3, 4)]], ['bytes=3-4, ,0-1,', 10, [range(3, 4), range(0, 1)]], ['bytes=0-1,50-60,-1', 10, [range(0, 1), range(9, 9)]],
    ['bytes=5-6,0-2,2-3,4-4', 10, [range(0, 6)]], ['bytes=8-9,0-0,0-', 10, [range(0, 9)]], ['bytes=6-7,0-1,1-2', 10, [range(6, 7), range(0, 2)]],
  ])('%s of %d bytes are %j', (header, size, expected) => {
    expect(parseRanges(header, size)).toEqual(expected);
  });

  it('are ignored when they are many', () => {
    const many = (count: number) => `bytes=${Array.from({ length: count }, (_, index) => `${index * 2}-${index * 2}`).join(',')}`;
    expect(parseRanges(many(MAX_RANGES), 1_000)).toHaveLength(MAX_RANGES);
    expect(parseRanges(many(MAX_RANGES + 1), 1_000)).toBeUndefined();
  });

  const spec = fc.oneof(
    fc.tuple(fc.nat(40), fc.option(fc.nat(40))).map(([from, to]) => ({ text: `${from}-${to ?? ''}`, covers: (at: number, _size: number) => at >= from && at <= (to ?? Infinity), isBad: to !== null && to < from })),
    fc.nat(40).map((count) => ({ text: `-${count}`, covers: (at: number, size: number) => at >= size - count, isBad: false })),
  );

  it('cover exactly the bytes that were asked for, each once, in the order in which they were first asked for', () => {
    fc.assert(fc.property(fc.nat(30), fc.array(spec, { minLength: 1, maxLength: 8 }), (size, specs) => {
      const found = parseRanges(`bytes=${specs.map(({ text }) => text).join(', ')}`, size);
      if (specs.some(({ isBad }) => isBad)) return expect(found).toBeUndefined();
      const all = Array.from({ length: size }, (_, at) => at);
      const asked = all.filter((at) => specs.some(({ covers }) => covers(at, size)));
      if (asked.length === 0) return expect(found).toBe('unsatisfiable');
      const ranges = found as { first: number; last: number }[];
      const sent = ranges.flatMap(({ first, last }) => all.filter((at) => at >= first && at <= last));
      expect([...sent].sort((one, other) => one - other)).toEqual(asked);
      const places = ranges.map(({ first, last }) => specs.findIndex(({ covers }) => all.some((at) => at >= first && at <= last && covers(at, size))));
      expect(places).toEqual([...places].sort((one, other) => one - other));
    }), { numRuns: 2_000 });
  });
});

describe('preconditions', () => {
  it.each([
    [{}, 'go on'],
    [{ 'if-match': '"abc"' }, 'go on'], [{ 'if-match': '*' }, 'go on'], [{ 'if-match': '"x", "abc"' }, 'go on'], [{ 'if-match': ['"x"', '"abc"'] }, 'go on'],
    [{ 'if-match': '"x"' }, 'failed'], [{ 'if-match': 'W/"abc"' }, 'failed'], [{ 'if-match': 'abc' }, 'failed'],
    [{ 'if-unmodified-since': SAME }, 'go on'], [{ 'if-unmodified-since': BEFORE }, 'failed'], [{ 'if-unmodified-since': BEFORE, 'if-match': '"abc"' }, 'go on'], [{ 'if-unmodified-since': '1' }, 'go on'],
    [{ 'if-none-match': '"abc"' }, 'not modified'], [{ 'if-none-match': 'W/"abc"' }, 'not modified'], [{ 'if-none-match': '*' }, 'not modified'], [{ 'if-none-match': '"x"' }, 'go on'],
    [{ 'if-none-match': '"x,y", W/"z",W/"abc"' }, 'not modified'], [{ 'if-none-match': '"x, abc"' }, 'go on'],
    [{ 'if-modified-since': SAME }, 'not modified'], [{ 'if-modified-since': BEFORE }, 'go on'], [{ 'if-modified-since': 'yesterday' }, 'go on'], [{ 'if-modified-since': '2030' }, 'go on'],
    [{ 'if-modified-since': SAME, 'if-none-match': '"x"' }, 'go on'], [{ 'if-match': '"x"', 'if-none-match': '"abc"' }, 'failed'],
  ])('%j: %s', (headers, expected) => {
    expect(evaluatePreconditions(headers, current)).toBe(expected);
  });

  it.each([
    [{}, true], [{ 'if-range': '"abc"' }, true], [{ 'if-range': 'W/"abc"' }, false], [{ 'if-range': '"abc", "x"' }, false], [{ 'if-range': SAME }, true], [{ 'if-range': BEFORE }, false],
    [{ 'if-range': 'nonsense' }, false],
  ])('a range with %j holds: %s', (headers, expected) => {
    expect(rangeHolds(headers, current)).toBe(expected);
  });

  it('take no date for a strong validator where two forms share it', () => {
    expect(rangeHolds({ 'if-range': SAME }, { ...current, isDateStrong: false })).toBe(false);
  });

  it.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', 784_111_777], ['Sunday, 06-Nov-94 08:49:37 GMT', 784_111_777], ['Sun Nov  6 08:49:37 1994', 784_111_777],
    ['1994-11-06T08:49:37Z', undefined], ['Sun, 06 Nov 1994 08:49:37 +0100', undefined], ['784111777', undefined], ['Sun, 99 Nov 1994 08:49:37 GMT', undefined],
  ])('read the date %s', (text, expected) => {
    expect(parseHttpDate(text)).toBe(expected);
  });
});

const content = (contentEncoding: string | null): StoredContent => ({
  blobKey: 'files/x', size: 1, sha256: 'aa', name: 'a.txt', contentType: 'text/plain', contentEncoding, createdAt: new Date(0),
});

describe('the form of an encoded content', () => {
  it.each([
    ['gzip', undefined, 'stored'], ['gzip', '', 'decoded'], ['gzip', 'gzip, deflate, br', 'stored'], ['gzip', 'x-gzip', 'stored'], ['x-gzip', 'gzip', 'stored'], ['gzip', 'GZIP;Q=0.5', 'stored'],
    ['gzip', 'br', 'decoded'], ['gzip', 'gzip;q=0', 'decoded'], ['gzip', '*', 'stored'], ['gzip', '*;q=0', 'stored'], ['gzip', 'identity;q=1, *;q=0', 'decoded'], ['gzip', '*, gzip;q=0', 'decoded'],
    ['gzip', 'identity;q=0', 'stored'], ['gzip', 'identity', 'decoded'], ['gzip', 'identity;q=0.5, gzip;q=1.0', 'stored'], ['gzip', 'identity;q=1.0, gzip;q=0.5', 'decoded'], ['gzip', 'gzip;q=2', 'decoded'],
    ['br', 'gzip, deflate', 'decoded'], ['deflate, gzip', 'gzip', 'decoded'], ['deflate, gzip', 'gzip, deflate', 'stored'],
    ['x-own', 'gzip', 'stored'], ['gzip, x-own', '', 'stored'], ['gzip, gzip, gzip, gzip', '', 'stored'], [null, 'identity;q=0', 'stored'], [null, '', 'stored'],
  ])('%s for Accept-Encoding: %s is as %s', (encoding, accepted, form) => {
    expect(representationFor(content(encoding), accepted).decoded.length > 0 ? 'decoded' : 'stored').toBe(form);
  });

  it('has a tag of its own when it is decoded, and its date is no strong validator', () => {
    expect(representationFor(content('gzip'), '')).toMatchObject({ etag: '"aa-decoded"', isDateStrong: false, isNegotiated: true });
    expect(representationFor(content('gzip'), 'gzip')).toMatchObject({ etag: '"aa"', isDateStrong: false, isNegotiated: true });
    expect(representationFor(content('x-own'), '')).toMatchObject({ etag: '"aa"', isDateStrong: true, isNegotiated: false });
  });

  const TEXT = Buffer.from('the same text again and again '.repeat(20_000));
  it.each([
    ['gzip', gzipSync(TEXT)], ['deflate', deflateSync(TEXT)], ['deflate', deflateRawSync(TEXT)], ['br', brotliCompressSync(TEXT)], ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
    ['deflate, gzip', gzipSync(deflateSync(TEXT))], ['gzip, deflate', deflateRawSync(gzipSync(TEXT))],
  ])('is undone: %s', async (encoding, bytes) => {
    const slices = Array.from({ length: Math.ceil(bytes.length / 100) }, (_, index) => bytes.subarray(index * 100, index * 100 + 100));
    expect((await buffer(decode(Readable.from(slices), codingsOf(encoding)))).equals(TEXT)).toBe(true);
  });

  it.each([
    ['gzip', gzipSync(TEXT).subarray(0, -9)], ['deflate', deflateSync(TEXT).subarray(0, -5)], ['deflate', deflateRawSync(TEXT).subarray(0, -5)], ['br', brotliCompressSync(TEXT).subarray(0, -5)],
    ['gzip', Buffer.concat([gzipSync(TEXT).subarray(0, -8), Buffer.alloc(8)])], ['gzip', Buffer.from('no gzip')], ['br', Buffer.alloc(100, 0xff)],
  ])('ends with an error where it is cut off or broken: %s', async (encoding, broken) => {
    await expect(buffer(decode(Readable.from([broken]), codingsOf(encoding)))).rejects.toThrow();
  });
});

describe('active content', () => {
  it.each([
    ['a', 'text/html'], ['a', 'TEXT/HTML;charset=x'], ['a', 'application/xhtml+xml'], ['a', 'image/svg+xml'], ['a', 'application/javascript'], ['a', 'text/javascript'],
    ['a', 'text/xml'], ['a', 'application/xml'], ['a', 'application/rss+xml'], ['a', 'multipart/x-mixed-replace'], ['a.svg', 'image/png'], ['a.Html', 'text/plain'], ['a.js', 'application/octet-stream'], ['a.svg. .', 'text/plain'],
  ])('%s as %s is', (name, type) => {
    expect(isActive({ name, contentType: type })).toBe(true);
  });

  it.each(['text/html', 'image/svg+xml', 'application/xml', 'application/x-shockwave-flash'])('declared as a picture and detected as %s is', (detectedContentType) => {
    expect(isActive({ name: 'a.png', contentType: 'image/png', detectedContentType })).toBe(true);
    expect(isActive({ name: 'a.png', contentType: 'image/png', detectedContentType: 'image/png' })).toBe(false);
  });

  it.each([['a.png', 'image/png'], ['a.pdf', 'application/pdf'], ['a.txt', 'text/plain; charset=utf-8'], ['a.ifc', 'application/octet-stream'], ['a.glb', 'model/gltf-binary'], ['a.json', 'application/json']])('%s as %s is not', (name, type) => {
    expect(isActive({ name, contentType: type })).toBe(false);
  });
});

describe('the name of a download', () => {
  it.each([
    ['plan.pdf', 'inline; filename="plan.pdf"'], ['a "b" c;d.txt', 'inline; filename="a \\"b\\" c;d.txt"'],
    ['Grundriß é.pdf', 'inline; filename="Grundri_ e.pdf"; filename*=UTF-8\'\'Grundri%C3%9F%20%C3%A9.pdf'],
    ['図面.pdf', 'inline; filename="__.pdf"; filename*=UTF-8\'\'%E5%9B%B3%E9%9D%A2.pdf'],
    ['100%41.txt', 'inline; filename="100%41.txt"; filename*=UTF-8\'\'100%2541.txt'],
  ])('%s is told in ASCII, and whole by filename* (RFC 8187)', (name, expected) => {
    expect(dispositionOf({ ...content(null), name })).toBe(expected);
  });
});
