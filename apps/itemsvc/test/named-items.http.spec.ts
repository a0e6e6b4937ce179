import { conflict, unavailable } from '@twinyard/conventions';
import { DocumentStore } from '@twinyard/documents';
import { ItemService, type Json, NS, OTHER_NS } from './item-service';

const draft = (fields: Json = {}): Json => ({
  _name: 'Walls', _shortName: 'Walls A', _description: 'all of them', _userType: 'wall', _itemClass: 'NamedUserCollection', _namespaces: [NS], ...fields,
});

describe('named items', () => {
  let items: ItemService;
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());

  it('makes every class with its first version, and finds each by both of its ids', async () => {
    for (const [itemClass, kind] of [['NamedUserCollection', 'collection'], ['NamedFileCollection', 'collection'], ['NamedTelemetryCollection', 'collection'],
      ['NamedCompositeItem', 'collection'], ['UserConfig', 'userconfig'], ['Script', 'script']]) {
      const { status, body } = await items.post('nameduseritems', [draft({ _itemClass: itemClass, _version: { _userData: '{}', _userAttributes: { a: 1 } } })]);
      expect([status, body._total, body._pageSize]).toEqual([201, 1, 1]);
      const [item] = body._list;
      expect(item).toMatchObject({
        _uri: `/nameduseritems/${item._id}`, _irn: `itemsvc:nameduseritem:${item._id}`, _kind: kind, _tipVersion: 1, _nextVersion: 2, _versionsCount: 1,
        _versions: [{ _id: item._tipId, _version: 1, _isTip: true, _userItemDbId: item._id, _userData: '{}', _userAttributes: { a: 1 } }],
      });
      expect(item._userItemId).toMatch(/^walls a_[a-z0-9]{10}$/);
      expect((await items.get(`nameduseritems/${item._id}`)).body).toEqual(item);
      expect((await items.get(`nameduseritems/${encodeURIComponent(item._userItemId)}`)).body).toEqual(item);
    }
  });

  it('keeps the collections of items whose commit was done and its answer lost, and none of items that the store refused', async () => {
    const store = items.part(DocumentStore);
    const real = store.transaction.bind(store);
    const dropped = jest.spyOn(store, 'dropCollection');
    const commits = jest.spyOn(store, 'transaction');
    try {
      commits.mockImplementationOnce(async (work) => { await real(work); throw unavailable('The connection is lost'); });
      expect((await items.post('nameduseritems', [draft({ _shortName: 'unheard' })])).status).toBe(503);
      expect(dropped).not.toHaveBeenCalled();
      commits.mockImplementationOnce(async () => { throw conflict('Refused'); });
      expect((await items.post('nameduseritems', [draft()])).status).toBe(409);
      expect(dropped).toHaveBeenCalledTimes(1);
      dropped.mockClear();
      jest.spyOn(store, 'createCollection').mockRejectedValueOnce(unavailable('The connection is lost'));
      expect((await items.post('nameduseritems', [draft()])).status).toBe(503);
      expect(dropped).toHaveBeenCalledTimes(1);
    } finally {
      jest.restoreAllMocks();
    }
    const { _list: [unheard] } = (await items.get('nameduseritems', { query: { query: { _userItemId: { $regex: '^unheard_' } } } })).body;
    expect((await items.post(`nameduseritems/${unheard._id}/relateditems`, [{ n: 1 }])).status).toBe(201);
  });

  it('keeps the properties of telemetry, minutes by default', async () => {
    expect((await items.item('NamedTelemetryCollection'))._tsProperties).toEqual({ _granularity: 'minutes' });
    const told = await items.item('NamedTelemetryCollection', { _tsProperties: { _granularity: 'hours', _expiry: 3600 } });
    expect(told._tsProperties).toEqual({ _granularity: 'hours', _expiry: 3600 });
  });

  it('names every bad field of every item and makes none', async () => {
    const before = (await items.get('nameduseritems', { query: { _pageSize: '0' } })).body._total;
    const { status, body } = await items.post('nameduseritems', [
      draft(),
      { _itemClass: 'Unknown', _shortName: 'x'.repeat(23), _namespaces: [OTHER_NS], _description: 5 },
      draft({ _itemClass: 'UserConfig' }),
      draft({ _encryptionEnabled: 'yes', _itemTypes: ['none'], _version: { _userAttributes: [] } }),
      draft({ _itemClass: 'NamedTelemetryCollection', _tsProperties: { _granularity: 'days', _expiry: -1 } }),
      'text',
    ]);
    expect([status, body.code]).toEqual([400, 'invalid']);
    expect(body.details.map(({ field }: Json) => field).sort()).toEqual([
      '[1]._description', '[1]._itemClass', '[1]._name', '[1]._namespaces', '[1]._shortName', '[1]._userType', '[2]._version._userData',
      '[3]._encryptionEnabled', '[3]._itemTypes', '[3]._version._userAttributes', '[4]._tsProperties._expiry', '[4]._tsProperties._granularity', '[5]',
    ]);
    expect((await items.post('nameduseritems', draft())).status).toBe(400);
    expect((await items.post('nameduseritems', [draft({ _shortName: '😀'.repeat(23) })])).body.details).toMatchObject([{ field: '[0]._shortName' }]);
    expect((await items.get('nameduseritems', { query: { _pageSize: '0' } })).body._total).toBe(before);
  });

  it('filters, sorts, projects and pages, with the total of what matches', async () => {
    const mark = `mark${Date.now()}`;
    await items.post('nameduseritems', [1, 2, 3].map((n) => draft({ _name: `n${n}`, _userType: mark, _version: { _userAttributes: { n, even: n % 2 === 0 } } })));
    const { body } = await items.get('nameduseritems', {
      query: { query: { _userType: mark, '_versions._userAttributes.even': false }, sort: { _name: -1 }, project: { _name: 1 }, page: { _offset: 1, _pageSize: 1 } },
    });
    expect(body).toEqual({ _offset: 1, _pageSize: 1, _total: 2, _list: [{ _id: expect.any(String), _name: 'n1' }] });
    expect((await items.get('nameduseritems', { query: { _pageSize: '9999', query: { _userType: mark } } })).body).toMatchObject({ _pageSize: 5000, _total: 3 });
  });

  it('refuses bad parameters by name and operators that are not allowed', async () => {
    for (const name of ['query', 'project', 'sort', 'page']) {
      const { status, body } = await items.get('nameduseritems', { query: { [name]: '{' } });
      expect([status, body.details?.[0]?.field]).toEqual([400, name]);
    }
    const { status, body } = await items.get('nameduseritems', { query: { query: { $where: '1' } } });
    expect([status, body.message]).toEqual([400, expect.stringContaining('$where')]);
  });

  it('answers to both of its ids on every path, whatever its name is', async () => {
    const kept = new Map<string, Json>();
    const one = (itemClass: string) => kept.get(itemClass) as Json;
    for (const [shortName, itemClass] of [['a b/ü?#%', 'NamedUserCollection'], ['..%2F..', 'NamedFileCollection'], ["'; drop--", 'NamedTelemetryCollection'], ['<b>&amp;', 'NamedCompositeItem'], ['{"$gt":1}', 'UserConfig'], ['İ😀.js', 'Script']] as const) {
      const name = `${shortName} \u202e‮ "quoted" \n`;
      const item = await items.item(itemClass, { _name: name, _shortName: shortName, _version: { _userData: 'x' } });
      expect([item._name, item._shortName, item._userItemId.startsWith(`${shortName.toLowerCase()}_`)]).toEqual([name, shortName, true]);
      kept.set(itemClass, item);
    }
    const both = (itemClass: string) => [one(itemClass)._id, encodeURIComponent(one(itemClass)._userItemId as string)].map((id) => `nameduseritems/${id}`);
    const tail = { NamedUserCollection: ['/relateditems', '/relationships', '/inverserelationships', '/indexes'], NamedFileCollection: ['/relateditems', '/indexes'], NamedTelemetryCollection: ['/relateditems', '/relateditems/readings', '/indexes'], NamedCompositeItem: ['/relatedcollections'], UserConfig: [], Script: ['/script.js'] };
    for (const [itemClass, own] of Object.entries(tail)) {
      for (const path of ['', '/versions', `/versions/${one(itemClass)._tipId}`, '/updatelogs', ...own]) {
        const [byId, byName] = await Promise.all(both(itemClass).map((start) => items.get(start + path)));
        expect([itemClass, path, byId?.status, byName?.status, byName?.text]).toEqual([itemClass, path, 200, 200, byId?.text]);
      }
    }
    const walls = both('NamedUserCollection')[1] as string;
    expect((await items.post(`${walls}/relateditems`, [{ a: 1 }])).status).toBe(201);
    expect((await items.post(`${walls}/indexes`, [{ key: { a: 1 }, options: { name: 'a' } }])).status).toBe(201);
    expect((await items.post(`${walls}/versions`, {})).body._version).toBe(2);
    const composite = both('NamedCompositeItem')[1] as string;
    expect((await items.post(`${composite}/relatedcollections`, [one('NamedUserCollection')._userItemId])).status).toBe(201);
    expect((await items.get('nameduseritems', { query: { query: { _userItemId: one('UserConfig')._userItemId } } })).body._total).toBe(1);
    for (const fields of [{ _name: 'a\0' }, { _shortName: 'a\0' }, { _name: '\ud800' }, { _userType: 'a\0' }]) expect([fields, (await items.post('nameduseritems', [draft(fields)])).status]).toEqual([fields, 400]);
  });

  it('lists every class by query, project, sort and page', async () => {
    const mark = `every${Date.now()}`;
    for (const itemClass of ['NamedUserCollection', 'NamedFileCollection', 'NamedTelemetryCollection', 'NamedCompositeItem', 'UserConfig', 'Script']) {
      await items.post('nameduseritems', ['b', 'a', 'c'].map((name, n) => draft({ _name: name, _userType: mark, _itemClass: itemClass, _version: { _userData: n, _userAttributes: { n } } })));
      const list = async (query: Json) => (await items.get('nameduseritems', { query: { query: { _userType: mark, _itemClass: itemClass }, ...query } })).body;
      const { _list: [first, second], ...page } = await list({ sort: { _name: 1 }, project: { _name: 1, '_versions._userAttributes.n': 1 }, page: { _offset: 1, _pageSize: 2 } });
      expect(page).toEqual({ _offset: 1, _pageSize: 2, _total: 3 });
      expect([first, second]).toEqual([['b', 0], ['c', 2]].map(([_name, n]) => ({ _id: expect.any(String), _name, _versions: [{ _userAttributes: { n } }] })));
      const without = (await list({ sort: { '_versions._userAttributes.n': -1 }, project: { _metadata: 0, _versions: 0 } }))._list;
      expect(without.map(({ _name }: Json) => _name)).toEqual(['c', 'a', 'b']);
      expect(without[0]).toEqual(expect.not.objectContaining({ _versions: expect.anything(), _metadata: expect.anything() }));
      expect((await list({ query: { _userType: mark, _itemClass: itemClass, '_versions._userAttributes.n': { $gte: 1 } } }))._total).toBe(2);
    }
  });

  it('updates what may be updated and ignores the rest', async () => {
    const item = await items.item('NamedUserCollection', { _description: 'old' });
    const answer = await items.put(`nameduseritems/${item._userItemId}`, { ...item, _name: 'new', _userType: 'newtype', _itemClass: 'Script', _shortName: 'other', extra: 1 });
    expect([answer.status, answer.text]).toEqual([204, '']);
    const { body } = await items.get(`nameduseritems/${item._id}`);
    expect(body).toMatchObject({ _name: 'new', _userType: 'newtype', _itemClass: 'NamedUserCollection', _shortName: item._shortName, _userItemId: item._userItemId, _description: 'old' });
    expect(body).not.toHaveProperty('extra');
    expect((await items.get('nameduseritems', { query: { query: { _userType: 'newtype', '_versions.all': true } } })).body._total).toBe(1);
    expect((await items.put(`nameduseritems/${item._id}`, {})).body.details.map(({ field }: Json) => field)).toEqual(['_namespaces', '_name', '_userType']);
    expect((await items.put('nameduseritems/5f0000000000000000000000', { ...item })).status).toBe(404);
  });

  it('moves an item into a namespace only where the caller may create, and leaves what nsfilter does not name', async () => {
    const item = await items.item('NamedUserCollection');
    const both = { nsfilter: [NS, OTHER_NS] };
    expect((await items.put(`nameduseritems/${item._id}`, { ...item, _namespaces: [NS, OTHER_NS] })).status).toBe(400);
    expect((await items.put(`nameduseritems/${item._id}`, { ...item, _namespaces: [NS, OTHER_NS] }, both)).status).toBe(403);
    await items.passport.grant('alice', OTHER_NS, ['CREATE'], 'itemsvc:*:*');
    expect((await items.put(`nameduseritems/${item._id}`, { ...item, _namespaces: [NS, OTHER_NS] }, both)).status).toBe(204);
    expect((await items.put(`nameduseritems/${item._id}`, { ...item, _namespaces: [NS] })).status).toBe(204);
    expect((await items.get(`nameduseritems/${item._id}`)).body._namespaces).toEqual([NS, OTHER_NS]);
    // To take it away from where one may change nothing is to change it there.
    expect((await items.put(`nameduseritems/${item._id}`, { ...item, _namespaces: [NS] }, both)).status).toBe(403);
    expect((await items.get(`nameduseritems/${item._id}`)).body._namespaces).toEqual([NS, OTHER_NS]);
    await items.passport.grant('alice', OTHER_NS, ['EDIT'], `itemsvc:nameduseritem:${item._id}`);
    expect((await items.put(`nameduseritems/${item._id}`, { ...item, _namespaces: [NS] }, both)).status).toBe(204);
    expect((await items.get(`nameduseritems/${item._id}`)).body._namespaces).toEqual([NS]);
  });

  it('answers a delete as its class does, and the item is gone with its collection', async () => {
    for (const [itemClass, status] of [['NamedUserCollection', 200], ['UserConfig', 200], ['NamedFileCollection', 204], ['NamedTelemetryCollection', 204],
      ['NamedCompositeItem', 204], ['Script', 204]] as const) {
      const item = await items.item(itemClass, { _version: { _userData: 1 } });
      const answer = await items.delete(`nameduseritems/${item._id}`);
      expect(answer.status).toBe(status);
      if (status === 200) expect(answer.body).toEqual([{ _updatedBy: 'alice', _updatedAt: expect.any(Number) }]);
      else expect(answer.text).toBe('');
      expect((await items.get(`nameduseritems/${item._id}`)).status).toBe(404);
      expect((await items.delete(`nameduseritems/${item._id}`)).status).toBe(404);
    }
  });

  it('publishes what happened to an item, in order', async () => {
    const item = await items.item('UserConfig', { _version: { _userData: 'ab', _userAttributes: { a: 1 } } });
    await items.put(`nameduseritems/${item._id}`, item);
    await items.delete(`nameduseritems/${item._id}`);
    expect(await items.eventsOf(item._id)).toEqual([
      expect.objectContaining({ type: 'itemsvc.UserConfig', _id: item._id, _namespaces: [NS], _userItemId: item._userItemId }),
      expect.objectContaining({ type: 'itemsvc.Version', _id: item._tipId, _itemId: item._id, _version: 1, _isTip: true, _relatedItemsCount: 0, _size: '"ab"{"a":1}'.length }),
      expect.objectContaining({ type: 'itemsvc.UserConfig' }),
      expect.objectContaining({ type: 'itemsvc.Version', _size: 0 }),
      expect.objectContaining({ type: 'itemsvc.UserConfig' }),
    ]);
  });
});

