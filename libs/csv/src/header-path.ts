import { CsvFault } from './csv-fault';

const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);
const MAX_STEPS = 100;
/** Stands for a name without characters. */
const EMPTY = '\\0';
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Headers are dotted paths, `AHU1.Supply` is `Supply` inside `AHU1`. Dots at the beginning of a name belong to it, as in filters: `.secret` is one name, `a..b` is `.b` inside `a`.
 * Any other dot of a name, a space at the end of a header, and a backslash, has a backslash before it.
 */
export function formatHeader(path: readonly string[]): string {
  const text = path.map(formatName).join('.');
  const ended = /\s$/.test(text) ? `${text.slice(0, -1)}\\${text.at(-1)}` : text;
  return FORMULA.test(ended) || /^\s/.test(ended) ? `\\${ended}` : ended;
}

function formatName(name: string): string {
  if (name === '') return EMPTY;
  const [, dot = '', rest = ''] = /^(\.?)(.*)$/s.exec(/^\.[^.]/s.test(name) ? name : ` ${name}`) ?? [];
  return dot + (dot === '' ? rest.slice(1) : rest).replace(/[\\.]/g, '\\$&');
}

/** Without the spaces around it, which are the file's; one that belongs to a name has a backslash before it. */
export function trimHeader(text: string): string {
  const end = text.trimEnd();
  const escapes = /\\*$/.exec(end)?.[0].length ?? 0;
  return text.slice(0, end.length + (escapes % 2)).trimStart();
}

export function parseHeader(text: string): readonly string[] {
  const steps: string[] = [];
  let name = '';
  let isName = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] as string;
    if (sign === '.' && isName) {
      steps.push(name);
      [name, isName] = ['', false];
      continue;
    }
    if (sign === '\\') at += 1;
    name += sign === '\\' ? unescaped(text, at) : sign;
    isName = sign !== '.';
  }
  if (!isName) throw refused(text, 'is not a path');
  return checked([...steps, name], text);
}

function unescaped(text: string, at: number): string {
  const sign = text[at];
  if (sign === undefined) throw refused(text, 'ends with a backslash');
  return sign === '0' ? '' : sign;
}

function checked(path: readonly string[], text: string): readonly string[] {
  if (path.length > MAX_STEPS) throw refused(text, `has more than ${MAX_STEPS} steps`);
  if (path.some((name) => FORBIDDEN.has(name))) throw refused(text, 'holds a name that is not allowed');
  return path;
}

const refused = (text: string, issue: string) => new CsvFault(`header: ${JSON.stringify(text)} ${issue}`);
