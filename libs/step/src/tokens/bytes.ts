/** The bytes that mean something in an exchange structure (ISO 10303-21, 5.2). */
export const [HASH, QUOTE, DOUBLE_QUOTE, OPEN, CLOSE, STAR, SLASH, COMMA, SEMICOLON, DOLLAR, DOT, PLUS, MINUS, EQUALS, BACKSLASH] =
  Buffer.from('#\'"()*/,;$.+-=\\') as unknown as Marks;
export const LINE_FEED = 0x0a;
export const CARRIAGE_RETURN = 0x0d;
export const ZERO = 0x30;

type Marks = [number, number, number, number, number, number, number, number, number, number, number, number, number, number, number];

/** Kinds of bytes, as bits. */
export const SPACE = 1;
export const UPPER = 2;
export const LOWER = 4;
export const DIGIT = 8;
/** May follow a value: what separates, ends or closes. */
export const ENDS_VALUE = 16;
export const LETTER = UPPER | LOWER;
export const WORD = LETTER | DIGIT;

export const KIND = kinds();

function kinds(): Uint8Array {
  const table = new Uint8Array(256);
  const add = (kind: number, text: string) => Buffer.from(text, 'latin1').forEach((byte) => { table[byte] = (table[byte] as number) | kind; });
  add(SPACE | ENDS_VALUE, ' \t\r\n\f\v');
  add(ENDS_VALUE, ',)/;');
  add(UPPER, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ_');
  add(LOWER, 'abcdefghijklmnopqrstuvwxyz');
  add(DIGIT, '0123456789');
  return table;
}

export const kindOf = (file: Uint8Array, at: number): number => (at < file.length ? (KIND[file[at] as number] as number) : 0);

/** The position behind the bytes of these kinds. */
export function behind(file: Uint8Array, from: number, kinds: number): number {
  let at = from;
  while ((kindOf(file, at) & kinds) !== 0) at += 1;
  return at;
}