describe('who may do what with named items', () => {
  let items: ItemService;
  let wall: Json;
  let door: Json;
  beforeAll(async () => {
    items = await ItemService.start();
    wall = await items.item('NamedUserCollection', { _userType: 'wall' });
    door = await items.item('NamedUserCollection', { _userType: 'door' });
  });
  afterAll(() => items.stop());

  const routes = (id: string): ['get' | 'post' | 'put' | 'delete', string][] => [
    ['post', 'nameduseritems'], ['get', 'nameduseritems'], ['get', `nameduseritems/${id}`], ['put', `nameduseritems/${id}`], ['delete', `nameduseritems/${id}`],
    ['get', `nameduseritems/${id}/versions`], ['post', `nameduseritems/${id}/versions`], ['get', `nameduseritems/${id}/relateditems`],
    ['post', `nameduseritems/${id}/relateditems`], ['post', `nameduseritems/${id}/relateditems/bulk`], ['put', `nameduseritems/${id}/relateditems`],
    ['delete', `nameduseritems/${id}/relateditems/bulk`],
  ];

  it('answers 401 without a token and 400 without nsfilter, on every route', async () => {
    for (const [method, path] of routes(wall._id)) {
      const nobody = await items.call(method, path, { as: '' });
      expect([path, nobody.status, nobody.headers['www-authenticate']]).toEqual([path, 401, 'Bearer']);
      expect([path, (await items.call(method, path, { nsfilter: null })).status]).toEqual([path, 400]);
    }
  });

  it('shows an outsider nothing: empty lists, zero totals, 404 by id', async () => {
    for (const nsfilter of [NS, OTHER_NS]) {
      expect((await items.get('nameduseritems', { as: 'mallory', nsfilter })).body).toMatchObject({ _total: 0, _list: [] });
      for (const [method, path] of routes(wall._id).slice(2)) {
        expect([path, (await items.call(method, path, { as: 'mallory', nsfilter, body: method === 'get' ? undefined : { ...wall, _namespaces: [nsfilter] } })).status]).toEqual([path, 404]);
      }
    }
    expect((await items.post('nameduseritems', [draft()], { as: 'mallory' })).status).toBe(403);
    expect((await items.get(`nameduseritems/${wall._id}`, { nsfilter: OTHER_NS })).status).toBe(404);
  });

  it('lets a viewer read and answers 403 to every write', async () => {
    await items.passport.grant('viewer', NS, ['READ']);
    for (const [method, path] of routes(wall._id)) {
      const expected = method === 'get' ? 200 : 403;
      const body = path.endsWith(wall._id) ? wall : [draft()];
      expect([method, path, (await items.call(method, path, { as: 'viewer', body: method === 'get' ? undefined : body, query: { query: {} } })).status]).toEqual([method, path, expected]);
    }
  });

  it('filters lists and totals by criteria and by single ids', async () => {
    await items.passport.grant('wallreader', NS, ['READ'], 'itemsvc:nameduseritem:*', { criteria: { _userType: 'wall' } });
    await items.passport.grant('idreader', NS, ['READ'], `itemsvc:nameduseritem:${door._id}`);
    expect((await items.get('nameduseritems', { as: 'wallreader' })).body).toMatchObject({ _total: 1, _list: [{ _id: wall._id }] });
    expect((await items.get('nameduseritems', { as: 'idreader' })).body).toMatchObject({ _total: 1, _list: [{ _id: door._id }] });
    expect((await items.get(`nameduseritems/${door._id}`, { as: 'wallreader' })).status).toBe(404);
    expect((await items.get(`nameduseritems/${door._id}`, { as: 'idreader' })).status).toBe(200);
  });

  it('opens nothing of the collection itself to a grant on some of its related items', async () => {
    await items.passport.grant('partreader', NS, ['*'], `itemsvc:nameduseritem:${wall._id}`, { subresource: { _type: 'relateditem', _criteria: { a: 1 } } });
    expect((await items.get('nameduseritems', { as: 'partreader' })).body._total).toBe(0);
    expect((await items.get(`nameduseritems/${wall._id}`, { as: 'partreader' })).status).toBe(404);
  });

  it('caps a caller by the scope of its token', async () => {
    expect((await items.post('nameduseritems', [draft()], { scopes: ['read'] })).status).toBe(403);
    expect((await items.get('nameduseritems', { scopes: ['write'] })).status).toBe(403);
  });

  it('takes CREATE for making items, and for related items where READ is not held', async () => {
    await items.passport.grant('creator', NS, ['CREATE'], 'itemsvc:nameduseritem:*');
    expect((await items.post('nameduseritems', [draft()], { as: 'creator' })).status).toBe(201);
    expect((await items.post(`nameduseritems/${wall._id}/relateditems`, [{ a: 1 }], { as: 'creator' })).status).toBe(201);
    expect((await items.post('nameduseritems', [draft({ _shortName: '😀'.repeat(22) })], { as: 'creator' })).status).toBe(201);
    expect((await items.put(`nameduseritems/${wall._id}/relateditems`, [], { as: 'creator' })).status).toBe(404);
    expect((await items.post('nameduseritems', [], { as: 'creator' })).body).toMatchObject({ _total: 0, _list: [] });
    for (const as of ['viewer', 'mallory']) expect((await items.post('nameduseritems', [], { as })).status).toBe(403);
  });
});
