/** "binary data byte" (MIME Sniffing, 3). */
const BINARY = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/;

/** As a browser would read it: by its byte order mark, else byte by byte. */
export function textOf(bytes: Buffer): string {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.toString('latin1', 3);
  return utf16Of(bytes) ?? bytes.toString('latin1');
}

/** Text in UTF-8, ASCII or with the byte order mark of UTF-16; a last character may be cut. */
export function isText(bytes: Buffer): boolean {
  const utf16 = utf16Of(bytes);
  if (utf16 !== undefined) return !BINARY.test(utf16);
  return !BINARY.test(bytes.toString('latin1')) && isUtf8(bytes);
}

function utf16Of(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return undefined;
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
