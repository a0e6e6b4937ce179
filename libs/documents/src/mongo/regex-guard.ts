import { invalidField } from '@twinyard/conventions';
import type { Condition, Path, Test } from '../filter/ast';
import type { RegexTest } from '../filter/value-tests';
import { givesUpBeyond } from '../regex/backtracking';
import { toMongoRegex } from '../regex/translation';
import { encodeName } from './field-names';
import type { MongoFilter } from './filter-compiler';

/** The way to texts: names of fields, and the elements of an array. */
type Step = string | symbol;
const ELEMENTS = Symbol('elements');

interface Guard {
  readonly steps: readonly Step[];
  readonly pattern: string;
  /** Texts of more bytes are looked at. */
  readonly beyond: number;
  /** Whether a text that matches speaks against the document. */
  readonly isNegated: boolean;
}

type Match = Pick<Guard, 'pattern' | 'beyond'>;

type Expression = Readonly<Record<string, unknown>> | string;

/** Each step nests the look by two levels more, and a query has 180 at most. */
const MOST_STEPS = 32;
/** The most that `$arrayElemAt` takes. */
const MOST_INDEX = 2 ** 31 - 1;
/** Where a row of ours says what its document weighs. */
const BYTES = 'bytes';

/**
 * Has the server refuse (51156) what it would answer wrongly: where PCRE2 gives up on a text, `$regex` takes the text for one that does not match,
 * and only `$regexMatch` says it. So whatever `filter` leaves out for a regular expression that may be given up, and whatever it lets through for the
 * negation of one, is looked at by `$regexMatch` too. That look never decides anything: it is false, or it fails.
 *
 * @param filter what `test` was compiled to
 * @param name of the field, as it is stored
 */
export function guarded(filter: MongoFilter, name: string, test: Test): MongoFilter {
  const guards = guardsOf(test, name.split('.'), false);
  const [leavesOut, letsThrough] = [guards.filter(({ isNegated }) => !isNegated), guards.filter(({ isNegated }) => isNegated)];
  const looked = leavesOut.length > 0 ? { $or: [filter, ...leavesOut.map(lookOf)] } : filter;
  return letsThrough.length > 0 ? { $and: [looked, { $nor: letsThrough.map(lookOf) }] } : looked;
}

function guardsOf(test: Test, steps: readonly Step[], isNegated: boolean): readonly Guard[] {
  switch (test.kind) {
    case 'regex':
      return guardOf(test, steps, isNegated);
    case 'not':
      return guardsOf(test.test, steps, !isNegated);
    case 'allOf':
      return test.of.flatMap((inner) => guardsOf(inner, steps, isNegated));
    case 'elemMatchValue':
      return guardsOf(test.test, [...steps, ELEMENTS], isNegated);
    case 'elemMatch':
      return guardsIn(test.condition, [...steps, ELEMENTS], isNegated);
    default:
      return [];
  }
}

function guardsIn(condition: Condition, steps: readonly Step[], isNegated: boolean): readonly Guard[] {
  if (condition.kind === 'text') return [];
  if (condition.kind === 'field') return guardsOf(condition.test, [...steps, ...namesOf(condition.path)], isNegated);
  return condition.of.flatMap((inner) => guardsIn(inner, steps, condition.kind === 'nor' ? !isNegated : isNegated));
}

const namesOf = (path: Path) => path.map(encodeName);

function guardOf(test: RegexTest, steps: readonly Step[], isNegated: boolean): readonly Guard[] {
  const pattern = toMongoRegex(test);
  const beyond = givesUpBeyond(pattern);
  if (beyond === Infinity) return [];
  if (steps.length > MOST_STEPS) throw invalidField('query', `$regex: an expression that may be tried for long takes a path of at most ${MOST_STEPS - 1} steps here`);
  return [{ steps, pattern, beyond, isNegated }];
}

/** What the look says is no number. Before it stands what an index may be asked, or is said at once: how a text begins that is tried for long, and that a document of fewer bytes holds none of so many. */
function lookOf(guard: Guard): MongoFilter {
  const { steps, pattern, beyond } = guard;
  const beginning = steps.includes(ELEMENTS) ? undefined : beginningOf(pattern);
  const before = [...(beginning === undefined ? [] : [{ [steps.join('.')]: { $regex: beginning } }]), ...(beyond === 0 ? [] : [{ [BYTES]: { $gt: beyond } }])];
  const look = { $expr: { $eq: [matchesOf(guard), -1] } };
  return before.length === 0 ? look : { $and: [...before, look] };
}

/** Letters that a text begins with, or is told at once; what may be repeated or left out stands in a group. */
const beginningOf = (pattern: string): string | undefined => (pattern.includes('|') ? undefined : /^\\A[A-Za-z0-9]+/.exec(pattern)?.[0]);

/** Whether texts match, in lists as deep as the way to them: what they were made one list of would be copied for each of them. */
const matchesOf = ({ steps: [first, ...rest], ...guard }: Guard): unknown => inEach(`$${String(first)}`, [...rest, ELEMENTS], guard);

const inEach = (value: string, [step, ...rest]: readonly Step[], guard: Match): unknown => (
  step === undefined ? matchOf(value, guard) : { $map: { input: valuesAt(value, step), as: 'value', in: inEach('$$value', rest, guard) } }
);

function matchOf(text: string, { pattern, beyond }: Match): Expression {
  const match = { $regexMatch: { input: text, regex: { $literal: pattern } } };
  const long = beyond === 0 ? match : { $cond: [{ $gt: [{ $strLenBytes: text }, beyond] }, match, false] };
  return { $cond: [{ $eq: [{ $type: text }, 'string'] }, long, false] };
}

/** What a step leads to from a value. */
const valuesAt = (value: string, step: Step): Expression => (typeof step === 'string' ? fieldsNamed(value, step) : { $concatArrays: [[value], ofArray(value, value, [])] });

const ofArray = (value: string, then: unknown, otherwise: unknown): Expression => ({ $cond: [{ $isArray: [value] }, then, otherwise] });

/** A number is a name, or a place in an array; what a path of a filter finds is among it. */
function fieldsNamed(value: string, name: string): Expression {
  const isPlace = /^(0|[1-9]\d*)$/.test(name) && Number(name) <= MOST_INDEX;
  const objects = { $filter: { input: value, as: 'element', cond: { $eq: [{ $type: '$$element' }, 'object'] } } };
  const named = { $map: { input: objects, as: 'element', in: `$$element.${name}` } };
  return ofArray(value, isPlace ? { $concatArrays: [named, [{ $arrayElemAt: [value, Number(name)] }]] } : named, [`${value}.${name}`]);
}
