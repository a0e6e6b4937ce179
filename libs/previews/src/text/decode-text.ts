// Control characters are what tells text from other bytes.
/* eslint-disable no-control-regex */

/** Of bytes in no encoding of text, about one in nine is one of these. */
const CONTROL = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f]/g;
const TOLERATED = 0.01;

/** Whether these first bytes of a file are text. */
export function isText(head: Uint8Array): boolean {
  const text = decodeText(head);
  return text.trim() !== '' && (text.match(CONTROL)?.length ?? 0) <= text.length * TOLERATED;
}

/** UTF-8 and UTF-16 with and without a mark, or else Windows-1252, which any bytes are. A character that is cut off at the end is left out. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decode('utf-16le', bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decode('utf-16be', bytes);
  const wide = wideEncoding(bytes);
  if (wide !== undefined) return decode(wide, bytes);
  try {
    return decode('utf-8', bytes, true);
  } catch {
    return decode('windows-1252', bytes);
  }
}

const decode = (encoding: string, bytes: Uint8Array, fatal = false) => new TextDecoder(encoding, { fatal }).decode(bytes, { stream: true });

/** Text in Latin letters as UTF-16 has a zero in every other place and nearly nowhere else. */
function wideEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const zeros = [0, 0];
  const pairs = Math.floor(Math.min(bytes.length, 1_024) / 2);
  for (let at = 0; at < pairs * 2; at += 1) if (bytes[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (pairs < 2) return undefined;
  if (odd > pairs * 0.7 && even < pairs * 0.1) return 'utf-16le';
  return even > pairs * 0.7 && odd < pairs * 0.1 ? 'utf-16be' : undefined;
}
