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
  // Lines that are kept stay together: a large file has millions.
  const parts: Buffer[] = [];
  let kept = 0;
  for (let start = 0, line = 1; start < file.length; line += 1) {
    const end = file.indexOf(LINE_FEED, start) + 1 || file.length;
    const bytesOfLine = file.subarray(start, end);
    if (!isUtf8(bytesOfLine)) {
      parts.push(file.subarray(kept, start), Buffer.from(decode(bytesOfLine)));
      kept = end;
      tell(line);
    }
    start = end;
  }
  return Buffer.concat([...parts, file.subarray(kept)]);
}
