import { invalid, limitExceeded } from '@twinyard/conventions';
import { RE2JS } from 're2js';
import { refuseBrokenText } from './path';
import type { RegexTest } from './value-tests';

const MAX_LENGTH = 1_000;
/**
 * What all patterns of a filter may be compiled to together, beyond what each may be for nothing: the worst of 1,000 instructions take a tenth
 * of a second to make, and a filter may hold 1,000 patterns. Instructions, not time: what is refused is refused on every machine.
 */
const MAX_INSTRUCTIONS = 10_000;
const FREE_INSTRUCTIONS = 50;
/** MongoDB's `$options`, less `x`, which RE2 does not know; `u` is always on. */
const FLAGS: Readonly<Record<string, number>> = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL, u: 0 };

/** How much a filter's patterns are compiled to. */
export class RegexBudget {
  private spent = 0;

  spend(instructions: number): void {
    this.spent += Math.max(0, instructions - FREE_INSTRUCTIONS);
    if (this.spent > MAX_INSTRUCTIONS) throw limitExceeded('The regular expressions of the filter are too complex together');
  }
}

/** Contract 0.1: the language of RE2, at most 1,000 characters. */
export function parseRegex(operand: unknown, options: unknown, path: string, budget = new RegexBudget()): RegexTest {
  if (typeof operand !== 'string') throw invalid(`${path}: $regex needs a text`);
  refuseBrokenText(operand, `${path}: $regex`);
  if (operand.length > MAX_LENGTH) throw limitExceeded(`${path}: $regex has at most ${MAX_LENGTH} characters`);
  const flags = parseFlags(options ?? '', path);
  budget.spend(sizeOf(operand, flags, path));
  return Object.freeze({ kind: 'regex', source: operand, flags: flags.replace('u', '') });
}

/** Instructions of the compiled pattern. */
function sizeOf(pattern: string, flags: string, path: string): number {
  try {
    return RE2JS.compile(pattern, [...flags].reduce((bits, flag) => bits | (FLAGS[flag] ?? 0), 0)).programSize();
  } catch {
    throw invalid(`${path}: $regex is not a regular expression of RE2 (look-around and back-references are not in it)`);
  }
}

function parseFlags(options: unknown, path: string): string {
  const letters = typeof options === 'string' ? [...new Set(options)] : ['?'];
  const unknown = letters.find((letter) => !Object.hasOwn(FLAGS, letter));
  if (unknown !== undefined) throw invalid(`${path}: $options takes i, m, s and u`);
  return letters.join('');
}
