import { complement, type CharacterClass, type Range } from './character-class';
import { refused } from './refused';

export type Escape =
  | { readonly kind: 'class'; readonly class: CharacterClass }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'assertion'; readonly assertion: 'A' | 'z' | 'b' | 'B' };

export interface ReadEscape {
  readonly result: Escape;
  readonly end: number;
}

const range = (from: string, to: string): Range => [from.charCodeAt(0), to.charCodeAt(0)];
/** RE2: these are ASCII, whatever the text is. */
export const PERL_CLASSES: Readonly<Record<string, readonly Range[]>> = {
  d: [range('0', '9')],
  w: [range('0', '9'), range('A', 'Z'), range('_', '_'), range('a', 'z')],
  s: [[9, 10], [12, 13], [32, 32]],
};
const CONTROLS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v', a: '\x07' };

/** Reads what stands after a backslash; `start` is the place behind it. */
export function readEscape(source: string, start: number): ReadEscape {
  const letter = source[start] as string;
  const lower = letter.toLowerCase();
  if (Object.hasOwn(PERL_CLASSES, lower)) return ends(start + 1, perlClass(letter));
  if (letter === 'A' || letter === 'z' || letter === 'b' || letter === 'B') return ends(start + 1, { kind: 'assertion', assertion: letter });
  if (letter === 'Q') return quoted(source, start + 1);
  const { code, end } = readCharacter(source, start);
  return ends(end, { kind: 'text', text: String.fromCodePoint(code) });
}

const ends = (end: number, result: Escape): ReadEscape => ({ result, end });

function perlClass(letter: string): Escape {
  const ranges = PERL_CLASSES[letter.toLowerCase()] as readonly Range[];
  return { kind: 'class', class: { ranges, negated: letter !== letter.toLowerCase() } };
}

function quoted(source: string, start: number): ReadEscape {
  const close = source.indexOf('\\E', start);
  const text = source.slice(start, close === -1 ? undefined : close);
  // A repetition behind it would count for its last character alone.
  if (close !== -1 && /[*+?{]/.test(source[close + 2] ?? '')) throw refused('a repetition behind \\Q…\\E');
  return ends(close === -1 ? source.length : close + 2, { kind: 'text', text });
}

/** An escape that stands for one character. */
export function readCharacter(source: string, start: number): { code: number; end: number } {
  const rest = source.slice(start);
  const hexadecimal = /^x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))/.exec(rest);
  if (hexadecimal) return { code: parseInt((hexadecimal[1] ?? hexadecimal[2]) as string, 16), end: start + hexadecimal[0].length };
  const letter = rest[0] as string;
  if (Object.hasOwn(CONTROLS, letter)) return { code: (CONTROLS[letter] as string).charCodeAt(0), end: start + 1 };
  if (/[A-Za-z0-9]/.test(letter)) throw refused(`\\${letter}`);
  const code = rest.codePointAt(0) as number;
  return { code, end: start + String.fromCodePoint(code).length };
}

export const negatedPerl = (letter: string): readonly Range[] => complement(PERL_CLASSES[letter.toLowerCase()] as readonly Range[]);
