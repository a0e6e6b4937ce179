import { invalidFilter } from '../protocol/scim-error';
import { type Attribute, findAttribute } from '../schema/attribute';
import { type AttributeTarget, findTarget } from '../schema/user-schema';
import { type ComparisonOperator, COMPARISONS, type Filter, type FilterValue, type UserFilter, type ValueFilter } from './filter';
import { comparable, operandOf } from './operands';
import { type Token, toTokens } from './tokens';

/** Deeper and longer than what any provider sends, and no burden to the database. */
const MAX_DEPTH = 20;
const MAX_CONDITIONS = 100;

/** @throws ScimError `invalidFilter` */
export function parseUserFilter(text: string): UserFilter {
  const cursor = new Cursor(toTokens(text));
  return cursor.whole(parseOr(cursor, userLeaves, 0));
}

/** What stands between brackets, about the values of one attribute. */
export function parseValueFilter(text: string, attribute: Attribute): ValueFilter {
  const cursor = new Cursor(toTokens(text));
  return cursor.whole(parseOr(cursor, valueLeaves(attribute), 0));
}

class Cursor {
  private position = 0;
  private conditions = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  word(): string {
    const token = this.tokens[this.position];
    if (token?.kind !== 'word') throw this.unexpected('a name');
    this.position += 1;
    return token.text;
  }

  /** Whether the word is next, which is then passed. */
  passWord(word: string): boolean {
    const token = this.tokens[this.position];
    const isNext = token?.kind === 'word' && token.text.toLowerCase() === word;
    if (isNext) this.position += 1;
    return isNext;
  }

  passMark(mark: string): boolean {
    const token = this.tokens[this.position];
    const isNext = token?.kind === 'mark' && token.text === mark;
    if (isNext) this.position += 1;
    return isNext;
  }

  requireMark(mark: string): void {
    if (!this.passMark(mark)) throw this.unexpected(`\`${mark}\``);
  }

  value(): FilterValue | number {
    const token = this.tokens[this.position];
    if (token?.kind === 'value') {
      this.position += 1;
      return token.value;
    }
    const literal = token?.kind === 'word' ? LITERALS.get(token.text.toLowerCase()) : undefined;
    if (literal === undefined) throw this.unexpected('a text in double quotes, a number, true, false or null');
    this.position += 1;
    return literal;
  }

  countCondition(): void {
    this.conditions += 1;
    if (this.conditions > MAX_CONDITIONS) throw invalidFilter(`has more than ${MAX_CONDITIONS} conditions`);
  }

  whole<F>(filter: F): F {
    if (this.position < this.tokens.length) throw this.unexpected('`and`, `or` or the end');
    return filter;
  }

  private unexpected(wanted: string) {
    const token = this.tokens[this.position];
    if (token === undefined) return invalidFilter(`ends where ${wanted} should be`);
    return invalidFilter(`has ${JSON.stringify(token.kind === 'value' ? token.value : token.text)} where ${wanted} should be`);
  }
}

const LITERALS: ReadonlyMap<string, FilterValue> = new Map<string, FilterValue>([['true', true], ['false', false], ['null', null]]);

/** What conditions are about, in a filter of users or between brackets. */
interface Leaves<L> {
  find(path: string): L;
  compared(leaf: L): L;
  attributeOf(leaf: L): Attribute;
  /** `emails[…]`; no brackets within brackets. */
  values(cursor: Cursor, leaf: L, depth: number): Filter<L>;
}

const userLeaves: Leaves<AttributeTarget> = {
  find(path) {
    const target = findTarget(path);
    if (target === undefined) throw invalidFilter(`there is no attribute ${path}`);
    return target;
  },
  compared: comparable,
  attributeOf: ({ attribute, sub }) => sub ?? attribute,
  values(cursor, target, depth) {
    const { attribute, sub } = target;
    if (!attribute.multiValued || sub !== undefined) throw invalidFilter(`${attribute.name} has no values to choose from`);
    const leaves = valueLeaves(attribute);
    const filter = parseOr(cursor, leaves, depth + 1);
    cursor.requireMark(']');
    if (!cursor.passMark('.')) return { kind: 'values', of: target, filter };
    return { kind: 'values', of: target, filter: { kind: 'and', filters: [filter, parseOperation(cursor, leaves, leaves.find(cursor.word()))] } };
  },
};

const valueLeaves = (attribute: Attribute): Leaves<Attribute> => ({
  find(path) {
    const sub = findAttribute(attribute.subAttributes, path);
    if (sub === undefined) throw invalidFilter(`${attribute.name} has no part ${path}`);
    return sub;
  },
  compared: (sub) => sub,
  attributeOf: (sub) => sub,
  values() {
    throw invalidFilter('has brackets within brackets');
  },
});

function parseOr<L>(cursor: Cursor, leaves: Leaves<L>, depth: number): Filter<L> {
  const filters = [parseAnd(cursor, leaves, depth)];
  while (cursor.passWord('or')) filters.push(parseAnd(cursor, leaves, depth));
  return joined('or', filters);
}

function parseAnd<L>(cursor: Cursor, leaves: Leaves<L>, depth: number): Filter<L> {
  const filters = [parseTerm(cursor, leaves, depth)];
  while (cursor.passWord('and')) filters.push(parseTerm(cursor, leaves, depth));
  return joined('and', filters);
}

function joined<L>(kind: 'and' | 'or', filters: readonly Filter<L>[]): Filter<L> {
  const [only, ...others] = filters;
  return only !== undefined && others.length === 0 ? only : { kind, filters };
}

function parseTerm<L>(cursor: Cursor, leaves: Leaves<L>, depth: number): Filter<L> {
  if (depth > MAX_DEPTH) throw invalidFilter(`is nested deeper than ${MAX_DEPTH} levels`);
  if (cursor.passMark('(')) return parseGroup(cursor, leaves, depth);
  if (cursor.passWord('not')) {
    cursor.requireMark('(');
    return { kind: 'not', filter: parseGroup(cursor, leaves, depth) };
  }
  const leaf = leaves.find(cursor.word());
  return cursor.passMark('[') ? leaves.values(cursor, leaf, depth) : parseOperation(cursor, leaves, leaf);
}

function parseGroup<L>(cursor: Cursor, leaves: Leaves<L>, depth: number): Filter<L> {
  const filter = parseOr(cursor, leaves, depth + 1);
  cursor.requireMark(')');
  return filter;
}

function parseOperation<L>(cursor: Cursor, leaves: Leaves<L>, leaf: L): Filter<L> {
  cursor.countCondition();
  if (cursor.passWord('pr')) return { kind: 'present', of: leaf };
  const word = cursor.word();
  const operator = word.toLowerCase() as ComparisonOperator;
  if (!COMPARISONS.includes(operator)) throw invalidFilter(`there is no operator ${word}`);
  const of = leaves.compared(leaf);
  return { kind: 'compare', of, operator, value: operandOf(leaves.attributeOf(of), operator, cursor.value()) };
}
