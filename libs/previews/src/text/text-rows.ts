const TAB = 4;
/** Colours and the like that terminals are told. */
const ESCAPES = /\u001b\[[0-9;?]*[A-Za-z]/g;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Mn}\p{Me}]/gu;

/** A character that no built-in font has. */
export const UNKNOWN = '\ufffd';

/** Windows-1252 where it is not Latin-1. */
const WINDOWS = new Map([...'€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ'].map((character, index) => [character, 0x80 + index] as const));
const LOOKALIKES = new Map([['ł', 'l'], ['Ł', 'L'], ['đ', 'd'], ['Đ', 'D'], ['ı', 'i'], ['ħ', 'h'], ['−', '-'], ['‐', '-'], ['‑', '-'], ['→', '>'], ['←', '<'], ['≤', '<'], ['≥', '>'], ['\u00a0', ' ']]);

/** Rows of at most `columns` characters that a built-in font has, or `UNKNOWN`. */
export function toRows(text: string, columns: number, most: number): string[] {
  const rows: string[] = [];
  for (const line of text.replace(ESCAPES, '').split(/\r\n|[\n\r\f\u2028\u2029]/)) {
    rows.push(...wrap(toDrawable(line, columns * (most - rows.length)), columns));
    if (rows.length >= most) break;
  }
  return rows.slice(0, most);
}

/** The first `most` characters of a line that is perhaps a gigabyte long. */
function toDrawable(line: string, most: number): string {
  let drawn = '';
  for (const character of line.slice(0, most * 4).normalize('NFC')) {
    if (drawn.length >= most) break;
    drawn += character === '\t' ? ' '.repeat(TAB - (drawn.length % TAB)) : drawableOf(character);
  }
  return drawn.trimEnd();
}

function drawableOf(character: string): string {
  if (character.replace(INVISIBLE, '') === '') return '';
  if (codeOf(character) !== undefined) return character;
  const bare = LOOKALIKES.get(character) ?? character.normalize('NFKD').replace(INVISIBLE, '');
  return bare !== '' && [...bare].every((part) => codeOf(part) !== undefined) ? bare : UNKNOWN;
}

/** Between words where there are some. */
function wrap(line: string, columns: number): string[] {
  const rows: string[] = [];
  let rest = line;
  while (rest.length > columns) {
    const space = rest.lastIndexOf(' ', columns);
    const end = space > columns / 2 ? space : columns;
    rows.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...rows, rest];
}

/** Its place in Windows-1252, which is the encoding of the built-in fonts. */
export function codeOf(character: string): number | undefined {
  const code = character.charCodeAt(0);
  if (character.length === 1 && ((code >= 0x20 && code < 0x7f) || (code > 0xa0 && code <= 0xff))) return code;
  return WINDOWS.get(character);
}

export const toHex = (row: string) => Buffer.from([...row].map((character) => codeOf(character) ?? 0x20)).toString('hex');
