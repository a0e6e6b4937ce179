import type { RegexTest } from '../filter/value-tests';
import { foldRanges, formatClass, parseClass, type CharacterClass } from './character-class';
import { PCRE_REGEX, POSTGRES_REGEX, type RegexDialect } from './dialect';
import { readEscape } from './escape';
import { refused } from './refused';

/**
 * RE2's syntax as PostgreSQL's (ARE) or MongoDB's (PCRE2), for whether a text matches at all: laziness and groups' numbers mean
 * nothing here. What is not taken over with an equal meaning is refused, never guessed, and by both stores alike: Unicode classes,
 * flags inside the pattern, counts above 255. Case is folded here, since the engines' own folding differs (and PostgreSQL's
 * depends on the database's locale); so that `.`, `^`, `$` and `[^…]` see line ends only where this file says so, PostgreSQL
 * gets `flag "s"` and MongoDB no options. What a pattern has become is remembered for as long as it is there.
 */
export const toPostgresRegex = remembered(POSTGRES_REGEX);
export const toMongoRegex = remembered(PCRE_REGEX);

function remembered(dialect: RegexDialect): (test: RegexTest) => string {
  const known = new WeakMap<RegexTest, string>();
  return (test) => {
    const pattern = known.get(test) ?? new RegexTranslator(test, dialect).translate();
    known.set(test, pattern);
    return pattern;
  };
}

const WORD = '[0-9A-Za-z_]';
const BOUNDARY = `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`;
const NO_BOUNDARY = `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`;
/** PostgreSQL's DUPMAX. */
const MAX_COUNT = 255;
const MAX_DEPTH = 50;

class RegexTranslator {
  private position = 0;
  private readonly source: string;
  private readonly flags: Set<string>;

  constructor({ source, flags }: RegexTest, private readonly dialect: RegexDialect) {
    this.source = source;
    const leading = /^\(\?([ims]+)\)/.exec(source);
    this.flags = new Set([...flags, ...(leading?.[1] ?? '')]);
    this.position = leading?.[0].length ?? 0;
  }

  translate(): string {
    return this.alternatives(0);
  }

  private alternatives(depth: number): string {
    if (depth > MAX_DEPTH) throw refused('groups nested deeper than 50');
    let out = this.sequence(depth);
    while (this.take('|')) out += `|${this.sequence(depth)}`;
    return out;
  }

  private sequence(depth: number): string {
    let out = '';
    while (this.position < this.source.length && !'|)'.includes(this.source[this.position] as string)) out += this.piece(depth);
    return out;
  }

  private piece(depth: number): string {
    const start = this.position;
    const atom = this.atom(depth);
    const isAssertion = atom === '' || /^(\^|\$|\\(A|z|b|B))$/.test(this.source.slice(start, this.position));
    const count = this.quantifier();
    if (count === '') return atom;
    if (isAssertion) throw refused('a repeated ^, $, \\b or empty group');
    return `(?:${atom})${count}`;
  }

  private quantifier(): string {
    const rest = this.source.slice(this.position);
    const match = /^(?:[*+?]|\{\d+(?:,\d*)?\})/.exec(rest);
    if (!match) return '';
    const counts = match[0].match(/\d+/g) ?? [];
    if (counts.some((count) => Number(count) > MAX_COUNT)) throw refused(`a count above ${MAX_COUNT}`);
    this.position += match[0].length;
    this.take('?');
    return match[0];
  }

  private atom(depth: number): string {
    const character = String.fromCodePoint(this.source.codePointAt(this.position) as number);
    this.position += character.length;
    switch (character) {
      case '(':
        return this.group(depth);
      case '[':
        return this.class();
      case '\\':
        return this.escape();
      case '.':
        return this.flags.has('s') ? this.dialect.anything : '[^\\n]';
      case '^':
        return this.flags.has('m') ? `(?:${this.dialect.start}|(?<=\\n))` : this.dialect.start;
      case '$':
        return this.flags.has('m') ? `(?:${this.dialect.end}|(?=\\n))` : this.dialect.end;
      default:
        return this.literal(character);
    }
  }

  private group(depth: number): string {
    const opening = /^\?(?::|P?<[A-Za-z_0-9]+>)/.exec(this.source.slice(this.position));
    if (this.source[this.position] === '?' && !opening) throw refused('flags inside the pattern (use $options)');
    this.position += opening?.[0].length ?? 0;
    const inner = this.alternatives(depth + 1);
    this.take(')');
    return inner === '' ? '' : `(?:${inner})`;
  }

  private class(): string {
    const { ranges, negated, end } = parseClass(this.source, this.position);
    this.position = end;
    return this.formatted({ ranges, negated });
  }

  private escape(): string {
    const { result, end } = readEscape(this.source, this.position);
    this.position = end;
    switch (result.kind) {
      case 'class':
        return this.formatted(result.class);
      case 'text':
        return [...result.text].map((character) => this.literal(character)).join('');
      case 'assertion':
        return { A: this.dialect.start, z: this.dialect.end, b: BOUNDARY, B: NO_BOUNDARY }[result.assertion];
    }
  }

  private literal(character: string): string {
    const code = character.codePointAt(0) as number;
    return this.formatted({ negated: false, ranges: [[code, code]] });
  }

  private formatted({ ranges, negated }: CharacterClass): string {
    return formatClass({ negated, ranges: this.flags.has('i') ? foldRanges(ranges) : ranges }, this.dialect);
  }

  private take(character: string): boolean {
    const there = this.source[this.position] === character;
    if (there) this.position += 1;
    return there;
  }
}
