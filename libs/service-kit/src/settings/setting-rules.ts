import type { z } from 'zod';

type Choices<T extends Record<string, z.ZodType>> = { [K in keyof T]: z.ZodOptional<T[K]> };

/**
 * Settings of which exactly one must be given, since each chooses another store for the same purpose:
 *
 *     baseSettings.extend({ ...exactlyOneOf({ DATABASE_URL: …, MONGO_URL: … }) })
 *
 * The rule rides on the fields, not on the object: the schema can be extended further, and whoever describes it sees the rule.
 */
export function exactlyOneOf<T extends Record<string, z.ZodType>>(settings: T): Choices<T> {
  const names = Object.keys(settings);
  return Object.fromEntries(Object.entries(settings).map(([name, schema]) => [name, schema.optional().meta({ exactlyOneOf: names })])) as Choices<T>;
}

/** Settings of which none needs to be given, and never two. */
export function atMostOneOf<T extends Record<string, z.ZodType>>(settings: T): Choices<T> {
  const names = Object.keys(settings);
  return Object.fromEntries(Object.entries(settings).map(([name, schema]) => [name, schema.optional().meta({ atMostOneOf: names })])) as Choices<T>;
}

/** A setting that means nothing without others: `needing(z.enum([…]).optional(), 'KAFKA_SASL_USERNAME')`. */
export const needing = <S extends z.ZodType>(schema: S, ...names: string[]): S => schema.meta({ needs: names });

/** What the rules of a schema find wrong with these variables. */
export function brokenRules(schema: z.ZodObject, values: Readonly<Record<string, string>>): string[] {
  const faults = Object.entries(schema.shape).flatMap(([name, field]) => {
    const { exactlyOneOf: choices = [], atMostOneOf: alternatives = [], needs = [] } = rulesOf(field as z.ZodType);
    const missing = values[name] === undefined ? [] : needs.filter((other) => values[other] === undefined);
    return [...choiceFaults(choices, values), ...alternativeFaults(alternatives, values), ...missing.map((other) => `${other}: is missing, ${name} needs it`)];
  });
  return [...new Set(faults)];
}

/** What the functions above have noted on a field. */
export const rulesOf = (field: z.ZodType) => (field.meta() ?? {}) as { readonly exactlyOneOf?: readonly string[]; readonly atMostOneOf?: readonly string[]; readonly needs?: readonly string[] };

function choiceFaults(names: readonly string[], values: Readonly<Record<string, string>>): string[] {
  const given = names.filter((name) => values[name] !== undefined);
  if (names.length === 0 || given.length === 1) return [];
  const choices = names.join(' and ');
  return [given.length === 0 ? `${choices}: one of them must be given` : `${choices}: only one of them may be given`];
}

const alternativeFaults = (names: readonly string[], values: Readonly<Record<string, string>>): string[] =>
  names.filter((name) => values[name] !== undefined).length > 1 ? [`${names.join(' and ')}: only one of them may be given`] : [];
