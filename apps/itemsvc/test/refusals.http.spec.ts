import { ItemService, type Json } from './item-service';

describe('a refusal says which field, what would be right, and what is there', () => {
  let items: ItemService;
  let walls: Json;
  let sensors: Json;
  beforeAll(async () => {
    items = await ItemService.start();
    [walls, sensors] = [await items.item('NamedUserCollection'), await items.item('NamedTelemetryCollection')];
  });
  afterAll(() => items.stop());

  const related = (item: Json, more = '') => `nameduseritems/${item._id}/relateditems${more}`;
  const get = (query: Json) => () => items.get(related(walls), { query });
  const aggregate = (...stages: Json[]) => () => items.post(related(sensors, '/readings/aggregate'), stages);
  const write = (row: unknown) => () => items.post('nameduseritems', [row]);

  it.each<[string, () => PromiseLike<{ readonly status: number; readonly body: Json }>, readonly [string, string][]]>([
    ['an operator that there is not', get({ query: { n: { $near: 5 } } }), [['query', 'The operator $near is not allowed']]],
    ['a text that is no query', get({ query: 'n = 5' }), [['query', 'is not valid JSON']]],
    ['a query that is a list', get({ query: '[]' }), [['query', 'must be a JSON object (it is a string of 2 characters)']]],
    ['a text without an index of words', get({ query: { $text: { $search: 'door' } } }), [['query', '$text needs a text index']]],
    ['a direction', get({ sort: { n: 'up' } }), [['sort', 'sort: n takes 1 or -1']]],
    ['what is kept and left out', get({ project: { n: 1, m: 0 } }), [['project', 'project: either names what is kept or what is left out']]],
    ['a stage', aggregate({ $match: {} }, { $limit: 0 }), [['[1].$limit', '$limit needs a whole number, 1 or more']]],
    ['a stage that there is not', aggregate({ $out: 'x' }), [['[0]', 'The stage $out is not allowed']]],
    ['an operator in a stage', aggregate({ $match: { n: { $near: 5 } } }), [['[0].$match', 'The operator $near is not allowed']]],
    ['an expression', aggregate({ $group: { _id: null, n: { $first: 1, $last: 1 } } }), [['[0].$group', 'n: needs one accumulator']]],
    ['a search for nothing', () => items.post('nameduseritems/search', {}), [['body', expect.stringMatching(/^must hold exactly one of \$findWithRelated, .* \(it is an object\)$/) as string]]],
    ['a search by a list', () => items.post('nameduseritems/search', { $findWithRelated: [] }), [['$findWithRelated', 'must be an object (it is an array of 0 entries)']]],
    ['a search whose parts are of another kind, though it finds nothing', () => items.post('nameduseritems/search', {
      $distinctRelatedItemFields: { collectionDesc: { _id: 'none', _userType: [['wall']] }, collectionProject: { _name: {} }, fieldDesc: [{ field: 'name', count: 'true' }] },
    }), [
      ['$distinctRelatedItemFields.collectionProject', '_name takes 0 or 1'], ['$distinctRelatedItemFields.fieldDesc[0].count', 'must be true or false (it is a string of 4 characters)'],
      ['$distinctRelatedItemFields.collectionDesc._userType', 'must be a value, or a list of values (it is an array of 1 entry)'],
    ]],
    ['an item', write({ _name: 7, _itemClass: 'NamedUserCollection', _namespaces: 'x' }), [['[0]._name', 'must be a text (it is a number)'], ['[0]._namespaces', 'must be an array of at least one text (it is a string of 1 character)']]],
    ['an item that is a text', write('wall'), [['[0]', 'must be an object (it is a string of 4 characters)']]],
    ['readings where none can be', () => items.get(related(walls, '/readings')), [['id', 'A NamedUserCollection holds no readings']]],
    ['the only version', () => items.delete(`nameduseritems/${walls._id}/versions/${walls._tipId}`), [['versionId', 'is the only version of the item, and cannot be deleted; delete the item instead']]],
  ])('%s', async (_what, ask, faults) => {
    const { status, body } = await ask();
    expect(status).toBe(400);
    expect(body.details.map(({ field, issue }: Json) => [field, issue])).toEqual(expect.arrayContaining(faults.map((each) => [...each])));
  });
});
