import { ItemService, type Json, NS, OTHER_NS } from './item-service';

const changesOf = (entry: Json) => Object.fromEntries((entry._changes as Json[]).map(({ _path, ...change }) => [_path, change]));

describe('update logs', () => {
  let items: ItemService;
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());

  const logOf = async (path: string, query: Json = {}) => (await items.get(`nameduseritems/${path}/updatelogs`, { query })).body;

  it('tell who changed what of a named item and its versions, newest first', async () => {
    await items.passport.grant('bob', NS, ['*']);
    const config = await items.item('UserConfig', { _version: { _userData: { limit: 1, open: true } } });
    await items.put(`nameduseritems/${config._id}`, { ...config, _name: 'Renamed' }, { as: 'bob' });
    const version = (await items.post(`nameduseritems/${config._id}/versions`, { _userData: { limit: 2 } })).body;
    await items.put(`nameduseritems/${config._id}/versions/${version._id}`, { _userData: { limit: 3 }, _userAttributes: { colour: 'red' } });
    const { _list, _total } = await logOf(config._userItemId as string);
    expect([_total, _list.map(({ _action, _byId }: Json) => [_action, _byId])]).toEqual([4, [['UPDATE', 'alice'], ['UPDATE', 'alice'], ['UPDATE', 'bob'], ['CREATE', 'alice']]]);
    expect(changesOf(_list[0])).toEqual({ '_versions.2._userAttributes': { _to: { colour: 'red' } }, '_versions.2._userData.limit': { _from: 2, _to: 3 } });
    expect(_list[1]._changes).toContainEqual({ _path: '_tipVersion', _from: 1, _to: 2 });
    expect(_list[2]._changes).toEqual([{ _path: '_name', _from: 'UserConfig', _to: 'Renamed' }]);
    expect(_list[3]).toMatchObject({ _changes: [], _at: config._metadata._createdAt });
    expect(_list[0]._at).toBeGreaterThanOrEqual(_list[2]._at);
  });

  it('tell the same of a related item, by version, a page at a time; a write that changes nothing leaves no entry', async () => {
    const item = await items.item('NamedUserCollection');
    const [made] = (await items.related(item, [{ name: 'Wall', size: { width: 1, height: 2 }, tags: ['a'] }])) as [Json];
    const path = `nameduseritems/${item._id}/relateditems/${made._id}`;
    await items.put(path, made);
    await items.put(path, { name: 'Wall', size: { width: 1, height: 3 }, tags: ['a', 'b'] });
    await items.put(`nameduseritems/${item._id}/relateditems`, [{ _id: made._id, size: { width: 1 }, tags: ['a', 'b'], heavy: true }]);
    const { _list, _total } = await logOf(`${item._id}/relateditems/${made._id}`);
    expect([_total, _list.map(({ _action }: Json) => _action)]).toEqual([3, ['UPDATE', 'UPDATE', 'CREATE']]);
    expect(changesOf(_list[0])).toEqual({ name: { _from: 'Wall' }, 'size.height': { _from: 3 }, heavy: { _to: true } });
    expect(changesOf(_list[1])).toEqual({ 'size.height': { _from: 2, _to: 3 }, tags: { _from: ['a'], _to: ['a', 'b'] } });
    const pages = await Promise.all([0, 1, 2, 3].map(async (_offset) => logOf(`${item._id}/relateditems/${made._id}`, { page: { _offset, _pageSize: 1 } })));
    expect(pages.map(({ _list: list, _total: total }) => [total, ...list.map(({ _id }: Json) => _id)])).toEqual([...(_list as Json[]).map(({ _id }) => [3, _id]), [3]]);
    await items.post(`nameduseritems/${item._id}/versions`, {});
    expect((await items.get(`${path}/updatelogs`)).status).toBe(404);
    expect((await items.get(`${path}/updatelogs`, { query: { userItemVersionId: item._tipId } })).body._total).toBe(3);
  });

  it('go with what they tell of', async () => {
    const before = await items.updatesKept();
    const item = await items.item('NamedUserCollection');
    const made = await items.related(item, [{ n: 1 }, { n: 1 }, { n: 1 }]);
    const path = `nameduseritems/${item._id}`;
    await items.put(`${path}/relateditems`, made.map((one) => ({ ...one, n: 2 })));
    await items.put(path, { ...item, _name: 'Renamed' });
    expect(await items.updatesKept() - before).toBe(4);
    await items.delete(`${path}/relateditems/${made[0]?._id}`);
    expect(await items.updatesKept() - before).toBe(4);
    await items.delete(path);
    expect(await items.updatesKept() - before).toBe(0);
  });

  it('of a related item that is gone say who deleted it, and nothing of what it held', async () => {
    await items.passport.grant('bob', NS, ['*']);
    const item = await items.item('NamedUserCollection');
    const made = await items.related(item, [1, 2, 3, 4].map((n) => ({ n, floor: 0 })));
    const path = `nameduseritems/${item._id}/relateditems`;
    const [one, other, third, kept] = made.map(({ _id }) => _id as string);
    await items.put(`${path}/${one}`, { n: 'secret', floor: 0 });
    await items.delete(`${path}/${one}`, { as: 'bob' });
    await items.delete(path, { body: [other, 'never there'] });
    await items.delete(`${path}/bulk`, { query: { query: { n: 3 } } });
    const gone = await Promise.all([one, other, third].map((id) => logOf(`${item._id}/relateditems/${id}`)));
    expect(gone.map(({ _total, _list }) => [_total, _list.map(({ _action, _byId, _changes }: Json) => [_action, _byId, _changes])])).toEqual(['bob', 'alice', 'alice'].map((who) => [1, [['DELETE', who, []]]]));
    expect((await items.get(`${path}/never%20there/updatelogs`)).status).toBe(404);
    await items.passport.grant('partreader', NS, ['READ'], `itemsvc:nameduseritem:${item._id}`, { subresource: { _type: 'relateditem', _criteria: { floor: 0 } } });
    expect(await Promise.all([one, kept].map(async (id) => (await items.get(`${path}/${id}/updatelogs`, { as: 'partreader' })).status))).toEqual([404, 200]);
    expect((await logOf(`${item._id}/relateditems/${kept}`))._list.map(({ _action }: Json) => _action)).toEqual(['CREATE']);
    await items.post(path, [{ _id: one, n: 5 }]);
    expect((await logOf(`${item._id}/relateditems/${one}`))._list.map(({ _action }: Json) => _action)).toEqual(['CREATE']);
  });

  it('of a related item that has moved into a part say to its readers nothing of the time before', async () => {
    const item = await items.item('NamedUserCollection');
    const [made] = (await items.related(item, [{ at: { floor: 1 }, pin: 4711 }])) as [Json];
    const path = `${item._id}/relateditems/${made._id}`;
    for (const body of [{ at: { floor: 1 }, pin: 4712 }, { at: { floor: 2 } }, { at: { floor: 2 }, n: 1 }, { at: { floor: 2 }, n: 2 }]) await items.put(`nameduseritems/${path}`, body);
    await items.passport.grant('second floor', NS, ['READ'], `itemsvc:nameduseritem:${item._id}`, { subresource: { _type: 'relateditem', _criteria: { 'at.floor': 2 } } });
    const logFor = async (as: string, query: Json = {}) => (await items.get(`nameduseritems/${path}/updatelogs`, { as, query })).body;
    expect(await logFor('second floor')).toMatchObject({ _total: 3, _list: [{ _changes: [{ _path: 'n', _from: 1, _to: 2 }] }, { _changes: [{ _path: 'n', _to: 1 }] }, { _action: 'CREATE' }] });
    expect((await logFor('second floor', { page: { _offset: 1, _pageSize: 2 } }))._list.map(({ _action }: Json) => _action)).toEqual(['UPDATE', 'CREATE']);
    expect((await logFor('alice'))._total).toBe(5);
  });

  it('of an item that has come into reach say nothing of the time before: of another type, or in another namespace', async () => {
    const item = await items.item('NamedUserCollection', { _name: 'first', _userType: 'hidden' });
    const [made] = (await items.related(item, [{ pin: 4711 }])) as [Json];
    const path = `nameduseritems/${item._id}`;
    const becomes = async (_name: string, _userType: string, _namespaces = [NS]) => {
      await items.put(path, { _name, _userType, _namespaces }, { nsfilter: [NS, OTHER_NS] });
      await items.put(`${path}/relateditems/${made._id}`, { pin: _name }, { nsfilter: [NS, OTHER_NS] });
    };
    await items.passport.grant('alice', OTHER_NS, ['*']);
    await items.passport.grant('by type', NS, ['READ'], 'itemsvc:nameduseritem:*', { criteria: { _userType: 'open' } });
    await items.passport.grant('by id', NS, ['READ'], `itemsvc:nameduseritem:${item._id}`);
    await becomes('second', 'open');
    await becomes('third', 'hidden');
    await becomes('fourth', 'open');
    await becomes('fifth', 'open');
    const logs = async (as: string, nsfilter = NS) => Promise.all([path, `${path}/relateditems/${made._id}`].map(async (record) => {
      const { _total, _list } = (await items.get(`${record}/updatelogs`, { as, nsfilter })).body;
      return [_total, ...(_list as Json[]).flatMap(({ _changes }) => (_changes as Json[]).map(({ _from }) => _from as unknown))];
    }));
    expect(await logs('by type')).toEqual([[2, 'fourth'], [3, 'fourth', 'third']]);
    expect(await logs('by id')).toEqual([[5, 'fourth', 'third', 'hidden', 'second', 'open', 'first', 'hidden'], [5, 'fourth', 'third', 'second', 4711]]);
    await becomes('sixth', 'open', [OTHER_NS]);
    expect(await logs('mallory', OTHER_NS)).toEqual([[1], [2, 'fifth']]);
    await items.delete(`${path}/relateditems/${made._id}`, { nsfilter: OTHER_NS });
    expect((await items.get(`${path}/relateditems/${made._id}/updatelogs`, { as: 'mallory', nsfilter: OTHER_NS })).body._total).toBe(1);
    await items.put(path, { _name: 'seventh', _userType: 'open', _namespaces: [NS] }, { nsfilter: [NS, OTHER_NS] });
    expect((await items.get(`${path}/relateditems/${made._id}/updatelogs`, { as: 'by type' })).status).toBe(404);
  });

  it('are for those who may READ the item', async () => {
    const item = await items.item('NamedUserCollection');
    const [made] = (await items.related(item, [{ n: 1 }])) as [Json];
    for (const path of [`${item._id}`, `${item._id}/relateditems/${made._id}`]) {
      expect((await items.get(`nameduseritems/${path}/updatelogs`, { as: 'mallory', nsfilter: [NS, OTHER_NS] })).status).toBe(404);
      expect((await items.get(`nameduseritems/${path}/updatelogs`, { as: '' })).status).toBe(401);
    }
  });
});
