import { foldCase } from '@twinyard/conventions';
import type { Attribute } from '../schema/attribute';
import type { Json, JsonObject } from '../schema/attribute-values';
import type { ComparisonOperator, FilterValue, ValueFilter } from './filter';

/** Whether one value of a multi-valued attribute is among those that brackets choose. */
export function matchesValue(filter: ValueFilter, value: JsonObject): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.filters.every((part) => matchesValue(part, value));
    case 'or':
      return filter.filters.some((part) => matchesValue(part, value));
    case 'not':
      return !matchesValue(filter.filter, value);
    case 'present':
      return value[filter.of.name] !== undefined;
    case 'compare':
      return compares(filter.of, filter.operator, value[filter.of.name], filter.value);
    case 'values':
      return false;
  }
}

function compares(attribute: Attribute, operator: ComparisonOperator, stored: Json | undefined, wanted: FilterValue): boolean {
  if (operator === 'ne') return !compares(attribute, 'eq', stored, wanted);
  if (wanted === null || stored === undefined || stored === null) return operator === 'eq' && wanted === null && (stored === undefined || stored === null);
  const fold = (text: unknown) => (attribute.caseExact === true ? String(text) : foldCase(String(text)));
  return BY_OPERATOR[operator](fold(stored), fold(wanted));
}

const BY_OPERATOR: Readonly<Record<Exclude<ComparisonOperator, 'ne'>, (stored: string, wanted: string) => boolean>> = {
  eq: (stored, wanted) => stored === wanted,
  co: (stored, wanted) => stored.includes(wanted),
  sw: (stored, wanted) => stored.startsWith(wanted),
  ew: (stored, wanted) => stored.endsWith(wanted),
  gt: (stored, wanted) => stored > wanted,
  ge: (stored, wanted) => stored >= wanted,
  lt: (stored, wanted) => stored < wanted,
  le: (stored, wanted) => stored <= wanted,
};

/** What a value has to have for brackets that only ask for equality: `[type eq "work"]` → `{ type: 'work' }`; `undefined` for all others. */
export function valueAskedFor(filter: ValueFilter): JsonObject | undefined {
  if (filter.kind === 'compare') return filter.operator === 'eq' && filter.value !== null ? { [filter.of.name]: filter.value } : undefined;
  if (filter.kind !== 'and') return undefined;
  const parts = filter.filters.map(valueAskedFor);
  return parts.every((part) => part !== undefined) ? (Object.assign({}, ...parts) as JsonObject) : undefined;
}
