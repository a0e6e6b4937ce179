import { ItemService, type Json, NS, OTHER_NS } from './item-service';

describe('search', () => {
  let items: ItemService;
  let walls: Json;
  let types: Json;
  let storeys: Json;
  let wall: Json[];
  let type: Json[];
  let storey: Json[];
  beforeAll(async () => {
    items = await ItemService.start();
    walls = await items.item('NamedUserCollection', { _userType: 'walls' });
    types = await items.item('NamedUserCollection', { _userType: 'types' });
    storeys = await items.item('NamedUserCollection', { _userType: 'storeys' });
    wall = await items.related(walls, Array.from({ length: 6 }, (_, n) => ({ name: `w${n}`, area: n, props: { fire: n % 2 ? 'F30' : 'F60' } })));
    type = await items.related(types, [{ t: 'thick', mat: 'brick' }, { t: 'thin', mat: 'wood' }, { t: 'glass', mat: 'glass' }]);
    storey = await items.related(storeys, [{ s: 1 }, { s: 2 }]);
    // w0, w2, w4 are thick, w1 and w3 thin and glass, w5 has no type; w0..w3 stand on storey 1, the others on 2.
    await relate(walls, types, [[0, 0], [2, 0], [4, 0], [1, 1], [3, 1], [1, 2], [3, 2]].map(([from, to]) => [wall[from as number]?._id, type[to as number]?._id]));
    await relate(storeys, walls, wall.map(({ _id }, n) => [storey[n < 4 ? 0 : 1]?._id, _id]));
  });
  afterAll(() => items.stop());

  async function relate(from: Json, to: Json, pairs: readonly (readonly [string, string] | string[])[]): Promise<void> {
    const body = pairs.map(([a, b]) => ({ _relatedFromId: a, _relatedToIds: [b], _relatedUserItemDbId: to._id }));
    const { status, text } = await items.put(`nameduseritems/${from._id}/relationships`, body);
    if (status !== 204) throw new Error(text);
  }
  const search = (body: Json, options: Json = {}) => items.post('nameduseritems/search', body, options);
  const find = async (operator: Json, options: Json = {}) => (await search({ query: { $findWithRelated: operator } }, options)).body;
  const related = (body: Json) => body._list[0]._versions[0]._relatedItems;
  const parent = (fields: Json = {}) => ({ collectionDesc: { _userType: 'walls' }, ...fields });

  it('finds parents with a page of what is related under each alias', async () => {
    const body = await find({
      parent: parent({ query: { area: { $lte: 3 } }, options: { sort: { area: -1 }, project: { name: 1 }, page: { _offset: 1, _pageSize: 2 } } }),
      related: [
        { relatedDesc: { _relatedUserType: 'types' }, as: 'kinds', options: { sort: { t: 1 }, project: { t: 1, _id: 0 }, page: { _pageSize: 1 } } },
        { relatedDesc: { _relatedUserItemId: storeys._userItemId, _isInverse: true }, as: 'storey', options: { project: { s: 1, _id: 0 } } },
        { relatedDesc: { _relatedUserType: 'types' }, query: { mat: 'glass' }, as: 'glass', options: { page: { _pageSize: 0 } } },
      ],
    });
    expect(body).toMatchObject({ _total: 1, _list: [{ _id: walls._id, _versions: [{ _id: walls._tipId }] }] });
    const page = (list: Json[], total: number, size = 25) => ({ _list: list, _total: total, _offset: 0, _pageSize: size });
    expect(related(body)).toEqual({
      _offset: 1, _pageSize: 2, _total: 4,
      _list: [
        { _id: wall[2]?._id, name: 'w2', kinds: page([{ t: 'thick' }], 1, 1), storey: page([{ s: 1 }], 1), glass: page([], 0, 0) },
        { _id: wall[1]?._id, name: 'w1', kinds: page([{ t: 'glass' }], 2, 1), storey: page([{ s: 1 }], 1), glass: page([], 1, 0) },
      ],
    });
  });

  it('puts an alias in the place of a field of its name, and of no other', async () => {
    const alias = (as: string) => ({ relatedDesc: { _relatedUserType: 'types' }, as, options: { project: { t: 1, _id: 0 } } });
    const { body, text } = await search({ $findWithRelated: { parent: parent({ query: { area: 0 }, options: { project: { name: 1, props: 1, _id: 0 } } }), related: [alias('name'), alias('fire')] } });
    const thick = { _offset: 0, _pageSize: 25, _total: 1, _list: [{ t: 'thick' }] };
    expect(related(body)._list).toEqual([{ props: { fire: 'F60' }, name: thick, fire: thick }]);
    expect(text.match(/"name":/g)).toHaveLength(1);
    const bare = await find({ parent: parent({ query: { area: 0 }, options: { project: { none: 1, _id: 0 } } }), related: [alias('kinds')] });
    expect(related(bare)._list).toEqual([{ kinds: thick }]);
  });

  it('nests along relations, up to eight levels', async () => {
    const body = await find({
      parent: { collectionDesc: { _id: storeys._id }, query: { s: 2 } },
      related: [{ relatedDesc: { _relatedUserType: 'walls' }, as: 'walls', options: { sort: { area: 1 } }, related: [{ relatedDesc: { _relatedUserType: 'types' }, as: 'types' }] }],
    });
    const [second] = related(body)._list;
    expect(second.walls._list.map((row: Json) => [row.name, row.types._list.map(({ t }: Json) => t)])).toEqual([['w4', ['thick']], ['w5', []]]);
    const nested = (levels: number): Json[] => (levels === 0 ? [] : [{ relatedDesc: { _relatedUserType: 'types' }, as: 'a', related: nested(levels - 1) }]);
    expect((await search({ $findWithRelated: { parent: parent(), related: nested(8) } })).status).toBe(200);
    expect((await search({ $findWithRelated: { parent: parent(), related: nested(9) } })).body.code).toBe('limit_exceeded');
  });

  it('keeps parents by what is related to them, and says how many of the page match', async () => {
    const term = (query: Json, as?: string) => ({ relatedDesc: { _relatedUserType: 'types' }, query, ...(as && { as }) });
    const names = (body: Json) => related(body)._list.map(({ name }: Json) => name);
    const both = await find({ parent: parent(), relatedFilter: { $and: [term({ t: 'thin' }), term({ t: 'glass' })] } });
    expect([names(both), related(both)._total, related(both)._filteredSize]).toEqual([['w1', 'w3'], 6, 2]);
    const either = await find({ parent: parent({ options: { page: { _offset: 0, _pageSize: 3 } } }), relatedFilter: { includeResult: true, $or: [term({ t: 'thick' }, 'hit'), term({ t: 'none' })] } });
    expect([names(either), related(either)._filteredSize]).toEqual([['w0', 'w2'], 2]);
    expect(related(either)._list[0].hit._list).toMatchObject([{ t: 'thick' }]);
    expect(names(await find({ parent: parent(), relatedFilter: { $and: null, $or: [term({ t: 'thick' })] } }))).toEqual(['w0', 'w2', 'w4']);
    expect((await search({ $findWithRelated: { parent: parent(), relatedFilter: { $and: [term({})], $or: [term({ t: 'thick' })] } } })).status).toBe(400);
  });

  it('gives distinct values of fields, of related fields, and their counts', async () => {
    const body = await find({
      parent: parent({ query: { area: { $gt: 0 } }, options: { page: { _pageSize: 1 } } }),
      relatedDistinctFields: [{ relatedDesc: { _relatedUserType: 'types' }, field: 'mat', as: 'materials' }, { relatedDesc: { _relatedUserType: 'types' }, query: { t: 'thin' }, field: 't', as: 'thin' }],
    });
    expect(body._list[0]._versions[0]._relatedDistinctFields.map((entry: Json) => Object.entries(entry).map(([key, values]) => [key, [...(values as string[])].sort()]))).toEqual([
      [['materials', ['brick', 'glass', 'wood']]], [['thin', ['thin']]],
    ]);
    const one = (await search({ $distinctRelatedItemField: { collectionDesc: { _userItemId: walls._userItemId }, field: 'props.fire' } })).body;
    expect(related(one)).toEqual({ 'props.fire': ['F30', 'F60'] });
    const many = (await search({
      query: {
        $distinctRelatedItemFields: {
          collectionDesc: { _userType: 'walls', _namespaces: [NS] }, collectionProject: { _name: 1 },
          fieldDesc: [{ field: 'props.fire', count: true, query: { area: { $gt: 0 } } }, { field: 'area', query: { area: { $lt: 2 } } }],
        },
      },
    })).body;
    expect(related(many)).toEqual({ 'props.fire': [{ value: 'F30', count: 3 }, { value: 'F60', count: 2 }], area: [0, 1] });
    expect(many._list[0]._name).toBe('NamedUserCollection');
    expect(many._list[0]).not.toHaveProperty('_userType');
  });

  it('searches the version that is named', async () => {
    const versioned = await items.item('NamedUserCollection', { _userType: 'versioned' });
    await items.related(versioned, [{ v: 1 }]);
    await items.post(`nameduseritems/${versioned._id}/versions`, {});
    await items.related(versioned, [{ v: 2 }, { v: 2 }]);
    const counts = async (desc: Json) => (await find({ parent: { collectionDesc: { _id: versioned._id, ...desc } } }))._list[0]?._versions.map((version: Json) => [version._version, version._relatedItems._total]);
    expect(await counts({})).toEqual([[2, 2]]);
    expect(await counts({ '_versions.all': true, '_versions._version': 1 })).toEqual([[1, 1]]);
    expect(await counts({ '_versions.all': true })).toEqual([[1, 1], [2, 2]]);
    expect(await counts({ '_versions._version': 7 })).toBeUndefined();
  });

  it('shows neither collections nor related items that the caller may not read', async () => {
    await items.passport.grant('wallreader', NS, ['READ'], 'itemsvc:nameduseritem:*', { criteria: { _userType: 'walls' } });
    const operator = {
      parent: parent(), related: [{ relatedDesc: { _relatedUserType: 'types' }, as: 'kinds' }],
      relatedDistinctFields: [{ relatedDesc: { _relatedUserType: 'types' }, field: 'mat', as: 'mats' }],
    };
    const body = await find(operator, { as: 'wallreader' });
    expect(related(body)._list.map(({ kinds }: Json) => kinds._total)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(body._list[0]._versions[0]._relatedDistinctFields).toEqual([{ mats: [] }]);
    expect(await find({ parent: { collectionDesc: { _userType: 'types' } } }, { as: 'wallreader' })).toMatchObject({ _total: 0, _list: [] });
    expect(await find(operator, { as: 'mallory', nsfilter: OTHER_NS })).toMatchObject({ _total: 0, _list: [] });
    expect((await search({ $findWithRelated: operator }, { as: '' })).status).toBe(401);
  });

  it('names what is wrong with a search', async () => {
    for (const body of [{}, { query: {} }, { $findWithRelated: {}, $distinctRelatedItemField: {} }, { $constructor: {} }, { $findWithRelated: [] }]) {
      expect((await search(body)).status).toBe(400);
    }
    const { body } = await search({
      $findWithRelated: { parent: { query: 5 }, related: [{ as: '$x' }, { relatedDesc: { _relatedUserType: 'a' } }], relatedFilter: {}, relatedDistinctFields: [{ relatedDesc: {} }] },
    });
    expect(body.details.map(({ field }: Json) => field)).toEqual([
      '$findWithRelated.parent.collectionDesc', '$findWithRelated.parent.collectionDesc', '$findWithRelated.parent.query', '$findWithRelated.related[0].relatedDesc',
      '$findWithRelated.related[0].relatedDesc', '$findWithRelated.related[0].as', '$findWithRelated.related[1].as', '$findWithRelated.relatedFilter',
      '$findWithRelated.relatedDistinctFields[0].relatedDesc', '$findWithRelated.relatedDistinctFields[0].field', '$findWithRelated.relatedDistinctFields[0].as',
    ]);
    expect((await search({ $findWithRelated: { parent: parent({ query: { $where: 1 } }) } })).status).toBe(400);
  });

  it('takes as many patterns as a query has conditions', async () => {
    const $or = Array.from({ length: 1_000 }, (_, n) => ({ name: { $regex: `^w${n}\\d*$` } }));
    const page = related(await find({ parent: parent({ query: { $or }, options: { sort: { name: 1 } } }) }));
    expect((page._list as Json[]).map(({ name }) => name as string)).toEqual(['w0', 'w1', 'w2', 'w3', 'w4', 'w5']);
    $or[999] = { name: { $regex: '(?=w)' } };
    expect((await search({ $findWithRelated: { parent: parent({ query: { $or } }) } })).body).toMatchObject({ code: 'invalid', message: expect.stringContaining('$regex is not a regular expression') as string });
  });

  it('asks the store as often for a thousand parents as for one', async () => {
    const big = await items.item('NamedUserCollection', { _userType: 'big' });
    const rows = await items.related(big, Array.from({ length: 1_000 }, (_, n) => ({ n })));
    await items.put(`nameduseritems/${big._id}/relationships/bulk`, rows.map(({ _id }, n) => ({ _relatedFromId: _id, _relatedToIds: [type[n % 3]?._id], _relatedUserItemDbId: types._id })));
    const queries = async (pageSize: number) => {
      const before = items.storeReads();
      const body = await find({ parent: { collectionDesc: { _id: big._id }, options: { page: { _pageSize: pageSize } } }, related: [{ relatedDesc: { _relatedUserType: 'types' }, as: 'kinds' }] });
      expect(related(body)._list).toHaveLength(pageSize);
      expect(related(body)._list.every(({ kinds }: Json) => kinds._total === 1)).toBe(true);
      return items.storeReads() - before;
    };
    expect(await queries(1_000)).toBe(await queries(1));
    const readsOf = async (pageSize: number, operator: Json) => {
      const before = items.storeReads();
      const found = related(await find({ parent: { collectionDesc: { _id: big._id }, options: { page: { _pageSize: pageSize } } }, ...operator }));
      expect(found._list).toHaveLength(pageSize);
      return items.storeReads() - before;
    };
    const kinds = { relatedDesc: { _relatedUserType: 'types' }, as: 'kinds' };
    const operators: Json = {
      'two aliases': { related: [kinds, { ...kinds, as: 'again' }] },
      nested: { related: [{ ...kinds, related: [{ relatedDesc: { _relatedUserType: 'big', _isInverse: true }, as: 'back', options: { page: { _pageSize: 1 } } }] }] },
      relatedFilter: { relatedFilter: { $and: [{ relatedDesc: kinds.relatedDesc, query: { t: { $exists: true } } }, { relatedDesc: kinds.relatedDesc, query: {} }] } },
      'relatedFilter, with what made it so': { relatedFilter: { includeResult: true, $or: [{ relatedDesc: kinds.relatedDesc, as: 'kinds' }] } },
      distinct: { relatedDistinctFields: [{ relatedDesc: kinds.relatedDesc, field: 'mat', as: 'mats' }] },
    };
    for (const [what, operator] of Object.entries(operators)) expect([what, await readsOf(1_000, operator as Json)]).toEqual([what, await readsOf(3, operator as Json)]);
  });
});
