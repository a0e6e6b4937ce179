import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { processorTime } from '@twinyard/testing';
import fc from 'fast-check';
import { detectContentType, PREFIX_BYTES } from './detect-content-type';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082', 'hex');
const utf16 = (text: string, order: 'le' | 'be') => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
};
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';

describe('the type of a content by its bytes', () => {
  it.each<[string, Buffer | string, string | undefined]>([
    ['nothing', '', undefined],
    ['a PNG', PNG, 'image/png'],
    ['a PDF', '%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n', 'application/pdf'],
    ['a text', 'Grundriss der Küche\n', 'text/plain'],
    ['a text that is cut in a character', Buffer.from('Küche').subarray(0, 2), 'text/plain'],
    ['a text in UTF-16', utf16('Grundriss', 'be'), 'text/plain'],
    ['an IFC file', "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');", 'model/step'],
    ['HTML', '<!DOCTYPE html><title>x</title>', 'text/html'],
    ['HTML behind white space and a byte order mark', '\ufeff \n\t<script>alert(1)</script>', 'text/html'],
    ['HTML in UTF-16', utf16('<html><script>', 'le'), 'text/html'],
    ['HTML that begins as a comment', '<!-- x --><body>', 'text/html'],
    ['HTML with a drawing in it', `<html>${SVG}`, 'text/html'],
    ['a text that begins with <', '<3 this house', 'text/plain'],
    ['an SVG', SVG, 'image/svg+xml'],
    ['an SVG behind a declaration, a document type and a comment', `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "a" "b"><!-- x -->${SVG}`, 'image/svg+xml'],
    ['an SVG with a prefix', '<x:svg xmlns:x="http://www.w3.org/2000/svg"><x:script>1</x:script></x:svg>', 'image/svg+xml'],
    ['XML', '<?xml version="1.0"?><gml/>', 'application/xml'],
    ['a GIF that is a script', 'GIF89a=1;/* */alert(1)', 'image/gif'],
    ['bytes that say nothing', Buffer.from([1, 2, 3, 4, 5, 6, 7]), undefined],
    ['a PNG that is cut after its signature', PNG.subarray(0, 9), undefined],
  ])('%s', async (_what, bytes, type) => {
    expect(await detectContentType(Buffer.from(bytes as string), null)).toBe(type);
  });

  it.each([['gzip', gzipSync], ['br', brotliCompressSync], ['deflate', deflateSync]] as const)('is that of what comes out of %s, as browsers undo it', async (encoding, encode) => {
    const page = encode(`<!doctype html>${randomBytes(50_000).toString('hex')}`).subarray(0, PREFIX_BYTES);
    expect(await detectContentType(page, encoding)).toBe('text/html');
    expect(await detectContentType(Buffer.from('no such thing'), encoding)).toBeUndefined();
    expect(await detectContentType(page, 'compress')).toBeUndefined();
  });

  it('is not looked for behind the first bytes of a bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 ** 2)).subarray(0, PREFIX_BYTES);
    const before = process.memoryUsage().arrayBuffers;
    expect(await detectContentType(bomb, 'gzip')).toBeUndefined();
    // The prefix alone holds four megabytes.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 ** 2);
  });

  it('never fails, and is done at once, whatever the bytes are', async () => {
    const magics = ['PK\x03\x04', '\x1f\x8b\x08', '%PDF-', 'RIFF', '\x89PNG\r\n\x1a\n', '\xff\xd8\xff', 'OggS', 'fLaC', 'II*\0', 'MM\0*', '\x1aE\xdf\xa3', 'ID3', '0&\xb2u\x8ef\xcf\x11', '\0\0\0 ftyp', '<?xml ', '<!--', '<svg', 'Rar!', 'BZh9', '\x7fELF'];
    const bytes = fc.tuple(fc.constantFrom(...magics), fc.uint8Array({ maxLength: PREFIX_BYTES })).map(([magic, rest]) => Buffer.concat([Buffer.from(magic, 'latin1'), rest]));
    await fc.assert(fc.asyncProperty(fc.oneof(bytes, fc.uint8Array({ maxLength: PREFIX_BYTES }).map(Buffer.from)), fc.constantFrom(null, 'gzip', 'br'), async (prefix, encoding) => {
      expect(await processorTime(() => detectContentType(prefix, encoding), 1_000)).toBeLessThan(1_000);
    }), { numRuns: 300 });
  });
});
