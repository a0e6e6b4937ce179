import { openObject, schemaRef } from '../filter/filter-schema';
import { ACCUMULATORS, EXPRESSION_LIMITS, EXPRESSIONS, VARIABLES } from './expressions';
import { MAX_STAGES } from './parse-pipeline';

const EXPRESSION = schemaRef('Expression');
const FIELD = { pattern: '^[^$]' };
const outputs = { type: 'object', additionalProperties: schemaRef('Accumulator') };
const fields = (description: string) => ({ type: 'object', minProperties: 1, propertyNames: FIELD, additionalProperties: EXPRESSION, description });

const STAGES = {
  $match: { ...schemaRef('Filter'), description: 'Keeps what meets a filter; `$text` and `$regex` in the first ones alone' },
  $project: fields('Fields of the result: 1 keeps, 0 leaves out, anything else is computed'),
  $addFields: fields('Fields beside those that are there'),
  $set: fields('The same as `$addFields`'),
  $unset: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }], description: 'Fields that are left out' },
  $group: {
    ...openObject({ _id: { ...EXPRESSION, description: 'What the rows of a group have in common' } }, '^(?!_id$)[^$.][^.]*$', schemaRef('Accumulator')),
    required: ['_id'], description: 'A row for each group, with what is said of it',
  },
  $sort: { ...schemaRef('Sort'), description: 'Orders the rows' },
  $limit: { type: 'integer', minimum: 1, description: 'Keeps so many rows' },
  $skip: { type: 'integer', minimum: 0, description: 'Passes over so many rows' },
  $count: { type: 'string', pattern: '^[^$.]+$', description: 'One row: how many there are, under this name' },
  $unwind: {
    anyOf: [
      { type: 'string', pattern: '^\\$' },
      {
        type: 'object', required: ['path'],
        properties: {
          path: { type: 'string', pattern: '^\\$', description: 'The list' },
          includeArrayIndex: { type: 'string', description: 'Name of a field for the place in the list' },
          preserveNullAndEmptyArrays: { type: 'boolean', description: 'Whether a row stays that has no such list' },
        },
      },
    ],
    description: 'A row for each element of a list; twice in a pipeline at most',
  },
  $bucket: {
    type: 'object', required: ['boundaries'], description: 'Groups by where a value lies',
    properties: {
      groupBy: { ...EXPRESSION, description: 'The value' },
      boundaries: { type: 'array', items: EXPRESSION, minItems: 2, description: 'Lower bounds, ascending; the last one is above all' },
      default: { ...EXPRESSION, description: '`_id` of the group for all others' },
      output: { ...outputs, description: 'What is said of each; how many without it' },
    },
  },
  $bucketAuto: {
    type: 'object', required: ['buckets'], description: 'So many groups of about as many rows each',
    properties: {
      groupBy: { ...EXPRESSION, description: 'The value' },
      buckets: { type: 'integer', minimum: 1, description: 'How many groups' },
      output: { ...outputs, description: 'What is said of each; how many without it' },
      granularity: { type: 'string', description: 'A series of preferred numbers, such as `R5`' },
    },
  },
};

/** A stage as `parsePipeline` reads it, in JSON Schema 2020-12. Needs FILTER_SCHEMAS beside it. */
export const PIPELINE_SCHEMAS = {
  AggregateStage: { type: 'object', description: `One operator and its operand; at most ${MAX_STAGES} stages`, minProperties: 1, maxProperties: 1, additionalProperties: false, properties: STAGES },
  Expression: {
    description: `A value, a field as \`$path\`, a variable (${[...VARIABLES].map((name) => `\`${name}\``).join(', ')}), a list, an object of fields, or one operator and its operands as MongoDB has them; at most ${EXPRESSION_LIMITS.levels} levels`,
    anyOf: [
      { type: ['string', 'number', 'boolean', 'null'] },
      // Of expressions. That a list refers to what it is a part of is more than some generators of clients take.
      { type: 'array', items: {} },
      schemaRef('ExpressionObject'),
    ],
  },
  ExpressionObject: {
    type: 'object', description: 'Fields, or one operator and its operands', propertyNames: { anyOf: [FIELD, { enum: [...EXPRESSIONS] }] },
    properties: { $literal: { description: 'Is taken as it stands' } }, additionalProperties: EXPRESSION,
  },
  Accumulator: {
    type: 'object', description: 'What is said of all rows of a group, by one operator', minProperties: 1, maxProperties: 1, propertyNames: { enum: [...ACCUMULATORS] }, additionalProperties: EXPRESSION,
    example: { $avg: '$celsius' },
  },
} as const;
