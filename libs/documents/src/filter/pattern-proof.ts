import { invalid, limitExceeded, Turn } from '@twinyard/conventions';
import { RE2JS } from 're2js';
import type { Condition, Test } from './ast';
import type { RegexTest } from './value-tests';

/** MongoDB's `$options`, less `x`, which RE2 does not know; `u` is always on. */
export const FLAGS: Readonly<Record<string, number>> = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL, u: 0 };

/** Of which nobody knows yet whether they are expressions of RE2, and the paths that name them. */
const unproven = new WeakMap<RegexTest, string>();

/** For a filter whose patterns take longer than others wait for: whoever asks a store by it calls `provePatterns` before. */
export const proveLater = (test: RegexTest, path: string): void => void unproven.set(test, path);

/** Instructions of the compiled pattern. Errors: `invalid` for what is no expression of RE2. */
export function programSize({ source, flags }: RegexTest, path: string): number {
  try {
    return RE2JS.compile(source, [...flags].reduce((bits, flag) => bits | (FLAGS[flag] ?? 0), 0)).programSize();
  } catch {
    throw invalid(`${path}: $regex is not a regular expression of RE2 (look-around and back-references are not in it)`);
  }
}

/** Characters that all patterns of a filter become: each letter may become a class of all its cases, and a class hundreds of ranges. */
const MOST_WRITTEN = 16 * 1024 ** 2;

/**
 * Looks at the patterns that `parseFilter` has left open, and has `translate` make of each what its store reads, which that remembers: in as many turns as it takes.
 * Errors: `invalid`, `limit_exceeded`.
 */
export async function provePatterns(condition: Condition, translate: (test: RegexTest) => string, turn: Pick<Turn, 'isOver' | 'pass'> = new Turn()): Promise<void> {
  let written = 0;
  for (const test of patternsIn(condition)) {
    if (turn.isOver) await turn.pass();
    const path = unproven.get(test);
    if (path !== undefined) programSize(test, path);
    unproven.delete(test);
    written += translate(test).length;
    if (written > MOST_WRITTEN) throw limitExceeded('The regular expressions of the filter are too complex');
  }
}

function* patternsIn(condition: Condition): Generator<RegexTest, void> {
  if (condition.kind === 'text') return;
  if (condition.kind === 'field') yield* patternsOf(condition.test);
  else for (const inner of condition.of) yield* patternsIn(inner);
}

function* patternsOf(test: Test): Generator<RegexTest, void> {
  switch (test.kind) {
    case 'regex':
      yield test;
      break;
    case 'not':
    case 'elemMatchValue':
      yield* patternsOf(test.test);
      break;
    case 'elemMatch':
      yield* patternsIn(test.condition);
      break;
    case 'allOf':
      for (const inner of test.of) yield* patternsOf(inner);
      break;
    default:
  }
}
