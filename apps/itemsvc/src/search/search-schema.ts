import { capitalized } from '@twinyard/conventions';
import { schemaRef } from '@twinyard/documents';
import { DESC_FIELDS } from './search-fields';
import { GRAPH_LIMITS } from './graph.parse';
import { MAX_LEVELS } from './search.parse';

type Properties = Readonly<Record<string, object>>;

const object = (description: string, required: readonly string[], properties: Properties) => ({ type: 'object', description, ...(required.length > 0 && { required }), properties });
const list = (name: string, description: string, bounds: object = {}) => ({ type: 'array', items: schemaRef(name), description, ...bounds });
const oneOrMany = (description: string) => ({ anyOf: [{ type: ['string', 'number', 'boolean'] }, { type: 'array', items: { type: ['string', 'number', 'boolean', 'null'] } }, schemaRef('FilterOperators')], description });
const text = (description: string) => ({ type: 'string', minLength: 1, description });
const flag = (description: string) => ({ type: 'boolean', description });

const AS = { as: text('The name under which the answer has it') };
const COLLECTIONS = { collectionDesc: { ...schemaRef('CollectionDesc'), description: 'Which collections' }, collectionProject: { ...schemaRef('Projection'), description: 'Of the collections themselves' } };
const RELATED = { relatedDesc: { ...schemaRef('RelatedDesc'), description: 'Along which relations' } };
const WHICH = { query: { ...schemaRef('Filter'), description: 'Which of the items; else all' } };
const LISTED = {
  ...WHICH,
  project: { ...schemaRef('Projection'), description: 'Which of their fields; else all' },
  sort: { ...schemaRef('Sort'), description: 'In which order; else that of their creation' },
  options: { ...schemaRef('SearchOptions'), description: '`project` and `sort` may stand here too' },
};
const FIELD = { field: text('Dotted path of the field'), ...WHICH };

const OPERATORS = {
  $findWithRelated: object('Items, what is related to them, and which of them have something related', ['parent'], {
    parent: object('The items', ['collectionDesc'], { ...COLLECTIONS, ...LISTED }),
    related: list('RelatedSearch', 'What is related to each'),
    relatedFilter: object('Keeps items that have something related: `$and` for all, or `$or` for one of the terms', [], {
      $and: list('RelatedTerm', 'Something for each of them', { minItems: 1 }),
      $or: list('RelatedTerm', 'Something for at least one', { minItems: 1 }),
      includeResult: flag('Whether what was found is told, under the `as` of its term'),
    }),
    relatedDistinctFields: list('RelatedDistinctField', 'Values of what is related to all items that meet the query'),
  }),
  $findWithRelatedGraph: object('Items, each with the paths that lead from it', ['start', 'to'], {
    start: object('The items', ['collectionDesc'], { ...COLLECTIONS, ...LISTED }),
    to: object('The paths', ['segments', 'as'], { segments: list('GraphSegment', 'Kinds of steps', { minItems: 1, maxItems: GRAPH_LIMITS.segments }), ...AS }),
  }),
  $distinctRelatedItemField: object('The values of one field', ['collectionDesc', 'field'], { ...COLLECTIONS, ...FIELD }),
  $distinctRelatedItemFields: object('The values of several fields', ['collectionDesc'], { ...COLLECTIONS, fieldDesc: list('DistinctField', 'The fields') }),
};
/** `$findWithRelated` → `FindWithRelated` */
const nameOf = (operator: string) => capitalized(operator.slice(1));
const withOperator = (operator: string, operand: object) => ({ type: 'object', required: [operator], properties: { [operator]: operand } });
const depth = (description: string) => ({ type: 'integer', minimum: 1, maximum: GRAPH_LIMITS.depth, description });

/** A search as `parseSearch` reads it, in JSON Schema 2020-12. Needs FILTER_SCHEMAS of @twinyard/documents beside it. */
export const SEARCH_SCHEMAS = {
  SearchRequest: {
    description: 'One operator, by itself or as `query`',
    anyOf: [{ type: 'object', required: ['query'], properties: { query: { ...schemaRef('SearchOperator'), description: 'The operator' } } }, schemaRef('SearchOperator')],
  },
  SearchOperator: {
    description: 'Exactly one of them',
    oneOf: Object.entries(OPERATORS).map(([operator, { description }]) => withOperator(operator, { ...schemaRef(nameOf(operator)), description })),
  },
  ...Object.fromEntries(Object.entries(OPERATORS).map(([operator, operand]) => [nameOf(operator), operand])),
  CollectionDesc: {
    type: 'object', minProperties: 1, description: 'By at least one of these fields: a value, or a list of which one fits',
    properties: Object.fromEntries(DESC_FIELDS.map((field) => [field, oneOrMany(descriptionOf(field))])),
  },
  RelatedDesc: object('Collections by type or by id, and the direction', [], {
    _relatedUserType: oneOrMany('Of this type of yours'),
    _relatedUserItemId: oneOrMany('`_userItemId` or `_id`'),
    _relatedUserItemDbId: oneOrMany('`_id`, where `_relatedUserItemId` is not there'),
    _isInverse: flag('Against the direction in which the relations were made'),
  }),
  SearchOptions: object('How items are told', [], { project: LISTED.project, sort: LISTED.sort, page: { ...schemaRef('PageOptions'), description: 'How many of them' } }),
  RelatedSearch: object(`What is related, and what is related to that: at most ${MAX_LEVELS} levels`, ['relatedDesc', 'as'], {
    ...RELATED, ...LISTED, ...AS, related: list('RelatedSearch', 'What is related to it'),
  }),
  RelatedTerm: object('Something related', ['relatedDesc'], { ...RELATED, ...LISTED, ...AS }),
  RelatedDistinctField: object('The values of a field of what is related', ['relatedDesc', 'field', 'as'], { ...RELATED, ...FIELD, ...AS }),
  DistinctField: object('The values of a field', ['field'], { ...FIELD, count: flag('Whether each value comes with how often it is there: `{ value, count }`') }),
  GraphSegment: object('A kind of step', ['relatedDesc', 'as'], {
    from: text('`as` of the segment before, whose ends it goes on from; the start without it'),
    ...RELATED, ...LISTED, ...AS,
    minDepth: depth('At least so many such steps; 1 without it'), maxDepth: depth('At most so many; `minDepth` without it'),
  }),
};

function descriptionOf(field: string): string {
  if (field === '_versions.all') return '`true`: all versions, and not the tip alone';
  return field === '_versions._version' ? 'Number of the version' : `\`${field}\` of the collection`;
}
