import { z } from 'zod';
import type { Component } from './component';

/** JSON Schema, 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ShownParameter {
  readonly name: string;
  /** In a word: `string`, `string[]`, `string[] | object`. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

/** Of what clients give, so that what has a default is not required. */
export const schemaOf = ({ name, params }: Component): JsonSchema => ({ title: name, ...z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' }) });

/** The parameters one by one, in their order. */
export function shownParameters(component: Component): ShownParameter[] {
  const { properties = {}, required = [] } = schemaOf(component) as { readonly properties?: Readonly<Record<string, JsonSchema>>; readonly required?: readonly string[] };
  return Object.entries(properties).map(([name, schema]) => ({
    name, type: typeOf(schema), isRequired: required.includes(name), description: String(schema['description'] ?? ''),
  }));
}

function typeOf({ anyOf, type, items }: JsonSchema): string {
  if (Array.isArray(anyOf)) return anyOf.map((one: JsonSchema) => typeOf(one)).join(' | ');
  if (type === 'array') return `${typeOf(items as JsonSchema)}[]`;
  return typeof type === 'string' ? type : 'any';
}
