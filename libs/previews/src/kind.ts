import { isText } from './text/decode-text';

/** What there are pictures of. */
export const KINDS = ['image', 'svg', 'pdf', 'ifc', 'text'] as const;
export type Kind = (typeof KINDS)[number];

/** So many first bytes tell the kind: the header of a model may hold pages of options before its schema. */
export const HEAD_BYTES = 16_384;

const IMAGES: readonly (readonly [at: number, signature: string])[] = [
  [0, '\xff\xd8\xff'], [0, '\x89PNG\r\n\x1a\n'], [0, 'GIF87a'], [0, 'GIF89a'], [8, 'WEBP'], [0, 'II*\0'], [0, 'MM\0*'], [0, 'II+\0'], [0, 'MM\0+'],
];
/** Among the brands at the beginning of such a file, of which the first may be a more general one. */
const AVIF = /^[\s\S]{4}ftyp([\s\S]{4})*?avi[fs]/;
const BRANDS_WITHIN = 64;
const PROLOGUE = /^(\ufeff|\s|<\?xml[^>]*>|<!--[\s\S]*?-->|<!DOCTYPE\s+svg[^>[]*(\[[^\]]*\]\s*)?>)*/i;
/** A reader looks for it in the first kilobyte. */
const PDF_WITHIN = 1_024;

/** Told by the content alone: what a file is called or declared to be does not count. `undefined` when there is no picture of such a file. */
export function kindOf(head: Uint8Array): Kind | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1');
  if (IMAGES.some(([at, signature]) => bytes.startsWith(signature, at)) || AVIF.test(bytes.slice(0, BRANDS_WITHIN))) return 'image';
  if (bytes.slice(0, PDF_WITHIN).includes('%PDF-')) return 'pdf';
  if (isIfc(bytes)) return 'ifc';
  if (/^<svg[\s>/]/i.test(bytes.replace(/^\xef\xbb\xbf/, '').replace(PROLOGUE, ''))) return 'svg';
  return isText(head) ? 'text' : undefined;
}

const isIfc = (bytes: string) => /^(\xef\xbb\xbf)?\s*ISO-10303-21\s*;/.test(bytes) && /FILE_SCHEMA\s*\(\s*\(\s*'IFC/i.test(bytes);
