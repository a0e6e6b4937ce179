import type { OpenAPIObject } from '@nestjs/swagger';
import { getMetadataStorage } from 'class-validator';

/** What of a class-validator rule is read here. */
interface Rule {
  readonly propertyName: string;
  /** `maxLength` */
  readonly name?: string;
  readonly constraints?: readonly unknown[];
  /** Whether it is about each entry of a list. */
  readonly each: boolean;
}

interface Schema {
  readonly type?: string;
  readonly items?: Schema;
  readonly [keyword: string]: unknown;
}

type Keywords = Readonly<Record<string, unknown>>;
type Class = abstract new (...args: never[]) => unknown;

/** In keywords of JSON Schema (2020-12, validation), for what has them. */
const TEXTS: Readonly<Record<string, (constraints: readonly unknown[]) => Keywords>> = {
  isNotEmpty: () => ({ minLength: 1 }),
  minLength: ([minLength]) => ({ minLength }),
  maxLength: ([maxLength]) => ({ maxLength }),
  isLength: ([minLength, maxLength]) => ({ minLength, ...(maxLength !== undefined && { maxLength }) }),
  isUrl: () => ({ format: 'uri' }),
  isMailbox: () => ({ format: 'email' }),
  isHostName: () => ({ format: 'hostname' }),
  matches: ([pattern]) => (pattern instanceof RegExp && pattern.flags === '' ? { pattern: pattern.source } : {}),
  isIn: ([values]) => ({ enum: values }),
};
const NUMBERS: typeof TEXTS = { min: ([minimum]) => ({ minimum }), max: ([maximum]) => ({ maximum }) };
const LISTS: typeof TEXTS = {
  isNotEmpty: () => ({ minItems: 1 }),
  arrayNotEmpty: () => ({ minItems: 1 }),
  arrayMinSize: ([minItems]) => ({ minItems }),
  arrayMaxSize: ([maxItems]) => ({ maxItems }),
};
const BY_TYPE: Readonly<Record<string, typeof TEXTS>> = { string: TEXTS, number: NUMBERS, integer: NUMBERS, array: LISTS };

/**
 * What a class refuses is said of its properties, as far as JSON Schema has a word for it, and not where the class says it itself.
 * `taken`: classes that routes take, by their names, among them those that have all their rules of others.
 */
export function describeRules(document: OpenAPIObject, taken: ReadonlyMap<string, Class> = new Map()): OpenAPIObject {
  const rules = rulesByClass(taken);
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    const { properties = {} } = schema as { readonly properties?: Record<string, Schema> };
    for (const rule of rules(name)) {
      const property = properties[rule.propertyName];
      // A new one: schemas share some.
      if (property !== undefined) properties[rule.propertyName] = withRule(property, rule);
    }
  }
  return document;
}

function withRule(schema: Schema, { name = '', constraints = [], each }: Rule): Schema {
  if (each) return schema.items === undefined ? schema : { ...schema, items: withRule(schema.items, { name, constraints, each: false, propertyName: '' }) };
  const keywords = Object.entries(BY_TYPE[schema.type ?? '']?.[name]?.(constraints) ?? {});
  return { ...schema, ...Object.fromEntries(keywords.filter(([keyword]) => !(keyword in schema))) };
}

/** The rules of a class by its name, which is that of its schema, and of those that it extends. */
function rulesByClass(taken: ReadonlyMap<string, Class>): (name: string) => readonly Rule[] {
  const storage = getMetadataStorage();
  const { validationMetadatas } = storage as unknown as { readonly validationMetadatas: ReadonlyMap<Class, unknown> };
  const classes = new Map([...[...validationMetadatas.keys()].map((one) => [one.name, one] as const), ...taken]);
  return (name) => {
    const target = classes.get(name);
    return target === undefined ? [] : storage.getTargetValidationMetadatas(target, '', false, false) as readonly Rule[];
  };
}
