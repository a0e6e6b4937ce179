import { fileTypeFromBuffer } from 'file-type/core';
import { decodePrefix } from './decode-prefix';
import { isText, textOf } from './text-prefix';

/** Bytes that a type is detected by, however long the content is: what it costs does not grow with what is sent. */
export const PREFIX_BYTES = 4_100;

/** What begins so is text or looks like it, and says what it is. */
const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [/^%PDF-/, 'application/pdf'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^\{\\rtf/, 'application/rtf'],
  [/^%!PS/, 'application/postscript'],
  [/^BEGIN:VCARD/i, 'text/vcard'],
  [/^BEGIN:VCALENDAR/i, 'text/calendar'],
  [/^WEBVTT/, 'text/vtt'],
  // ISO 10303-21: IFC among others.
  [/^ISO-10303-21;/, 'model/step'],
];

/** "rules for identifying an unknown MIME type" (MIME Sniffing, 7.1): what a browser takes for HTML when nobody forbids it. */
const HTML = /^<(!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s>]/i;
/** The root is reached through declarations, comments and the document type; how far is bounded by the prefix. */
const SVG = /<([\w-]{1,40}:)?svg[\s>/]/i;
const XML = /^<\?xml[\s?]/i;

/**
 * What a content is by its first bytes, whatever it is declared to be; nothing, when they do not tell. A content under an encoding that
 * browsers undo is what comes out of it. Markup that a browser might run is found first; `file-type` knows the rest.
 */
export async function detectContentType(prefix: Buffer, contentEncoding: string | null): Promise<string | undefined> {
  const bytes = await decodePrefix(prefix, contentEncoding, PREFIX_BYTES);
  if (bytes === undefined || bytes.length === 0) return undefined;
  const text = textOf(bytes);
  const markup = markupIn(text.trimStart());
  if (markup !== undefined) return markup;
  const signed = SIGNATURES.find(([signature]) => signature.test(text))?.[1];
  if (signed !== undefined) return signed;
  return isText(bytes) ? 'text/plain' : binaryType(bytes);
}

function markupIn(text: string): string | undefined {
  if (!text.startsWith('<')) return undefined;
  if (HTML.test(text)) return 'text/html';
  if (SVG.test(text)) return 'image/svg+xml';
  if (text.startsWith('<!--')) return 'text/html';
  return XML.test(text) ? 'application/xml' : undefined;
}

/** A format that is broken in its first bytes is none. */
const binaryType = (bytes: Buffer): Promise<string | undefined> => fileTypeFromBuffer(bytes).then((type) => type?.mime, () => undefined);
