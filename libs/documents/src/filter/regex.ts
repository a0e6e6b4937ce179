import { invalid, limitExceeded } from '@twinyard/conventions';
import { refuseBrokenText } from './path';
import { FLAGS, programSize, proveLater } from './pattern-proof';
import { patternSize } from './pattern-size';
import type { RegexTest } from './value-tests';

export const MAX_LENGTH = 1_000;
/**
 * What patterns may take to compile, about. 20,000 take some 50 ms, for which everybody else waits: what a filter has beyond that is compiled in turns. Counted, not
 * timed: what is refused is refused on every machine. `together` is a thousand for each of a filter's conditions, ten times what most people write.
 * An instruction of the program is 1; `[` is followed by a class whose case has to be folded; a class of Unicode takes the longest.
 */
const MOST = { each: 20_000, atOnce: 20_000, together: 1_000_000 } as const;
const WEIGHTS = { pattern: 30, class: 50, unicode: 100 };
const CLASS = /\[/g;
const UNICODE_CLASS = /\\p/gi;
/** Nothing in it has a meaning but its ends: it is an expression of RE2, whatever it says, and takes no time. */
const PLAIN_TEXT = /^\^?(?:\.\*)?(?:[^\\.+*?()|[\]{}^$]|\\[.+*?()|[\]{}^$\\/-])*(?:\.\*)?\$?$/;

/** How much a filter's patterns take to compile. */
export class RegexBudget {
  private spent = 0;

  /** `atOnce`: nothing is left for later. */
  constructor(private readonly atOnce = false) {}

  /** Whether others can wait for it. */
  spend(weight: number): boolean {
    this.spent += weight;
    if (weight > MOST.each || this.spent > (this.atOnce ? MOST.atOnce : MOST.together)) throw limitExceeded('The regular expressions of the filter are too complex');
    return this.spent <= MOST.atOnce;
  }
}

/** Contract 0.1: the language of RE2, at most 1,000 characters. */
export function parseRegex(operand: unknown, options: unknown, path: string, budget = new RegexBudget()): RegexTest {
  if (typeof operand !== 'string') throw invalid(`${path}: $regex needs a text`);
  refuseBrokenText(operand, `${path}: $regex`);
  if (operand.length > MAX_LENGTH) throw limitExceeded(`${path}: $regex has at most ${MAX_LENGTH} characters`);
  const test: RegexTest = Object.freeze({ kind: 'regex', source: operand, flags: parseFlags(options ?? '', path).replace('u', '') });
  if (PLAIN_TEXT.test(operand)) return test;
  const expected = patternSize(operand);
  if (budget.spend(expected + weightBeside(operand))) budget.spend(Math.max(programSize(test, path) - expected, 0));
  else proveLater(test, path);
  return test;
}

/** What it takes besides its instructions. */
const weightBeside = (pattern: string): number =>
  WEIGHTS.pattern + WEIGHTS.class * (pattern.match(CLASS)?.length ?? 0) + WEIGHTS.unicode * (pattern.match(UNICODE_CLASS)?.length ?? 0);

function parseFlags(options: unknown, path: string): string {
  const letters = typeof options === 'string' ? [...new Set(options)] : ['?'];
  const unknown = letters.find((letter) => !Object.hasOwn(FLAGS, letter));
  if (unknown !== undefined) throw invalid(`${path}: $options takes i, m, s and u`);
  return letters.join('');
}
