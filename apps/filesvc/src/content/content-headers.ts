import contentDisposition from 'content-disposition';
import { extensionOf } from '../files/file-name';
import type { Representation } from './representation';
import type { StoredContent } from './stored-content';

/** What a browser would run or lay out with the rights of this origin (contract 3: served as attachment). */
const ACTIVE_TYPE = /^(text\/(html|xml|javascript|ecmascript|x?sl\w*|cache-manifest|vbscript|jscript)|application\/(\w[\w.-]*\+)?(xml|xhtml|javascript|ecmascript|x-javascript|x-shockwave-flash|wasm|xslt)|[\w.+/-]+\+(xml|html)|image\/svg.*|multipart\/.*|message\/.*)\s*(;|$)/i;
const ACTIVE_EXTENSIONS = new Set(['htm', 'html', 'xhtml', 'xht', 'shtml', 'svg', 'svgz', 'js', 'mjs', 'cjs', 'xml', 'xsl', 'xslt', 'mht', 'mhtml', 'swf', 'hta', 'wasm']);

/** By its name, by what it is declared to be, or by what its bytes say: one of them is enough. Some systems drop dots and spaces at the end of a name. */
export function isActive({ name, contentType, detectedContentType = null }: Pick<StoredContent, 'name' | 'contentType' | 'detectedContentType'>): boolean {
  return [contentType, detectedContentType ?? ''].some((type) => ACTIVE_TYPE.test(type.trim())) || ACTIVE_EXTENSIONS.has(extensionOf(name.replace(/[. ]+$/, '')));
}

/** "include a `filename` parameter … in US-ASCII" beside `filename*` (RFC 6266, appendix D): proxies and clients take other bytes for what they like. */
const inAscii = (name: string) => name.normalize('NFKD').replace(/\p{M}/gu, '').replace(/[^\x20-\x7e]/gu, '_');

export function dispositionOf(content: StoredContent): string {
  const { name } = content;
  return contentDisposition(name, { type: isActive(content) ? 'attachment' : 'inline', fallback: inAscii(name) });
}

/** Headers of every answer with content, whole or in part. */
export function contentHeaders(representation: Representation, maxAge: number): Record<string, string> {
  const { content, decoded } = representation;
  const isDecoded = decoded.length > 0;
  return {
    ...cachingHeaders(representation, maxAge),
    'content-type': content.contentType,
    ...(content.contentEncoding !== null && !isDecoded && { 'content-encoding': content.contentEncoding }),
    'content-disposition': dispositionOf(content),
    'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'; object-src 'self'",
    // Any page may show it, also one that is isolated (COEP), and may know what it took.
    'cross-origin-resource-policy': 'cross-origin',
    'timing-allow-origin': '*',
    // A range of what is decoded would be read and decoded from the beginning each time.
    'accept-ranges': isDecoded ? 'none' : 'bytes',
  };
}

/** A version never changes: it may be kept as long as its address works, by whoever was given that. */
export const cachingHeaders = ({ etag, lastModified, isNegotiated }: Representation, maxAge: number): Record<string, string> => ({
  etag,
  'last-modified': lastModified.toUTCString(),
  'cache-control': cacheControl(maxAge),
  ...(isNegotiated && { vary: 'Accept-Encoding' }),
});

export const cacheControl = (maxAge: number): string => `private, max-age=${maxAge}, immutable`;
