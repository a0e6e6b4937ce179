/**
 * The text of STEP strings (ISO 10303-21, 6.4.3). web-ifc drops a whole text when one escape in it is faulty, so the
 * parser is given the backslashes as another byte, and the escapes are decoded here, one by one.
 */
const BACKSLASH = 0x5c;
const STAND_INS = [0x1a, 0x1c, 0x1d, 0x1e, 0x1f, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06];

export interface HiddenEscapes {
  /** Some bytes of the file without its escapes: good until the next are asked for. */
  readonly hide: (bytes: Uint8Array) => Uint8Array;
  readonly decode: (text: string) => string;
}

/** How the escapes of a file in UTF-8 are hidden from the parser, and what undoes that for a text read from it. */
export function hideEscapes(file: Uint8Array): HiddenEscapes {
  const standIn = STAND_INS.find((byte) => !file.includes(byte));
  return standIn === undefined ? { hide: (bytes) => bytes, decode: cleanText } : { hide: hiding(standIn), decode: decoding(String.fromCharCode(standIn)) };
}

/** Apart, so that it holds nothing of the file. */
const decoding = (standIn: string): HiddenEscapes['decode'] => (text) => decodeStepText(text.replaceAll(standIn, '\\'));

/** Takes one place for all copies: each is of dozens of megabytes. */
function hiding(standIn: number): HiddenEscapes['hide'] {
  let place = new Uint8Array(0);
  return (given) => {
    const first = given.indexOf(BACKSLASH);
    if (first < 0) return given;
    if (place.length < given.length) place = new Uint8Array(given.length);
    place.set(given);
    const bytes = place.subarray(0, given.length);
    for (let at = first; at >= 0; at = bytes.indexOf(BACKSLASH, at + 1)) bytes[at] = standIn;
    return bytes;
  };
}

const ESCAPE = /\\\\|\\S\\([\s\S])|\\P([A-I])\\|\\X\\([0-9A-F]{2})|\\X2\\((?:[0-9A-F]{4})+)(?:\\X0\\|$)|\\X4\\((?:[0-9A-F]{8})+)(?:\\X0\\|$)|\\N\\/gi;
/** What `\P<letter>\` chooses for `\S\`: ISO 8859 part 1 to 9. */
const PAGES = { A: 'iso-8859-1', B: 'iso-8859-2', C: 'iso-8859-3', D: 'iso-8859-4', E: 'iso-8859-5', F: 'iso-8859-6', G: 'iso-8859-7', H: 'iso-8859-8', I: 'iso-8859-9' } as const;

/** Decodes what can be decoded and leaves a faulty escape as it stands: a text is never lost. */
export function decodeStepText(text: string): string {
  if (!text.includes('\\')) return cleanText(text);
  let page: string = PAGES.A;
  const decoded = text.replace(ESCAPE, (escape: string, ...found: (string | undefined)[]) => {
    const [shifted, alphabet, byte, utf16, utf32] = found;
    if (escape === '\\\\') return '\\';
    if (alphabet !== undefined) {
      page = PAGES[alphabet.toUpperCase() as keyof typeof PAGES];
      return '';
    }
    if (shifted !== undefined) return fromPage(page, shifted.charCodeAt(0) + 0x80);
    if (byte !== undefined) return String.fromCharCode(Number.parseInt(byte, 16));
    if (utf16 !== undefined) return fromHex(utf16, 4);
    return utf32 === undefined ? '\n' : fromHex(utf32, 8);
  });
  return cleanText(decoded);
}

const fromPage = (page: string, code: number) => new TextDecoder(page).decode(Uint8Array.of(code & 0xff));

function fromHex(hex: string, digits: 4 | 8): string {
  const codes = hex.match(new RegExp(`.{${digits}}`, 'g')) ?? [];
  const numbers = codes.map((code) => Number.parseInt(code, 16));
  if (digits === 4) return String.fromCharCode(...numbers);
  return numbers.map((code) => (code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code))).join('');
}

/** NUL cannot be stored in PostgreSQL, a lone surrogate not in UTF-8: one goes, the other becomes U+FFFD. */
const cleanText = (text: string) => text.replaceAll('\0', '').toWellFormed();
