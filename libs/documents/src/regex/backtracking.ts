/** How often a backtracking matcher may try at one place of a text of `n` characters: `factor` times n to the power of `degree`. */
interface Tries {
  readonly degree: number;
  readonly factor: number;
}

const ONE: Tries = { degree: 0, factor: 1 };
/** PCRE2's `MATCH_LIMIT` is 10 million, for each place; a try may count for several. */
const MOST_TRIES = 1_000_000;

const GROUP = /\(\?(?:<?[=!]|:)/y;
const CLASS = /\[\^?(?:\\x\{[^}]*\}|\\.|[^\]])*\]/y;
const ESCAPE = /\\(?:x\{[^}]*\}|.)/sy;
const QUANTIFIER = /[*+?]|\{(\d+)(?:(,)(\d*))?\}/y;

/**
 * On texts of more than how many bytes PCRE2 could give up before it knows if a pattern matches: it does when it has gone back too often, and MongoDB's `$regex`
 * takes that for a text that does not match. `Infinity`: on none; 0: on any, which it says too where it cannot tell. The pattern is one that `toMongoRegex` made.
 */
export function givesUpBeyond(pattern: string): number {
  const { degree, factor } = new TriesReader(pattern).read();
  if (degree === 0) return factor > MOST_TRIES ? 0 : Infinity;
  return degree === 1 ? Math.floor(MOST_TRIES / factor) : 0;
}

class TriesReader {
  private position = 0;

  constructor(private readonly pattern: string) {}

  read(): Tries {
    let all = this.sequence();
    while (this.take(/\|/y)) all = either(all, this.sequence());
    return all;
  }

  private sequence(): Tries {
    let all = ONE;
    while (this.position < this.pattern.length && !'|)'.includes(this.pattern[this.position] as string)) {
      const piece = this.atom();
      all = both(all, this.repeated(piece));
    }
    return all;
  }

  private atom(): Tries {
    if (this.take(GROUP)) {
      const inner = this.read();
      this.take(/\)/y);
      return inner;
    }
    if (!this.take(CLASS) && !this.take(ESCAPE)) this.take(/./suy);
    return ONE;
  }

  private repeated(piece: Tries): Tries {
    const quantifier = this.take(QUANTIFIER);
    if (!quantifier) return piece;
    const [least, most] = boundsOf(quantifier);
    const isFixed = piece.degree === 0 && piece.factor === 1;
    if (most === Infinity) return isFixed ? { degree: 1, factor: 1 } : { degree: Infinity, factor: 1 };
    return { degree: piece.degree * most, factor: piece.factor ** most * (most - least + 1) };
  }

  private take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.position;
    const found = expression.exec(this.pattern) ?? undefined;
    this.position += found?.[0].length ?? 0;
    return found;
  }
}

function boundsOf([sign, least, comma, most]: RegExpExecArray): readonly [least: number, most: number] {
  if (least === undefined) return [sign === '+' ? 1 : 0, sign === '?' ? 1 : Infinity];
  if (comma === undefined) return [Number(least), Number(least)];
  return [Number(least), most ? Number(most) : Infinity];
}

const both = (one: Tries, other: Tries): Tries => ({ degree: one.degree + other.degree, factor: one.factor * other.factor });

const either = (one: Tries, other: Tries): Tries => ({ degree: Math.max(one.degree, other.degree), factor: one.factor + other.factor });
