import type { Attribute } from '../schema/attribute';
import type { AttributeTarget } from '../schema/user-schema';

export const COMPARISONS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type ComparisonOperator = (typeof COMPARISONS)[number];
export type FilterValue = string | boolean | null;

/**
 * A filter of RFC 7644 section 3.4.2.2, checked against the schema. `L` is what a condition is about: an attribute of a user, or
 * within brackets a sub-attribute of one value.
 */
export type Filter<L> =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter<L>[] }
  | { readonly kind: 'not'; readonly filter: Filter<L> }
  | { readonly kind: 'present'; readonly of: L }
  | { readonly kind: 'compare'; readonly of: L; readonly operator: ComparisonOperator; readonly value: FilterValue }
  | { readonly kind: 'values'; readonly of: L; readonly filter: ValueFilter };

export type UserFilter = Filter<AttributeTarget>;
export type ValueFilter = Filter<Attribute>;
