// Bytes cross the border as text.
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Uint8Array(128);
for (let value = 0; value < 64; value += 1) VALUES[DIGITS.charCodeAt(value)] = value;

/** Texts of this many bytes are put together first: one character at a time would copy the whole each time. */
const PART = 3 * 1_024;

export function toBase64(bytes) {
  const parts = [];
  for (let from = 0; from < bytes.length; from += PART) parts.push(partOf(bytes, from, Math.min(from + PART, bytes.length)));
  return parts.join('');
}

function partOf(bytes, from, to) {
  let text = '';
  for (let at = from; at < to; at += 3) {
    const three = (bytes[at] << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    const left = to - at;
    text += DIGITS[three >> 18] + DIGITS[(three >> 12) & 63] + (left > 1 ? DIGITS[(three >> 6) & 63] : '=') + (left > 2 ? DIGITS[three & 63] : '=');
  }
  return text;
}

export function fromBase64(text) {
  const length = (text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);
  const bytes = new Uint8Array(length);
  for (let at = 0, to = 0; to < length; at += 4) {
    const four = (VALUES[text.charCodeAt(at)] << 18) | (VALUES[text.charCodeAt(at + 1)] << 12) | (VALUES[text.charCodeAt(at + 2)] << 6) | VALUES[text.charCodeAt(at + 3)];
    bytes[to++] = four >> 16;
    if (to < length) bytes[to++] = (four >> 8) & 255;
    if (to < length) bytes[to++] = four & 255;
  }
  return bytes;
}
