import type { Scalar, Test } from '../filter/ast';
import type { JsonType } from '../filter/value-tests';
import { literal } from './json-path';
import { toPostgresRegex } from '../regex/translation';

/**
 * A test as an SQL/JSON path predicate over the values `at` (for example `@."a"."b"`). Lax comparison looks into arrays one
 * level, which is MongoDB's matching by element. `whole`: it needs `at` to be one value, since `.type()` and `.size()` do not
 * look into arrays and would mix several.
 */
export interface LeafPredicate {
  readonly text: (at: string) => string;
  readonly whole: boolean;
}

export const SIGNS = { $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' } as const;

type LeafTest = Exclude<Test, { kind: 'elemMatch' | 'elemMatchValue' | 'allOf' | 'not' }>;

/** `null` and exact arrays are the compiler's own work: nothing is said of them here. */
export function leafPredicate(test: LeafTest): LeafPredicate {
  switch (test.kind) {
    case 'equal':
      return perElement((at) => `${at} == ${literal(test.value)}`);
    case 'compare':
      return perElement((at) => `${at} ${SIGNS[test.operator]} ${literal(test.value)}`);
    case 'in':
      return perElement((at) => anyOf(test.scalars, at));
    case 'exists':
      return perElement((at) => `exists(${at})`);
    case 'regex': {
      const pattern = literal(toPostgresRegex(test));
      return perElement((at) => `${at} like_regex ${pattern} flag "s"`);
    }
    case 'mod':
      return perElement((at) => `exists(${at} ? (@.type() == "number" && ${INT64} && ${remainder(test.divisor, test.remainder)}))`);
    case 'size':
      return { whole: true, text: (at) => `${at}.type() == "array" && ${at}.size() == ${test.size}` };
    case 'type':
      return typePredicate(test.types);
  }
}

const perElement = (text: (at: string) => string): LeafPredicate => ({ text, whole: false });
const anyOf = (values: readonly Scalar[], at: string) => values.map((value) => `${at} == ${literal(value)}`).join(' || ');

/** MongoDB cuts the value to a whole number first; the sign of the remainder is that of the value, as in SQL. */
const remainder = (divisor: number, expected: number) =>
  `((@ >= 0 && @.floor() % (${divisor}) == ${expected}) || (@ < 0 && @.ceiling() % (${divisor}) == ${expected}))`;

/** What does not fit 64 bits has no remainder. 2^63 is written 9223372036854776000, the double before it …775000. */
const INT64 = '@ >= -9223372036854776000 && @ < 9223372036854775500';
const INT32 = '@ >= -2147483648 && @ <= 2147483647 && @.floor() == @';
/** What the BSON types are in JSON: the driver sends whole numbers of 32 bits as `int`, all others as `double`. */
const TYPE_PREDICATES: Readonly<Record<Exclude<JsonType, 'array' | 'date' | 'never'>, string>> = {
  number: '@.type() == "number"',
  int: `@.type() == "number" && ${INT32}`,
  double: `@.type() == "number" && !(${INT32})`,
  string: '@.type() == "string"',
  object: '@.type() == "object"',
  bool: '@.type() == "boolean"',
  null: '@.type() == "null"',
};

function typePredicate(types: readonly JsonType[]): LeafPredicate {
  const elements = types.flatMap((type) => (type === 'array' || type === 'date' || type === 'never' ? [] : [`(${TYPE_PREDICATES[type]})`]));
  const isArray = types.includes('array');
  if (elements.length === 0 && !isArray) return perElement(() => '1 == 0');
  const text = (at: string) =>
    [...(isArray ? [`${at}.type() == "array"`] : []), ...(elements.length > 0 ? [`exists(${at} ? (${elements.join(' || ')}))`] : [])].join(' || ');
  return { whole: isArray, text };
}

