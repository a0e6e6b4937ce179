import { invalidField, limitExceeded } from '@twinyard/conventions';
import { Issues, requireObject } from '../storage/issues';
import { isObject } from '../storage/filters';
import { parseGraph } from './graph.parse';
import { parseCollectionDesc, SearchPart } from './search-fields';
import type { DistinctFields, FindWithRelated, RelatedDistinct, RelatedFilter, RelatedSearch, SearchRequest } from './search-request';

/** Contract 2.6. */
export const MAX_LEVELS = 8;

const OPERATORS: Readonly<Record<string, (part: SearchPart) => SearchRequest>> = {
  $findWithRelated: parseFindWithRelated,
  $findWithRelatedGraph: parseGraph,
  $distinctRelatedItemField: (part) => ({ ...parseDistinctCollections(part), fields: [parseField(part, false)] }),
  $distinctRelatedItemFields: (part) => ({ ...parseDistinctCollections(part), fields: part.parts('fieldDesc').map((field) => parseField(field, field.flag('count'))) }),
};

/** `{ query: { <operator>: … } }` or the operator object itself; exactly one operator. */
export function parseSearch(body: unknown): SearchRequest {
  const outer = requireObject(body);
  const inner = isObject(outer['query']) ? outer['query'] : outer;
  const names = Object.keys(inner).filter((key) => key.startsWith('$'));
  const [name] = names;
  if (names.length !== 1 || name === undefined) throw invalidField('body', `must hold exactly one of ${Object.keys(OPERATORS).join(', ')}`);
  const parse = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  if (parse === undefined) throw invalidField(name, 'is no operator that there is');
  if (!isObject(inner[name])) throw invalidField(name, 'must be an object');
  const issues = new Issues();
  const request = parse(new SearchPart(inner[name], name, issues));
  issues.refuse();
  return request;
}

function parseFindWithRelated(part: SearchPart): FindWithRelated {
  const parent = part.part('parent');
  const collectionProjection = parent.projection('collectionProject');
  const relatedFilter = part.object('relatedFilter');
  return {
    operator: '$findWithRelated',
    collections: parseCollectionDesc(parent),
    ...(collectionProjection && { collectionProjection }),
    ...parent.list(),
    related: parseRelated(part, 1),
    ...(relatedFilter && { relatedFilter: parseRelatedFilter(part.part('relatedFilter')) }),
    distinct: part.parts('relatedDistinctFields').map(parseRelatedDistinct),
  };
}

function parseRelated(parent: SearchPart, level: number): RelatedSearch[] {
  const parts = parent.parts('related');
  if (parts.length > 0 && level > MAX_LEVELS) throw limitExceeded(`related nests at most ${MAX_LEVELS} levels deep`, 'related');
  const searches = parts.map((part) => ({ desc: part.relatedDesc(), ...part.list(), as: part.alias(), related: parseRelated(part, level + 1) }));
  searches.forEach(({ as }, index) => {
    if (searches.findIndex((other) => other.as === as) < index) parent.issues.add(`${parts[index]?.at}.as`, `${as} stands twice`);
  });
  return searches;
}

function parseRelatedFilter(part: SearchPart): RelatedFilter {
  const [all, any] = [part.parts('$and'), part.parts('$or')];
  const terms = [...all, ...any];
  if (terms.length === 0) part.issues.add(part.at, 'needs $and or $or with at least one term');
  if (all.length > 0 && any.length > 0) part.issues.add(part.at, 'takes $and or $or, not both');
  const includeResult = part.flag('includeResult');
  return { every: all.length > 0, includeResult, terms: terms.map((term) => ({ desc: term.relatedDesc(), ...term.list(), as: term.alias(false), related: [] })) };
}

function parseRelatedDistinct(part: SearchPart): RelatedDistinct {
  const query = part.query();
  return { desc: part.relatedDesc(), field: part.text('field') ?? '', as: part.alias(), ...(query && { query }) };
}

function parseDistinctCollections(part: SearchPart): Omit<DistinctFields, 'fields'> {
  const collectionProjection = part.projection('collectionProject');
  return { operator: '$distinctRelatedItemFields', collections: parseCollectionDesc(part), ...(collectionProjection && { collectionProjection }) };
}

function parseField(part: SearchPart, count: boolean): DistinctFields['fields'][number] {
  const query = part.query();
  return { field: part.text('field') ?? '', count, ...(query && { query }) };
}
