import { isUtf8 } from 'node:buffer';
import { invalidField } from './errors';

/** Where the first character stands that is none in UTF-8 (RFC 3629), in bytes; `undefined` where all are. */
function utf8FaultAt(bytes: Buffer): number | undefined {
  if (isUtf8(bytes)) return undefined;
  const written = Buffer.from(bytes.toString());
  let end = 0;
  while (bytes[end] === written[end]) end += 1;
  while (!isUtf8(bytes.subarray(0, end))) end -= 1;
  return end;
}

const notUtf8 = (field: string, place: number) => invalidField(field, `is not UTF-8 from byte ${place} on`);

/** Contract 0.1: what is not UTF-8 is 400 with the place. `bytes`: a text, as it came. */
export function utf8Text(bytes: Buffer, field = 'body'): string {
  const place = utf8FaultAt(bytes);
  if (place !== undefined) throw notUtf8(field, place);
  return bytes.toString();
}

const windows = new TextDecoder('windows-1252');

/** Any bytes are a text in Windows-1252, as the WHATWG has it. Asked for a whole text, Node 20 takes ISO 8859-1 in its place, which has no €. */
const windowsText = (bytes: Uint8Array): string => windows.decode(bytes, { stream: true });

/** Names of files and form fields (contract 0.1): UTF-8, and Windows-1252 where they are not. No two names become one. */
export const nameFromBytes = (bytes: Buffer): string => (isUtf8(bytes) ? bytes.toString() : windowsText(bytes));

/** The bytes that a text with `%FC` stands for (RFC 3986 section 2.1). `encoding`: of what stands between. */
export const percentDecoded = (text: string, encoding: 'utf8' | 'latin1' = 'utf8'): Buffer =>
  Buffer.concat(text.split(/(%[\da-f]{2})/i).map((part, index) => (index % 2 === 1 ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part, encoding))));

/** What a text that comes in pieces is held to: UTF-8, whose characters may lie on two of them. */
export class Utf8Check {
  private passed = 0;
  /** Of a character that the next piece goes on with. */
  private begun: Buffer = Buffer.alloc(0);

  constructor(private readonly field = 'body') {}

  /** Errors: `invalid` with the place in the whole. */
  take(piece: Buffer): void {
    const bytes = this.begun.length === 0 ? piece : Buffer.concat([this.begun, piece]);
    const end = wholeCharacters(bytes);
    this.require(bytes.subarray(0, end));
    this.passed += end;
    this.begun = Buffer.from(bytes.subarray(end));
  }

  end(): void {
    this.require(this.begun);
  }

  private require(bytes: Buffer): void {
    const place = utf8FaultAt(bytes);
    if (place !== undefined) throw notUtf8(this.field, this.passed + place);
  }
}

/** The least that the first byte of a character is which has more bytes than so many. */
const FIRST_OF = { 1: 0xc0, 2: 0xe0, 3: 0xf0 } as const;

/** Bytes before a last character that has only begun. */
function wholeCharacters(bytes: Buffer): number {
  for (const back of [1, 2, 3] as const) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    // The first of a character says by its highest bits how many it has (RFC 3629 section 3).
    if (byte >= FIRST_OF[back]) return bytes.length - back;
    if (byte >= 0xc0) break;
  }
  return bytes.length;
}
