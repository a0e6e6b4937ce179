const REPETITION = /\{(\d+)(?:,(\d*))?\}/y;
const UNICODE_CLASS = /\\[pP](?:\{[^}]*\}|.)?/y;
const CHARACTER_CODE = /\\x(?:\{[^}]*\}|[0-9a-fA-F]{2})/y;

/** A group that is open: what its finished parts come to, and its last part, to which a repetition refers. */
interface Open {
  before: number;
  last: number;
}

/**
 * About how many instructions a pattern of RE2 becomes, at least: each character, class or operator is one, and what is repeated by numbers is
 * there as many times. Of what is no pattern it says something.
 */
export function patternSize(pattern: string): number {
  const open: Open[] = [{ before: 0, last: 0 }];
  for (let at = 0; at < pattern.length;) {
    const group = open.at(-1) as Open;
    const repetition = found(REPETITION, pattern, at);
    if (repetition !== undefined) {
      group.last *= Math.max(Number(repetition[1]), Number(repetition[2] || 0), 1);
      at += repetition[0].length;
      continue;
    }
    group.before += group.last;
    group.last = 1;
    const character = pattern[at];
    if (character === '(') open.push({ before: 0, last: 0 });
    if (character === ')' && open.length > 1) {
      const { before, last } = open.pop() as Open;
      Object.assign(open.at(-1) as Open, { last: before + last + 1 });
    }
    at += lengthAt(pattern, at);
  }
  return open.reduce((sum, { before, last }) => sum + before + last, 0);
}

function lengthAt(pattern: string, at: number): number {
  if (pattern[at] === '[') return classLength(pattern, at);
  return pattern[at] === '\\' ? escapeLength(pattern, at) : 1;
}

const found = (expression: RegExp, text: string, at: number): RegExpExecArray | undefined => {
  expression.lastIndex = at;
  return expression.exec(text) ?? undefined;
};

const escapeLength = (pattern: string, at: number) => (found(UNICODE_CLASS, pattern, at) ?? found(CHARACTER_CODE, pattern, at))?.[0].length ?? 2;

/** To behind its `]`; one right after `[` or `[^` belongs to it. */
function classLength(pattern: string, begin: number): number {
  let at = begin + (pattern[begin + 1] === '^' ? 2 : 1);
  if (pattern[at] === ']') at += 1;
  while (at < pattern.length && pattern[at] !== ']') {
    const named = pattern.startsWith('[:', at) ? pattern.indexOf(':]', at) : -1;
    at = named !== -1 ? named + 2 : at + (pattern[at] === '\\' ? escapeLength(pattern, at) : 1);
  }
  return at + 1 - begin;
}
