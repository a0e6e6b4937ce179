import { FILTER_LIMITS } from './parser';
import { MAX_KEYS } from '../sort';
import { FLAGS } from './pattern-proof';
import { MAX_LENGTH } from './regex';
import { TYPE_NAMES } from './value-tests';

/** Of a component of an OpenAPI document. */
export const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/**
 * Any name but those of `properties` takes `one`. `patternProperties` says so to who judges by the schema; who makes types of it needs a type that fits the named ones
 * as well (TypeScript: those of an index signature), which is `additionalProperties`: nothing is left for it to judge.
 */
export const openObject = (properties: Readonly<Record<string, object>>, pattern: string, one: object) => ({
  type: 'object', propertyNames: { anyOf: [{ pattern }, { enum: Object.keys(properties) }] }, properties,
  patternProperties: { [pattern]: one }, additionalProperties: { anyOf: eachOnce([one, ...Object.values(properties).map(withoutWords)]) },
});
const withoutWords = ({ description: _, ...schema }: { readonly description?: string }) => schema;

const eachOnce = (schemas: readonly object[]) => [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];

const { levels, conditions, values } = FILTER_LIMITS;
const SCALAR = { type: ['string', 'number', 'boolean', 'null'] };
const list = (items: object, bounds: object = {}) => ({ type: 'array', items, ...bounds });
const filters = (description: string) => ({ ...list(schemaRef('Filter'), { minItems: 1 }), description });
const compared = (description: string) => ({ ...SCALAR, description });
const FLAG = Object.keys(FLAGS).join('');

const OPERATORS = {
  $eq: { ...schemaRef('FilterValue'), description: 'Equal to it, or a list that holds it; `null` also where the field is missing' },
  $ne: { ...schemaRef('FilterValue'), description: 'What `$eq` does not find' },
  $gt: compared('More than a value of the same type'),
  $gte: compared('As much or more'),
  $lt: compared('Less than a value of the same type'),
  $lte: compared('As much or less'),
  $in: { ...list(schemaRef('FilterValue'), { maxItems: values }), description: 'Equal to one of them' },
  $nin: { ...list(schemaRef('FilterValue'), { maxItems: values }), description: 'Equal to none of them' },
  $exists: { description: 'Whether the field is there; `null` is there' },
  $type: { anyOf: [schemaRef('FilterType'), list(schemaRef('FilterType'), { minItems: 1 })], description: 'Of this type, or of one of these' },
  $size: { type: 'integer', minimum: 0, description: 'A list of so many values' },
  $mod: { ...list({ type: 'number' }, { minItems: 2, maxItems: 2 }), description: 'Divisor and remainder' },
  $regex: { type: 'string', maxLength: MAX_LENGTH, description: 'A regular expression of RE2: no look-around, no back-references' },
  $options: { type: 'string', pattern: `^[${FLAG}]*$`, description: 'Of `$regex`: `i` whatever the case, `m` lines, `s` `.` takes line ends too' },
  $not: { ...schemaRef('FilterOperators'), description: 'What these do not find' },
  $all: { ...list({ anyOf: [schemaRef('FilterValue'), { ...schemaRef('FilterOperators'), required: ['$elemMatch'] }] }, { maxItems: values }), description: 'A list that holds all of them; `$elemMatch` may stand for a value' },
  $elemMatch: { anyOf: [schemaRef('FilterOperators'), schemaRef('Filter')], description: 'A list with an element that meets all of it' },
};

const LOGICAL = {
  $and: filters('All of them'),
  $or: filters('At least one of them'),
  $nor: filters('None of them'),
  $text: {
    type: 'object', required: ['$search'], additionalProperties: false, properties: { $search: { type: 'string', description: 'Words, "phrases" and -words that are not there' } },
    description: 'By the text index of the collection; not inside `$or`, `$nor` and `$elemMatch`',
  },
};

/** A filter as `parseFilter` reads it, in JSON Schema 2020-12, by the names that it has in `#/components/schemas`. */
export const FILTER_SCHEMAS = {
  Filter: {
    ...openObject(LOGICAL, '^[^$]', { anyOf: [schemaRef('FilterValue'), schemaRef('FilterOperators')] }),
    description: `Conditions on fields, by dotted paths, as MongoDB has them: a value that the field equals, or operators. All must be met. At most ${levels} levels and ${conditions} conditions`,
    example: { 'maker.name': 'Acme', power: { $gt: 2 } },
  },
  FilterOperators: {
    type: 'object', description: 'What a field is tested by; all must be met', minProperties: 1, additionalProperties: false, properties: OPERATORS, dependentRequired: { $options: ['$regex'] },
  },
  FilterValue: { description: 'Text, number, boolean, `null`, or a list of such, which is then the whole value', anyOf: [SCALAR, list(SCALAR, { maxItems: values })] },
  FilterType: { description: 'A type by its name or number in BSON', anyOf: ['string', 'integer'].map((type) => ({ type, enum: [...TYPE_NAMES.keys()].filter((name) => (typeof name === 'string') === (type === 'string')) })) },
  Sort: {
    type: 'object', description: 'Dotted paths, the most important first: 1 ascending, -1 descending', maxProperties: MAX_KEYS, additionalProperties: { type: 'integer', enum: [1, -1] }, example: { name: 1 },
  },
  Projection: {
    type: 'object', description: 'Dotted paths: either those that are kept (1) or those that are left out (0); `_id` may be left out of either', additionalProperties: { type: ['number', 'boolean'] },
    example: { name: 1 },
  },
} as const;
