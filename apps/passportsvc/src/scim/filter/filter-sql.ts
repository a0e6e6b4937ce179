import { folded } from '@twinyard/service-kit';
import { type Attribute, findAttribute } from '../schema/attribute';
import type { AttributeTarget } from '../schema/user-schema';
import type { ComparisonOperator, Filter, FilterValue, UserFilter } from './filter';
import { type Column, columnOf, partColumnOf, valuesOf } from './user-columns';

/** Values of a statement, by position. */
export class SqlParameters {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/**
 * A filter as a condition on `app_user u LEFT JOIN scim_user s`. What is not there makes a comparison NULL, and that is not true;
 * only a negation has to say so. A multi-valued attribute matches when one of its values does (RFC 7644 section 3.4.2.2); where
 * none of them has the part that is compared, it is compared like an attribute that is not there.
 */
export const toSql = (filter: UserFilter, parameters: SqlParameters): string => compile(filter, parameters, userLeaf);

interface LeafCompiler<L> {
  attributeOf(leaf: L): Attribute;
  /** Puts a condition on the column, or on one of the values. */
  where(leaf: L, condition: (column: Column) => string, holdsForNone: boolean): string;
  present(leaf: L): string;
}

function compile<L>(filter: Filter<L>, parameters: SqlParameters, leaves: LeafCompiler<L>): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `(${filter.filters.map((part) => compile(part, parameters, leaves)).join(filter.kind === 'and' ? ' AND ' : ' OR ')})`;
    case 'not':
      return `(${compile(filter.filter, parameters, leaves)}) IS NOT TRUE`;
    case 'present':
      return leaves.present(filter.of);
    case 'values':
      return anyValue((filter.of as AttributeTarget).attribute, compile(filter.filter, parameters, partLeaf));
    case 'compare':
      return compileComparison(filter, parameters, leaves);
  }
}

function compileComparison<L>({ of, operator, value }: Extract<Filter<L>, { kind: 'compare' }>, parameters: SqlParameters, leaves: LeafCompiler<L>): string {
  const attribute = leaves.attributeOf(of);
  if (value === null) return operator === 'eq' ? `(${leaves.present(of)}) IS NOT TRUE` : leaves.present(of);
  const operand = operandSql(attribute, value, parameters);
  return leaves.where(of, ({ compared }) => comparison(attribute, compared, operator, operand), operator === 'ne');
}

function operandSql(attribute: Attribute, value: Exclude<FilterValue, null>, parameters: SqlParameters): string {
  if (attribute.type === 'boolean') return `${parameters.add(value)}::boolean`;
  if (attribute.type === 'dateTime') return `${parameters.add(value)}::timestamptz`;
  const text = `${parameters.add(value)}::text`;
  return attribute.caseExact === true ? text : folded(text);
}

const ORDER: Readonly<Partial<Record<ComparisonOperator, string>>> = { gt: '>', ge: '>=', lt: '<', le: '<=' };

function comparison(attribute: Attribute, column: string, operator: ComparisonOperator, operand: string): string {
  switch (operator) {
    case 'eq':
      return `${column} = ${operand}`;
    case 'ne':
      return `${column} IS DISTINCT FROM ${operand}`;
    case 'co':
      return `strpos(${column}, ${operand}) > 0`;
    case 'sw':
      return `starts_with(${column}, ${operand})`;
    case 'ew':
      return `right(${column}, length(${operand})) = ${operand}`;
    default:
      return `${column}${attribute.type === 'dateTime' ? '' : ' COLLATE "C"'} ${ORDER[operator]} ${operand}`;
  }
}

const userLeaf: LeafCompiler<AttributeTarget> = {
  attributeOf: ({ attribute, sub }) => sub ?? attribute,
  where(target, condition, holdsForNone) {
    const { attribute, sub } = target;
    if (!attribute.multiValued || sub === undefined) return condition(columnOf(target));
    const column = partColumnOf(sub);
    if (!holdsForNone) return anyValue(attribute, condition(column));
    return `(${anyValue(attribute, `${column.value} IS NOT NULL AND ${condition(column)}`)} OR NOT ${userLeaf.present(target)})`;
  },
  present(target) {
    const { attribute, sub } = target;
    if (!attribute.multiValued) return presentSingle(target);
    return sub === undefined ? `${valuesOf(attribute)} <> '[]'` : anyValue(attribute, `${partColumnOf(sub).value} IS NOT NULL`);
  },
};

const partLeaf: LeafCompiler<Attribute> = {
  attributeOf: (sub) => sub,
  where: (sub, condition) => condition(partColumnOf(sub)),
  present: (sub) => `${partColumnOf(sub).value} IS NOT NULL`,
};

const anyValue = (attribute: Attribute, condition: string) => `EXISTS (SELECT FROM jsonb_array_elements(${valuesOf(attribute)}) AS e (value) WHERE ${condition})`;

/** A complex attribute is there when one of its parts is. */
function presentSingle(target: AttributeTarget): string {
  const { attribute, sub } = target;
  if (sub !== undefined || attribute.subAttributes === undefined) return `${columnOf(target).value} IS NOT NULL`;
  return `(${attribute.subAttributes.map((part) => `${columnOf({ ...target, sub: part }).value} IS NOT NULL`).join(' OR ')})`;
}

/** What a list is sorted by: the primary value, else the first, of a multi-valued attribute (RFC 7644 section 3.4.2.3). */
export function sortExpression(target: AttributeTarget): string {
  const { attribute, sub = findAttribute(attribute.subAttributes, 'value') } = target;
  const leaf = sub ?? attribute;
  const collation = leaf.type === 'string' || leaf.type === 'reference' ? ' COLLATE "C"' : '';
  if (!attribute.multiValued || sub === undefined) return `${columnOf({ ...target, ...(sub && { sub }) }).compared}${collation}`;
  const { compared } = partColumnOf(sub);
  return `(SELECT ${compared} FROM jsonb_array_elements(${valuesOf(attribute)}) WITH ORDINALITY AS e (value, position)
    ORDER BY (e.value ->> 'primary')::boolean IS TRUE DESC, e.position LIMIT 1)${collation}`;
}
