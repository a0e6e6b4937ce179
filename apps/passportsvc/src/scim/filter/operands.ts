import { invalidFilter } from '../protocol/scim-error';
import { type Attribute, findAttribute } from '../schema/attribute';
import type { AttributeTarget } from '../schema/user-schema';
import type { ComparisonOperator, FilterValue } from './filter';

/** What a comparison looks at: of a complex attribute its `value`, as in `emails co "@example.com"` (RFC 7644 section 3.4.2.2). */
export function comparable(target: AttributeTarget): AttributeTarget {
  const leaf = target.sub ?? target.attribute;
  if (leaf.type !== 'complex') return target;
  const value = findAttribute(leaf.subAttributes, 'value');
  if (value === undefined) throw invalidFilter(`${leaf.name} has parts, of which one is to be compared`);
  return { ...target, sub: value };
}

const OF_TEXT: readonly ComparisonOperator[] = ['co', 'sw', 'ew'];
const OF_EQUALITY: readonly ComparisonOperator[] = ['eq', 'ne'];

/** The value as the attribute's type has it. RFC 7644 section 3.4.2.2: what a type cannot be asked is an invalid filter. */
export function operandOf(attribute: Attribute, operator: ComparisonOperator, value: FilterValue | number): FilterValue {
  if (value === null) return requireOperator(attribute, operator, OF_EQUALITY, null);
  if (attribute.type === 'boolean') return requireOperator(attribute, operator, OF_EQUALITY, booleanOf(attribute, value));
  if (typeof value !== 'string') throw invalidFilter(`${attribute.name} is compared with a text`);
  if (attribute.type !== 'dateTime') return value;
  if (OF_TEXT.includes(operator)) throw invalidFilter(`${attribute.name} is a time, which ${operator} is not for`);
  return timeOf(attribute, value);
}

function requireOperator(attribute: Attribute, operator: ComparisonOperator, allowed: readonly ComparisonOperator[], value: FilterValue): FilterValue {
  if (!allowed.includes(operator)) throw invalidFilter(`${attribute.name} cannot be compared with ${String(value)} by ${operator}`);
  return value;
}

/** Some providers put quotes around it. */
function booleanOf(attribute: Attribute, value: string | number | boolean): boolean {
  if (typeof value === 'boolean') return value;
  const folded = String(value).toLowerCase();
  if (folded !== 'true' && folded !== 'false') throw invalidFilter(`${attribute.name} is compared with true or false`);
  return folded === 'true';
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?$/;

/** A time without a zone is UTC's. */
function timeOf(attribute: Attribute, value: string): string {
  const time = new Date(/Z$|[+-]\d{2}:\d{2}$/.test(value) ? value : `${value}Z`);
  if (!TIME.test(value) || Number.isNaN(time.getTime())) throw invalidFilter(`${attribute.name} is compared with a time such as "2026-01-31T12:00:00Z"`);
  return time.toISOString();
}
