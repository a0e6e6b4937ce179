import type { RegexDialect } from './dialect';
import { negatedPerl, PERL_CLASSES, readCharacter } from './escape';
import { refused } from './refused';

/** First and last code point. */
export type Range = readonly [number, number];
export interface CharacterClass {
  readonly ranges: readonly Range[];
  readonly negated: boolean;
}

const LAST = 0x10ffff;
const POSIX: Readonly<Record<string, readonly Range[]>> = {
  alnum: [[48, 57], [65, 90], [97, 122]], alpha: [[65, 90], [97, 122]], ascii: [[0, 127]], blank: [[9, 9], [32, 32]],
  cntrl: [[0, 31], [127, 127]], digit: [[48, 57]], graph: [[33, 126]], lower: [[97, 122]], print: [[32, 126]],
  punct: [[33, 47], [58, 64], [91, 96], [123, 126]], space: [[9, 13], [32, 32]], upper: [[65, 90]],
  word: [[48, 57], [65, 90], [95, 95], [97, 122]], xdigit: [[48, 57], [65, 70], [97, 102]],
};

/** Reads `[…]`; `start` is the place behind the bracket. RE2 has checked it: it is closed and its ranges are in order. */
export function parseClass(source: string, start: number): CharacterClass & { readonly end: number } {
  const negated = source[start] === '^';
  let at = negated ? start + 1 : start;
  const ranges: Range[] = [];
  for (let first = true; first || source[at] !== ']'; first = false) {
    const item = readItem(source, at);
    ranges.push(...item.ranges);
    at = item.end;
  }
  return { ranges, negated, end: at + 1 };
}

function readItem(source: string, at: number): { ranges: readonly Range[]; end: number } {
  const posix = /^\[:(\^?)([a-z]+):\]/.exec(source.slice(at));
  if (posix) {
    const ranges = POSIX[posix[2] as string] as readonly Range[];
    return { ranges: posix[1] === '^' ? complement(ranges) : ranges, end: at + posix[0].length };
  }
  const letter = source[at] === '\\' ? (source[at + 1] as string) : '';
  if (letter !== '' && Object.hasOwn(PERL_CLASSES, letter)) return { ranges: PERL_CLASSES[letter] as readonly Range[], end: at + 2 };
  if (letter !== '' && Object.hasOwn(PERL_CLASSES, letter.toLowerCase())) return { ranges: negatedPerl(letter), end: at + 2 };
  const from = readOne(source, at);
  if (source[from.end] !== '-' || source[from.end + 1] === ']') return { ranges: [[from.code, from.code]], end: from.end };
  const to = readOne(source, from.end + 1);
  return { ranges: [[from.code, to.code]], end: to.end };
}

function readOne(source: string, at: number): { code: number; end: number } {
  if (source[at] === '\\') return readCharacter(source, at + 1);
  const code = source.codePointAt(at);
  if (code === undefined) throw refused('this class');
  return { code, end: at + String.fromCodePoint(code).length };
}

export function complement(ranges: readonly Range[]): readonly Range[] {
  const gaps: Range[] = [];
  let next = 0;
  for (const [from, to] of [...ranges].sort((one, other) => one[0] - other[0])) {
    if (from > next) gaps.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  return next > LAST ? gaps : [...gaps, [next, LAST]];
}

/** As a bracket expression; a letter or digit alone stands for itself. */
export function formatClass({ ranges, negated }: CharacterClass, dialect: RegexDialect): string {
  const whole = ranges.some(([from, to]) => from === 0 && to === LAST);
  // Nothing, or anything: there are no empty brackets.
  if (whole || ranges.length === 0) return whole === negated ? dialect.nothing : dialect.anything;
  const [only] = ranges;
  if (ranges.length === 1 && only && only[0] === only[1] && !negated && /[A-Za-z0-9]/.test(String.fromCodePoint(only[0]))) return String.fromCodePoint(only[0]);
  const { character, leastCode } = dialect;
  const text = ranges.map(([from, to]) => (from === to ? character(from) : `${character(Math.max(from, leastCode))}-${character(to)}`)).join('');
  return `[${negated ? '^' : ''}${text}]`;
}

/** Letters that are one letter when case is ignored, for example k, K and the Kelvin sign (simple folding, as RE2). */
export function foldRanges(ranges: readonly Range[]): readonly Range[] {
  return joined([...ranges, ...ranges.flatMap(othersOf)]);
}

/** What is outside of a range and alike to a letter in it. */
function othersOf([from, to]: Range): readonly Range[] {
  const { letters, orbitOf } = folding();
  const others: Range[] = [];
  for (let at = placeOf(letters, from), letter = letters[at]; letter !== undefined && letter <= to; letter = letters[(at += 1)]) {
    for (const code of orbitOf.get(letter) ?? []) if (code < from || code > to) others.push([code, code]);
  }
  return others;
}

/** In order, each code in one range. */
function joined(ranges: readonly Range[]): readonly Range[] {
  const disjoint: [number, number][] = [];
  for (const [from, to] of [...ranges].sort(([a], [b]) => a - b)) {
    const last = disjoint.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else disjoint.push([from, to]);
  }
  return disjoint;
}

type Orbit = readonly number[];

interface Folding {
  /** All that have another case, in order. */
  readonly letters: readonly number[];
  readonly orbitOf: ReadonlyMap<number, Orbit>;
}

/** Of the first that is not before `code`. */
function placeOf(letters: readonly number[], code: number): number {
  let [low, high] = [0, letters.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((letters[middle] as number) < code) low = middle + 1;
    else high = middle;
  }
  return low;
}

let known: Folding | undefined;

function folding(): Folding {
  if (known) return known;
  const byFold = new Map<number, number[]>();
  for (let code = 65; code < 0x1e944; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const fold = foldOf(String.fromCodePoint(code));
    if (fold !== undefined) byFold.set(fold, [...(byFold.get(fold) ?? []), code]);
  }
  const orbitOf = new Map([...byFold.values()].filter((orbit) => orbit.length > 1).flatMap((orbit) => orbit.map((code): [number, Orbit] => [code, orbit])));
  known = { orbitOf, letters: [...orbitOf.keys()].sort((one, other) => one - other) };
  return known;
}

/** Upper and lower case map more than simple folding does (the i without a dot), so both are held to it: that is how `iu` compares (ECMA-262, Canonicalize). */
function foldOf(character: string): number | undefined {
  const [upper, lower] = [character.toUpperCase(), character.toLowerCase()];
  const folds = [([...upper].length === 1 ? upper : character).toLowerCase(), lower].filter((fold) => [...fold].length === 1);
  return folds.find((fold) => fold === character || new RegExp(`^\\u{${character.codePointAt(0)?.toString(16)}}$`, 'iu').test(fold))?.codePointAt(0);
}
