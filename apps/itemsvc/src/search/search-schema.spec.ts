import { FILTER_SCHEMAS } from '@twinyard/documents';
import { PAGE_SCHEMA } from '@twinyard/service-kit';
import { componentSchemas, isTaken } from '@twinyard/testing';
import { parseSearch } from './search.parse';
import { SEARCH_SCHEMAS } from './search-schema';

const fits = componentSchemas({ ...FILTER_SCHEMAS, ...SEARCH_SCHEMAS, PageOptions: PAGE_SCHEMA });

const isParsed = (body: unknown) => isTaken(() => parseSearch(body));

const pumps = { collectionDesc: { _userType: 'pumps' } };
const rooms = { relatedDesc: { _relatedUserType: ['rooms', 'halls'], _isInverse: true } };

describe('the schema of a search', () => {
  it.each([
    { query: { $findWithRelated: { parent: pumps } } },
    { $findWithRelated: { parent: { ...pumps, query: { power: { $gt: 2 } }, options: { sort: { name: 1 }, page: { _offset: 0, _pageSize: 5 }, project: { name: 1 } } } } },
    { $findWithRelated: { parent: pumps, related: [{ ...rooms, as: 'rooms', related: [{ ...rooms, as: 'again' }] }] } },
    { $findWithRelated: { parent: pumps, relatedFilter: { $or: [{ ...rooms, query: { name: 'Cellar' } }], includeResult: true }, relatedDistinctFields: [{ ...rooms, field: 'name', as: 'names' }] } },
    { $findWithRelatedGraph: { start: pumps, to: { segments: [{ ...rooms, as: 'rooms', minDepth: 1, maxDepth: 3 }, { from: 'rooms', ...rooms, as: 'more' }], as: 'paths' } } },
    { $distinctRelatedItemField: { ...pumps, field: 'maker.name' } },
    { $distinctRelatedItemFields: { ...pumps, fieldDesc: [{ field: 'maker.name', count: true, query: { power: 1 } }] } },
  ])('takes %j', (body) => {
    expect([fits('SearchRequest', body), isParsed(body)]).toEqual([true, true]);
  });

  it.each([
    {}, { query: {} }, { $findWithRelated: {} }, { $findWithRelated: { parent: {} } }, { $findWithRelated: { parent: { collectionDesc: {} } } }, { $find: { parent: pumps } },
    { $findWithRelated: { parent: pumps }, $distinctRelatedItemField: { ...pumps, field: 'a' } }, { $findWithRelated: { parent: pumps, related: {} } }, { $findWithRelated: { parent: pumps, related: [{ as: 'rooms' }] } },
    { $findWithRelated: { parent: pumps, related: [rooms] } }, { $findWithRelated: { parent: pumps, relatedFilter: { $and: [] } } }, { $findWithRelatedGraph: { start: pumps } },
    { $findWithRelatedGraph: { start: pumps, to: { segments: [], as: 'paths' } } }, { $findWithRelatedGraph: { start: pumps, to: { segments: [{ ...rooms, as: 'rooms', maxDepth: 33 }], as: 'paths' } } },
    { $distinctRelatedItemField: pumps }, { $distinctRelatedItemFields: { ...pumps, fieldDesc: [{}] } }, { $findWithRelated: { parent: { ...pumps, query: 'x' } } },
  ])('refuses %j', (body) => {
    expect([fits('SearchRequest', body), isParsed(body)]).toEqual([false, false]);
  });
});
