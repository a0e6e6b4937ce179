import { invalid } from '@twinyard/conventions';
import { parseTimestamp } from '../timestamp';
import { ParsedFilter, type Condition, type Scalar, type Test } from './ast';
import { isScalar } from './comparison';

/**
 * `_ts` of a reading is a date, stored as ISO text in UTC with milliseconds; the order of these texts is that of the dates.
 * So a filter on `_ts` becomes one on texts of that form, and tests that no date meets become tests that nothing meets.
 */
export const withDates = (filter: ParsedFilter): ParsedFilter => new ParsedFilter(inCondition(filter.condition));

const NEVER: Test = Object.freeze({ kind: 'in', scalars: [], arrays: [] });

function inCondition(condition: Condition): Condition {
  switch (condition.kind) {
    case 'and':
    case 'or':
    case 'nor':
      return { kind: condition.kind, of: condition.of.map(inCondition) };
    case 'field':
      return condition.path.length === 1 && condition.path[0] === '_ts' ? { ...condition, test: inTest(condition.test) } : condition;
    case 'text':
      return condition;
  }
}

function inTest(test: Test): Test {
  switch (test.kind) {
    case 'not':
      return { kind: 'not', test: inTest(test.test) };
    case 'allOf':
      return { kind: 'allOf', of: test.of.map(inTest) };
    case 'equal':
      return isScalar(test.value) ? { ...test, value: toIso(test.value) } : NEVER;
    case 'compare':
      return { ...test, value: toIso(test.value) };
    case 'in':
      return { ...test, arrays: [], scalars: test.scalars.map(toIso) };
    case 'type':
      return { kind: 'type', types: test.types.includes('date') ? ['string'] : ['never'] };
    case 'exists':
      return test;
    default:
      return NEVER;
  }
}

function toIso(value: Scalar): Scalar {
  if (typeof value !== 'string') return value;
  const date = parseTimestamp(value);
  if (!date) throw invalid(`_ts: ${JSON.stringify(value)} is no date (ISO 8601)`);
  return date.toISOString();
}
