import contentDisposition from 'content-disposition';
import type { VersionOfFile } from '../versions/versions.repository';
import { extensionOf } from '../files/file-name';
import type { Representation } from './preconditions';

/** What a browser would run or lay out with the rights of this origin (contract 3: served as attachment). */
const ACTIVE_TYPE = /^(text\/(html|xml|javascript|ecmascript|x?sl\w*|cache-manifest|vbscript|jscript)|application\/(\w[\w.-]*\+)?(xml|xhtml|javascript|ecmascript|x-javascript|x-shockwave-flash|wasm|xslt)|[\w.+/-]+\+(xml|html)|image\/svg.*|multipart\/.*|message\/.*)\s*(;|$)/i;
const ACTIVE_EXTENSIONS = new Set(['htm', 'html', 'xhtml', 'xht', 'shtml', 'svg', 'svgz', 'js', 'mjs', 'cjs', 'xml', 'xsl', 'xslt', 'mht', 'mhtml', 'swf', 'hta', 'wasm']);

export const isActive = (name: string, contentType: string) => ACTIVE_TYPE.test(contentType.trim()) || ACTIVE_EXTENSIONS.has(extensionOf(name));

export const representationOf = ({ version }: VersionOfFile): Representation => ({ etag: `"${version.sha256}"`, lastModified: version.createdAt });

export const dispositionOf = ({ file, version }: VersionOfFile): string =>
  contentDisposition(file.name, { type: isActive(file.name, version.contentType) ? 'attachment' : 'inline' });

/** Headers of every answer with content, whole or in part. */
export function contentHeaders({ file, version }: VersionOfFile): Record<string, string> {
  return {
    ...validators({ file, version }),
    'content-type': version.contentType,
    ...(version.contentEncoding !== null && { 'content-encoding': version.contentEncoding }),
    'content-disposition': dispositionOf({ file, version }),
    'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'; object-src 'self'",
    'cross-origin-resource-policy': 'cross-origin',
    'accept-ranges': 'bytes',
  };
}

/** A version never changes, but its file may be deleted: whoever keeps a copy asks each time. */
export const validators = (found: VersionOfFile): Record<string, string> => {
  const { etag, lastModified } = representationOf(found);
  return { etag, 'last-modified': lastModified.toUTCString(), 'cache-control': 'private, no-cache' };
};
