const TAB = 4;
/** Colours and the like that terminals are told. */
const ESCAPES = /\u001b\[[0-9;?]*[A-Za-z]/g;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Mn}\p{Me}]/gu;
/** Written from right to left with letters that join, or with vowels above and below: letter by letter in a row they are not what was written. */
const JOINED = /[\p{Script=Arabic}\p{Script=Lao}]/u;

/** A character that cannot be drawn. */
export const UNKNOWN = '\ufffd';

/** Whether the font has a character. */
export type Has = (character: string) => boolean;

export interface Page {
  readonly columns: number;
  readonly rows: number;
}

/** The rows of the first page; each character is one that the font has, or `UNKNOWN`, and takes one column. */
export function toRows(text: string, { columns, rows: most }: Page, has: Has): string[] {
  const rows: string[] = [];
  for (const line of text.replace(ESCAPES, '').split(/\r\n|[\n\r\f\u2028\u2029]/)) {
    rows.push(...wrap(toDrawable(line, columns * (most - rows.length), has), columns));
    if (rows.length >= most) break;
  }
  return rows.slice(0, most);
}

/** The first `most` characters of a line that is perhaps a gigabyte long. */
function toDrawable(line: string, most: number, has: Has): string {
  let drawn = '';
  for (const character of line.slice(0, most * 4).normalize('NFC')) {
    if (drawn.length >= most) break;
    drawn += character === '\t' ? ' '.repeat(TAB - (drawn.length % TAB)) : drawableOf(character, has);
  }
  return drawn.trimEnd();
}

function drawableOf(character: string, has: Has): string {
  if (character.replace(INVISIBLE, '') === '') return '';
  if (/\p{Zs}/u.test(character)) return ' ';
  return withFewerMarks(character, has) ?? plain(character, has) ?? UNKNOWN;
}

/** Itself, or with as many of its accents as the font has it with. */
function withFewerMarks(character: string, has: Has): string | undefined {
  for (const parts = [...character.normalize('NFD')]; parts.length > 0; parts.pop()) {
    const composed = parts.join('').normalize('NFC');
    if (isDrawable(composed, has)) return composed;
  }
  return undefined;
}

/** What a ligature, a wide or a circled letter stands for. */
function plain(character: string, has: Has): string | undefined {
  const letters = [...character.normalize('NFKC')];
  return letters.every((letter) => isDrawable(letter, has)) ? letters.join('') : undefined;
}

/** Those beyond the first plane, of which the font has ornamental letters, would count as two. */
const isDrawable = (character: string, has: Has) => character.length === 1 && character !== UNKNOWN && has(character) && !JOINED.test(character);

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
