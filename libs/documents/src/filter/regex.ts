import { invalid, limitExceeded } from '@twinyard/conventions';
import { RE2JS } from 're2js';
import { refuseBrokenText } from './path';
import type { RegexTest } from './value-tests';

const MAX_LENGTH = 1_000;
/** What all patterns of a filter may take to be read: the worst of 1,000 characters takes a tenth of a second, and a filter may hold 1,000. */
const READING_MS = 1_000;
/** MongoDB's `$options`, less `x`, which RE2 does not know; `u` is always on. */
const FLAGS: Readonly<Record<string, number>> = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL, u: 0 };

/** The time that a filter's patterns have taken so far. */
export class RegexBudget {
  private spentMs = 0;

  spend<T>(work: () => T): T {
    const from = performance.now();
    try {
      return work();
    } finally {
      this.spentMs += performance.now() - from;
    }
  }

  check(): void {
    if (this.spentMs > READING_MS) throw limitExceeded('The regular expressions of the filter are too complex together');
  }
}

/** Contract 0.1: the language of RE2, at most 1,000 characters. */
export function parseRegex(operand: unknown, options: unknown, path: string): RegexTest {
  if (typeof operand !== 'string') throw invalid(`${path}: $regex needs a text`);
  refuseBrokenText(operand, `${path}: $regex`);
  if (operand.length > MAX_LENGTH) throw limitExceeded(`${path}: $regex has at most ${MAX_LENGTH} characters`);
  const flags = parseFlags(options ?? '', path);
  try {
    RE2JS.compile(operand, [...flags].reduce((bits, flag) => bits | (FLAGS[flag] ?? 0), 0));
  } catch {
    throw invalid(`${path}: $regex is not a regular expression of RE2 (look-around and back-references are not in it)`);
  }
  return Object.freeze({ kind: 'regex', source: operand, flags: flags.replace('u', '') });
}

function parseFlags(options: unknown, path: string): string {
  const letters = typeof options === 'string' ? [...new Set(options)] : ['?'];
  const unknown = letters.find((letter) => !Object.hasOwn(FLAGS, letter));
  if (unknown !== undefined) throw invalid(`${path}: $options takes i, m, s and u`);
  return letters.join('');
}
