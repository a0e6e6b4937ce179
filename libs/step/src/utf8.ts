import { isUtf8 } from 'node:buffer';
import { LINE_FEED } from './tokens/bytes';

/**
 * The bytes as UTF-8. The norm allows neither, but files hold raw UTF-8 (kept) and raw Windows-1252 (converted): each line is the one or the other,
 * since files are put together by programs. `tell` hears of each line that is converted, from 1.
 */
export function toUtf8(bytes: Uint8Array, tell: (line: number) => void): Buffer {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(file)) return file;
  const windows = new TextDecoder('windows-1252');
  // Asked for a whole text, Node 20 takes ISO 8859-1 in the place of Windows-1252: quotes, dashes and € would be control characters.
  const decode = (line: Buffer) => windows.decode(line, { stream: true });
  const lines: Buffer[] = [];
  for (let start = 0; start < file.length;) {
    const end = file.indexOf(LINE_FEED, start) + 1 || file.length;
    const line = file.subarray(start, end);
    const isKept = isUtf8(line);
    lines.push(isKept ? line : Buffer.from(decode(line)));
    if (!isKept) tell(lines.length);
    start = end;
  }
  return Buffer.concat(lines);
}
