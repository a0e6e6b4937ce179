import { invalidFilter } from '../protocol/scim-error';

export type Token =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'value'; readonly value: string | number }
  | { readonly kind: 'mark'; readonly text: '(' | ')' | '[' | ']' | '.' };

const TOKEN = /\s*(?:(?<word>[A-Za-z$](?:[\w$:-]|\.(?=[\w$]))*)|(?<text>"(?:[^"\\]|\\.)*")|(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<mark>[()[\].]))/y;

/** Long enough for a list of some hundred names, short enough to be read in no time. */
const MAX_LENGTH = 10_000;

export function toTokens(text: string): Token[] {
  if (text.length > MAX_LENGTH) throw invalidFilter(`is longer than ${MAX_LENGTH} characters`);
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  for (let position = 0; position < end; position = TOKEN.lastIndex) {
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) throw invalidFilter(`cannot be read from position ${position + 1} on`);
    tokens.push(toToken(groups));
  }
  return tokens;
}

function toToken({ word, text, number, mark }: Record<string, string | undefined>): Token {
  if (word !== undefined) return { kind: 'word', text: word };
  if (text !== undefined) return { kind: 'value', value: textOf(text) };
  if (number !== undefined) return { kind: 'value', value: Number(number) };
  return { kind: 'mark', text: mark as '(' };
}

/** Texts are JSON's; a NUL or half a character is in no stored value, and no database takes it. */
function textOf(quoted: string): string {
  let text: string;
  try {
    text = JSON.parse(quoted) as string;
  } catch {
    throw invalidFilter(`${quoted} is not a JSON string`);
  }
  if (text.includes('\0') || !text.isWellFormed()) throw invalidFilter('holds a character that is none');
  return text;
}
