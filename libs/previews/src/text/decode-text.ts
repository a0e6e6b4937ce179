/** Of bytes in no encoding of text, about one in nine is one of these. */
const CONTROL = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f]/g;
const TOLERATED = 0.01;

/** Whether these first bytes of a file are text. */
export function isText(head: Uint8Array): boolean {
  const text = decodeText(head);
  return text.trim() !== '' && (text.match(CONTROL)?.length ?? 0) <= text.length * TOLERATED;
}

/** UTF-8 and UTF-16 with and without a mark, or else Windows-1251 or 1252, which any bytes are. A character that is cut off at the end is left out. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decode('utf-16le', bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decode('utf-16be', bytes);
  const wide = wideEncoding(bytes);
  if (wide !== undefined) return decode(wide, bytes);
  try {
    return decode('utf-8', bytes, true);
  } catch {
    return decode(isCyrillic(bytes) ? 'windows-1251' : 'windows-1252', bytes);
  }
}

const decode = (encoding: string, bytes: Uint8Array, fatal = false) => new TextDecoder(encoding, { fatal }).decode(bytes, { stream: true });

/** In Windows-1251 these are the Cyrillic letters; in Windows-1252 they are letters with accents, of which hardly three stand together. */
const HIGH = /[\xc0-\xff]/g;
const HIGH_WORD = /[\xc0-\xff]{3,}/g;

function isCyrillic(bytes: Uint8Array): boolean {
  const begin = Buffer.from(bytes.subarray(0, 4_096)).toString('latin1');
  const inWords = (begin.match(HIGH_WORD) ?? []).join('').length;
  return inWords > (begin.match(HIGH)?.length ?? 0) / 2;
}

/** Text in Latin letters as UTF-16 has a zero in every other place and nearly nowhere else. */
function wideEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const begin = bytes.subarray(0, 1_024);
  const pairs = Math.floor(begin.length / 2);
  const zeros = [...begin.keys()].filter((at) => begin[at] === 0);
  const odd = zeros.filter((at) => at % 2 === 1).length;
  const even = zeros.length - odd;
  if (pairs < 2 || Math.max(odd, even) < pairs * 0.7 || Math.min(odd, even) > pairs * 0.1) return undefined;
  return odd > even ? 'utf-16le' : 'utf-16be';
}
