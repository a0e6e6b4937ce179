import { ItemService, type Json, NS, OTHER_NS } from './item-service';

const WALL = { _typeName: 'Wall', _type: 'object', _properties: { height: { _type: 'number' } }, _relationshipTypes: [], _readingTypes: [] };

describe('schema definitions', () => {
  let items: ItemService;
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());

  const put = (body: unknown, as = 'alice', nsfilter = NS) => items.put('schemadefinitions', body, { as, nsfilter });
  const faultsOf = async (body: unknown) => {
    const answer = await put(body);
    expect(answer.status).toBe(400);
    return (answer.body.details as Json[]).map(({ field, issue }) => `${field}: ${issue}`);
  };

  it('are one per namespace, replaced as a whole', async () => {
    expect((await items.get('schemadefinitions', { as: 'mallory', nsfilter: OTHER_NS })).body).toEqual({ _itemTypes: [], _readingTypes: [], _collections: [] });
    const room = {
      ...WALL, _typeName: 'Room', _description: 'Where people are', _readingTypes: ['Climate'],
      _relationshipTypes: [{ _isInverse: true, _userType: 'walls', _ref: { _relatedTypeName: 'Wall', _relatedUserType: 'walls' }, _description: 'around it' }],
      _properties: { 'Net Area': { _type: 'number' }, use: { _type: 'string', _enum: ['office', 'store'] }, '.hidden': { _type: 'boolean' }, tags: { _type: 'array', _items: { _type: 'object', _properties: { at: { _type: 'isodate' } } } } },
    };
    const climate = { _typeName: 'Climate', _type: 'object', _properties: { _ts: { _type: 'isodate' }, celsius: { _type: 'number' } } };
    const stored = await put({ _itemTypes: [WALL, room], _readingTypes: [climate], _collections: [{ _id: 'ignored' }], _own: 1 });
    expect(stored.body).toMatchObject({ _itemTypes: [WALL, room], _readingTypes: [climate], _metadata: { _createdById: 'alice' } });
    expect((await items.get('schemadefinitions')).body).toEqual(stored.body);
    expect((await put(stored.body)).body._itemTypes).toEqual([WALL, room]);
    expect((await put({})).body).toMatchObject({ _itemTypes: [], _readingTypes: [], _metadata: { _createdAt: stored.body._metadata._createdAt } });
    expect((await items.get('schemadefinitions')).body._itemTypes).toEqual([]);
  });

  it('names every fault with its path, and keeps what was there', async () => {
    await put({ _itemTypes: [WALL] });
    expect(await faultsOf({
      _itemTypes: [
        { ...WALL, _type: 'array', _properties: { a: { _type: 'text' }, b: { _type: 'number', _enum: ['x'] }, c: { _type: 'object', _properties: { $d: {} } }, e: 5, f: { _type: 'string', _enum: ['x', 1, 'x'] }, g: { _type: 'array', _items: { _type: 'date' } } } },
        { ...WALL, _relationshipTypes: [{ _ref: { _relatedTypeName: 'Door' }, _isInverse: 'no' }, { _userType: 'x' }, 7], _readingTypes: ['Climate'] },
        'Roof',
      ],
      _readingTypes: [{ _typeName: 'Heat', _type: 'object', _properties: { _ts: { _type: 'number' }, _tsMetadata: { _type: 'object', _properties: { _sourceId: { _type: 'number' } } } } }],
    })).toEqual([
      '_readingTypes[0]._properties._ts._type: must be isodate (it is a string of 6 characters)',
      '_readingTypes[0]._properties._tsMetadata._properties._sourceId._type: must be string (it is a string of 6 characters)',
      '_itemTypes[2]: must be an object (it is a string of 4 characters)',
      '_itemTypes[0]._type: must be object (it is a string of 5 characters)',
      '_itemTypes[0]._properties.a._type: must be one of number, string, boolean, isodate, object, array (it is a string of 4 characters)',
      '_itemTypes[0]._properties.b._enum: only a property of type string has it',
      '_itemTypes[0]._properties.c._properties.$d: a property name must not start with $',
      '_itemTypes[0]._properties.c._properties.$d._type: is required',
      '_itemTypes[0]._properties.e: must be an object (it is a number)',
      '_itemTypes[0]._properties.f._enum[1]: must be a text (it is a number)',
      '_itemTypes[0]._properties.f._enum[2]: x stands twice',
      '_itemTypes[0]._properties.g._items._type: must be one of number, string, boolean, isodate, object, array (it is a string of 4 characters)',
      '_itemTypes[1]._relationshipTypes[2]: must be an object (it is a number)',
      '_itemTypes[1]._relationshipTypes[0]._isInverse: must be true or false (it is a string of 2 characters)',
      '_itemTypes[1]._relationshipTypes[0]._userType: is required',
      '_itemTypes[1]._relationshipTypes[1]._ref: is required',
      '_itemTypes[1]._relationshipTypes[2]._ref: is required',
      '_itemTypes[1]._relationshipTypes[2]._userType: is required',
      '_itemTypes[2]._typeName: is required',
      '_itemTypes[1]._typeName: Wall stands twice',
      '_itemTypes[1]._relationshipTypes[0]._ref._relatedTypeName: there is no item type Door',
      '_itemTypes[1]._readingTypes[0]: there is no reading type Climate',
    ]);
    const deep = Array.from({ length: 40 }).reduce<Json>((inner) => ({ _type: 'object', _properties: { a: inner } }), { _type: 'number' });
    expect(await faultsOf({ _itemTypes: [{ ...WALL, _properties: { a: deep } }] })).toEqual([expect.stringContaining('is nested deeper than 32 levels')]);
    expect(await faultsOf({ _itemTypes: {} })).toEqual(['_itemTypes: must be an array (it is an object)']);
    expect((await items.get('schemadefinitions')).body._itemTypes).toEqual([WALL]);
  });

  it('may be named by the items of the namespace, and only what they hold', async () => {
    await put({ _itemTypes: [WALL] });
    const item = await items.item('NamedUserCollection', { _itemTypes: ['Wall'] });
    expect((await items.get('schemadefinitions')).body._collections).toContainEqual(expect.objectContaining({ _id: item._id, _itemTypes: ['Wall'] }));
    const body = [{ _name: 'a', _shortName: 'a', _userType: 'a', _itemClass: 'NamedUserCollection', _namespaces: [NS], _itemTypes: ['Wall', 'Door'] }];
    expect((await items.post('nameduseritems', body)).body.details).toEqual([{ field: '[0]._itemTypes', issue: 'the schema definition has no item type Door' }]);
    const elsewhere = [{ ...body[0], _namespaces: [OTHER_NS], _itemTypes: ['Wall'] }];
    expect((await items.post('nameduseritems', elsewhere, { as: 'mallory', nsfilter: OTHER_NS })).status).toBe(400);
    await items.passport.grant('part maker', NS, ['CREATE'], `itemsvc:nameduseritem:${item._id}`);
    for (const as of ['mallory', 'part maker']) {
      const tried = async (type: string) => (await items.post('nameduseritems', [{ ...body[0], _itemTypes: [type] }], { as })).status;
      expect([as, await tried('Wall')]).toEqual([as, await tried('Door')]);
    }
  });

  it('are taken as they were drafted, however long the names of collections are', async () => {
    const namespace = 'ns4_12345678';
    await items.passport.grant('namer', namespace, ['*']);
    const at = { as: 'namer', nsfilter: namespace };
    for (const itemClass of ['NamedUserCollection', 'NamedTelemetryCollection', 'NamedTelemetryCollection']) await items.item(itemClass, { _name: '😀'.repeat(1_000) }, 'namer', namespace);
    const draft = await items.post('schemadefinitions/generate', undefined, at);
    expect([draft.status, draft.body._itemTypes.length]).toEqual([200, 3]);
    const kept = await items.put('schemadefinitions', draft.body, at);
    expect([kept.status, kept.body._itemTypes.map(({ _typeName }: Json) => _typeName)]).toEqual([200, draft.body._itemTypes.map(({ _typeName }: Json) => _typeName)]);
  });

  it('are drafted from what is there: properties, texts with few values, relations and readings', async () => {
    const [rooms, walls, sensors] = [
      await items.item('NamedUserCollection', { _name: 'Rooms', _userType: 'rooms' }, 'mallory', OTHER_NS),
      await items.item('NamedUserCollection', { _name: 'Walls', _userType: 'walls' }, 'mallory', OTHER_NS),
      await items.item('NamedTelemetryCollection', { _name: 'Sensors', _userType: 'sensors' }, 'mallory', OTHER_NS),
    ];
    const at = { as: 'mallory', nsfilter: OTHER_NS };
    const kinds = ['office', 'store'];
    const room = (n: number) => ({
      name: `Room ${n}`, use: kinds[n % 2], built: '2020-01-02T03:04:05Z', area: n % 3 === 0 ? 'unknown' : n, size: { width: n, ...(n === 1 && { height: 3 }) },
      tags: n === 2 ? ['a', 'b'] : [], nothing: null,
    });
    const made = await items.post(`nameduseritems/${rooms._id}/relateditems`, Array.from({ length: 1_203 }, (_, n) => room(n)), at);
    await items.post(`nameduseritems/${walls._id}/relateditems`, [{ heavy: true, _relationships: [{ _relatedUserItemDbId: rooms._id, _relatedToIds: [made.body._list[0]._id] }] }], at);
    const sensor = (await items.post(`nameduseritems/${sensors._id}/relateditems`, [{ _sourceId: 's1', unit: '°C' }], at)).body._list[0];
    await items.post(`nameduseritems/${sensors._id}/relateditems/readings`, [{ _ts: '2026-01-01T00:00:00Z', _tsMetadata: { _telItemId: sensor._id, _sourceId: 's1' }, celsius: 21.5 }], at);

    const { status, body } = await items.post('schemadefinitions/generate', undefined, at);
    expect(status).toBe(200);
    expect(body._itemTypes).toEqual([
      {
        _typeName: 'Rooms', _type: 'object', _description: 'Rooms: 1203 items', _readingTypes: [],
        _properties: {
          name: { _type: 'string' },
          use: { _type: 'string', _enum: kinds },
          built: { _type: 'isodate' },
          area: { _type: 'number', _description: 'string in 401, number in 802' },
          size: { _type: 'object', _properties: { width: { _type: 'number' }, height: { _type: 'number', _description: 'in 1 of 1203' } } },
          tags: { _type: 'array', _items: { _type: 'string' } },
        },
        _relationshipTypes: [{ _isInverse: true, _userType: 'walls', _ref: { _relatedTypeName: 'Walls', _relatedUserType: 'walls', _relatedUserItemId: walls._userItemId } }],
      },
      {
        _typeName: 'Walls', _type: 'object', _description: 'Walls: 1 items', _readingTypes: [], _properties: { heavy: { _type: 'boolean' } },
        _relationshipTypes: [{ _isInverse: false, _userType: 'rooms', _ref: { _relatedTypeName: 'Rooms', _relatedUserType: 'rooms', _relatedUserItemId: rooms._userItemId } }],
      },
      { _typeName: 'Sensors', _type: 'object', _description: 'Sensors: 1 items', _properties: { _sourceId: { _type: 'string' }, unit: { _type: 'string' } }, _relationshipTypes: [], _readingTypes: ['Sensors reading'] },
    ]);
    expect(body._readingTypes).toEqual([{
      _typeName: 'Sensors reading', _type: 'object',
      _properties: { _ts: { _type: 'isodate' }, _tsMetadata: { _type: 'object', _properties: { _telItemId: { _type: 'string' }, _sourceId: { _type: 'string' } } }, celsius: { _type: 'number' } },
    }]);
    expect(body._collections.map((entry: Json) => [entry._id, entry._itemTypes, entry._versions])).toEqual([[rooms._id, ['Rooms'], undefined], [walls._id, ['Walls'], undefined], [sensors._id, ['Sensors'], undefined]]);
    expect((await items.get('schemadefinitions', at)).body._itemTypes).toEqual([]);
    // A draft is a definition as it stands.
    expect((await put(body, 'mallory', OTHER_NS)).status).toBe(200);
  });

  it('are for those with a grant on them, and show only collections that the caller may READ', async () => {
    await put({ _itemTypes: [WALL] });
    await items.item('NamedUserCollection', { _name: 'Secret' });
    await items.passport.grant('reader', NS, ['READ'], 'itemsvc:schemadefinition:*');
    expect((await items.get('schemadefinitions', { as: 'reader' })).body).toMatchObject({ _itemTypes: [WALL], _collections: [] });
    expect((await items.post('schemadefinitions/generate', undefined, { as: 'reader' })).body).toEqual({ _itemTypes: [], _readingTypes: [], _collections: [] });
    expect((await put({}, 'reader')).status).toBe(403);
    for (const answer of [await items.get('schemadefinitions', { as: 'mallory' }), await items.post('schemadefinitions/generate', undefined, { as: 'mallory' })]) {
      expect(answer.body).toEqual({ _itemTypes: [], _readingTypes: [], _collections: [] });
    }
    expect((await put({}, 'mallory')).status).toBe(403);
    expect((await items.get('schemadefinitions', { nsfilter: [NS, OTHER_NS] })).body.details[0].field).toBe('nsfilter');
    expect((await items.get('schemadefinitions', { nsfilter: null })).status).toBe(400);
  });

  it('made by two at the same moment end as one, with an event each', async () => {
    await items.passport.grant('bob', 'ns3_12345678', ['*']);
    const answers = await Promise.all([1, 2, 3].map((n) => put({ _itemTypes: [{ ...WALL, _typeName: `T${n}` }] }, 'bob', 'ns3_12345678')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await items.get('schemadefinitions', { as: 'bob', nsfilter: 'ns3_12345678' })).body._itemTypes).toHaveLength(1);
    const events = await items.eventsOf('ns3_12345678');
    expect(events.map(({ type, _irn }) => [type, _irn])).toEqual(Array(3).fill(['itemsvc.SchemaDefinition', 'itemsvc:schemadefinition:ns3_12345678']));
  });
});
