import { eventually } from '@twinyard/testing';
import { ownIdsIn } from '../src/relationships/relationship-query';
import { ItemService, type Json, OTHER_NS } from './item-service';

const NOWHERE = '5f0000000000000000000000';

describe('relationships', () => {
  let items: ItemService;
  let walls: Json;
  let types: Json;
  let wall: Json[];
  let type: Json[];
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());
  beforeEach(async () => {
    walls = await items.item('NamedUserCollection', { _userType: 'walls' });
    types = await items.item('NamedUserCollection', { _userType: 'types' });
    wall = await items.related(walls, [{ n: 1 }, { n: 2 }]);
    type = await items.related(types, [{ t: 1 }, { t: 2 }]);
  });

  const path = (item: Json, rest = 'relationships') => `nameduseritems/${item._id}/${rest}`;
  const pair = (from: number, ...to: number[]): Json => ({ _relatedFromId: wall[from]?._id, _relatedToIds: to.map((n) => type[n]?._id), _relatedUserItemDbId: types._id });
  const list = async (item: Json, rest?: string, query: Json = {}, as = 'alice') => (await items.get(path(item, rest), { query, as })).body;

  it('relates pairs, once however often they are put, and shows them from both ends', async () => {
    expect((await items.put(path(walls), [pair(0, 0, 1)])).status).toBe(204);
    expect((await items.put(path(walls), [pair(0, 0), { ...pair(1, 1), _relatedUserItemDbId: types._userItemId }])).status).toBe(204);
    const outgoing = await list(walls);
    expect(outgoing._total).toBe(3);
    expect(outgoing._list[0]).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/), _relatedFromId: wall[0]?._id, _relatedToIds: [type[0]?._id], _relatedUserItemId: types._userItemId,
      _relatedUserItemDbId: types._id, _relatedUserItemClass: 'NamedUserCollection', _relatedUserType: 'types', _relatedUserItemVersionId: types._tipId,
      _relatedUserItemVersion: 1, _isInverse: false,
    });
    const inverse = await list(types, 'inverserelationships');
    expect(inverse._total).toBe(3);
    expect(inverse._list[0]).toMatchObject({ _relatedFromId: wall[0]?._id, _relatedToIds: [type[0]?._id], _relatedUserItemId: walls._userItemId, _isInverse: true });
    expect((await list(types))._total).toBe(0);
  });

  it('filters relations by their own fields and by those of the other collection', async () => {
    await items.put(path(walls), [pair(0, 0, 1), pair(1, 1)]);
    const total = async (query: Json) => (await list(walls, 'relationships', { query }))._total;
    expect(await total({ _relatedFromId: wall[0]?._id })).toBe(2);
    expect(await total({ _relatedToIds: type[1]?._id })).toBe(2);
    expect(await total({ $or: [{ _relatedFromId: wall[1]?._id }, { _relatedToIds: type[0]?._id }] })).toBe(2);
    expect(await total({ _relatedUserType: 'types', _relatedUserItemVersion: 1, _isInverse: false })).toBe(3);
    expect(await total({ _relatedUserType: 'other' })).toBe(0);
    expect(await Promise.all([{ $eq: true }, { $ne: true }, true].map((_isInverse) => total({ _isInverse })))).toEqual([0, 3, 0]);
    expect((await items.get(path(walls), { query: { query: { _isInverse: { $in: [false] } } } })).body.message).toBe('query: _isInverse takes true or false');
    expect(await total({ _relatedUserItemId: types._userItemId })).toBe(3);
    expect((await items.get(path(walls), { query: { query: { _relatedUserType: { $where: 1 } } } })).status).toBe(400);
  });

  it('looks at the relations of the items alone that a filter names', async () => {
    await items.put(path(walls), [pair(0, 0, 1), pair(1, 1)]);
    const [first, second] = wall.map(({ _id }) => String(_id)) as [string, string];
    const totals = async (of: Json, rest: string, ...queries: Json[]) => Promise.all(queries.map(async (query) => (await list(of, rest, { query }))._total as number));
    expect(await totals(walls, 'relationships', { _relatedFromId: { $eq: first } }, { $and: [{ _relatedUserType: 'types' }, { _relatedFromId: { $in: [first, second, 'none'] } }] },
      { _relatedFromId: { $in: [] } }, { _relatedFromId: { $nin: [first] } }, { _relatedFromId: { $eq: first, $ne: first } }, { _relatedFromId: 'none' })).toEqual([2, 3, 0, 1, 0, 0]);
    expect(await totals(types, 'inverserelationships', { _relatedToIds: type[1]?._id }, { _relatedToIds: type[0]?._id, _relatedFromId: second }, { _relatedFromId: second })).toEqual([2, 0, 1]);
    expect([{ _relatedFromId: 'a' }, { $and: [{ n: 1 }, { _relatedFromId: { $in: ['a', 'b'] } }] }, { _relatedFromId: { $in: ['a', 1] } }, { $or: [{ _relatedFromId: 'a' }] }, { _relatedToIds: 'a' }]
      .map((filter) => ownIdsIn(filter, 'outgoing'))).toEqual([['a'], ['a', 'b'], undefined, undefined, undefined]);
    expect(ownIdsIn({ _relatedFromId: 'b', _relatedToIds: 'a' }, 'inverse')).toEqual(['a']);
  });

  it('refuses ends that do not exist, each named, and makes none of the request', async () => {
    const { status, body } = await items.put(path(walls), [
      pair(0, 0), { ...pair(0, 0), _relatedFromId: NOWHERE }, 5, {},
    ]);
    expect([status, body.details.map(({ field }: Json) => field)]).toEqual([400, ['[2]', '[3]._relatedUserItemId', '[3]._relatedToIds', '[3]._relatedFromId']]);
    const from = await items.put(path(walls), [pair(0, 0), { ...pair(0, 0), _relatedFromId: NOWHERE }]);
    expect([from.status, from.body.details[0].field]).toEqual([400, '[1]._relatedFromId']);
    const to = await items.put(path(walls), [pair(0, 0), { ...pair(0), _relatedToIds: [NOWHERE] }]);
    expect([to.status, to.body.details[0].field]).toEqual([400, '[1]._relatedToIds']);
    const where = await items.put(path(walls), [{ ...pair(0, 0), _relatedUserItemDbId: NOWHERE }]);
    expect([where.status, where.body.details[0].field]).toEqual([400, '[0]._relatedUserItemDbId']);
    expect((await items.put(path(walls), [{ ...pair(0, 0), _relatedUserItemVersionId: walls._tipId }])).status).toBe(400);
    expect((await list(walls))._total).toBe(0);
  });

  it('relates to the version that is named, else to the tip', async () => {
    const second = (await items.post(`nameduseritems/${types._id}/versions`, {})).body;
    expect((await items.put(path(walls), [pair(0, 0)])).status).toBe(400);
    expect((await items.put(path(walls), [{ ...pair(0, 0), _relatedUserItemVersionId: types._tipId }])).status).toBe(204);
    expect((await list(walls))._list).toMatchObject([{ _relatedUserItemVersionId: types._tipId, _relatedUserItemVersion: 1 }]);
    expect((await list(types, 'inverserelationships'))._total).toBe(0);
    expect((await list(types, 'inverserelationships', { userItemVersionId: types._tipId }))._total).toBe(1);
    expect(second._version).toBe(2);
  });

  it('needs READ on the target, and hides relations to what the caller may not read', async () => {
    await items.put(path(walls), [pair(0, 0)]);
    await items.passport.grant(`editor${walls._id}`, walls._namespaces[0], ['*'], `itemsvc:nameduseritem:${walls._id}`);
    const as = `editor${walls._id}`;
    expect((await items.put(path(walls), [pair(1, 1)], { as })).status).toBe(400);
    expect(await list(walls, 'relationships', {}, as)).toMatchObject({ _total: 0, _list: [] });
    await items.passport.grant(as, walls._namespaces[0], ['READ'], `itemsvc:nameduseritem:${types._id}`);
    expect((await items.put(path(walls), [pair(1, 1)], { as })).status).toBe(204);
    expect((await list(walls, 'relationships', {}, as))._total).toBe(2);
    for (const [method, rest] of [['put', 'relationships'], ['get', 'relationships'], ['get', 'inverserelationships'], ['delete', 'relationships'], ['put', 'relationships/bulk']] as const) {
      expect((await items.call(method, path(walls, rest), { as: 'mallory', nsfilter: OTHER_NS, body: method === 'get' ? undefined : [] })).status).toBe(404);
      expect((await items.call(method, path(walls, rest), { as: '' })).status).toBe(401);
    }
  });

  it('makes relations with their items, and replaces them when a replacement names others', async () => {
    const relation = (n: number) => ({ _relatedUserItemDbId: types._id, _relatedToIds: [type[n]?._id] });
    const made = await items.post(path(walls, 'relateditems'), [{ n: 3, _relationships: [relation(0)] }, { n: 4, _related: [relation(1)] }]);
    const [third] = made.body._list;
    expect([made.status, third]).toEqual([201, expect.not.objectContaining({ _relationships: expect.anything() })]);
    expect((await list(walls))._total).toBe(2);
    await items.put(path(walls, `relateditems/${third._id}`), { n: 33 });
    expect((await list(walls, 'relationships', { query: { _relatedFromId: third._id } }))._list[0]._relatedToIds).toEqual([type[0]?._id]);
    await items.put(path(walls, `relateditems/${third._id}`), { n: 33, _relationships: [relation(1)] });
    expect((await list(walls, 'relationships', { query: { _relatedFromId: third._id } }))._list.map((one: Json) => one._relatedToIds)).toEqual([[type[1]?._id]]);
    const bad = await items.post(path(walls, 'relateditems'), [{ n: 5 }, { n: 6, _relationships: [{ ...relation(0), _relatedToIds: [NOWHERE] }] }]);
    expect([bad.status, bad.body.details[0].field, await items.total(walls)]).toEqual([400, '[1]._relationships[0]._relatedToIds', 4]);
  });

  it('relates items of one request to each other in their own collection', async () => {
    const tree = await items.item('NamedUserCollection');
    const [a, b] = ['aaaaaaaaaaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbbbbbbbbbb'];
    const made = await items.post(path(tree, 'relateditems/bulk'), [{ _id: a, _relationships: [{ _relatedUserItemDbId: tree._id, _relatedToIds: [b] }] }, { _id: b }]);
    expect([made.status, (await list(tree, 'inverserelationships'))._total]).toEqual([201, 1]);
  });

  it('takes big requests later, and deletes relations by id and by record', async () => {
    const many = await items.related(walls, Array.from({ length: 1_200 }, (_, n) => ({ n })));
    const records = many.map(({ _id }) => ({ ...pair(0, 0), _relatedFromId: _id }));
    const accepted = await items.put(path(walls, 'relationships/bulk'), records);
    expect([accepted.status, await items.finished(accepted)]).toMatchObject([202, { _response: { _status: 204 }, _progress: { _done: 1_200, _total: 1_200 } }]);
    expect((await items.put(path(walls, 'relationships/bulk'), records.slice(0, 5))).status).toBe(204);
    const { _total, _list } = await list(walls);
    expect(_total).toBe(1_200);
    expect((await items.call('delete', path(walls), { body: [_list[0]._id, { _id: _list[1]._id }, records[2], NOWHERE] })).status).toBe(204);
    expect((await list(walls))._total).toBe(1_197);
    expect((await items.call('delete', path(walls), { body: [5] })).status).toBe(400);
  });

  it('removes relations with an item at either end, a version or a collection', async () => {
    await items.put(path(walls), [pair(0, 0), pair(0, 1), pair(1, 0), pair(1, 1)]);
    await items.delete(path(walls, `relateditems/${wall[0]?._id}`));
    expect((await list(types, 'inverserelationships'))._total).toBe(2);
    await items.call('delete', path(types, 'relateditems'), { body: [type[0]?._id] });
    expect((await list(walls))._total).toBe(1);
    expect(await items.collectionsOf(types._id)).toBeGreaterThan(0);
    await items.delete(`nameduseritems/${types._id}`);
    expect((await list(walls))._total).toBe(0);
    await eventually(async () => expect(await items.collectionsOf(types._id)).toBe(0));
  });
});

describe('members of composites', () => {
  let items: ItemService;
  let composite: Json;
  let walls: Json;
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());
  beforeEach(async () => {
    composite = await items.item('NamedCompositeItem');
    walls = await items.item('NamedUserCollection', { _userType: 'walls', _name: 'Walls' });
  });

  const path = (rest = '') => `nameduseritems/${composite._id}/relatedcollections${rest}`;

  it('pins the tip of a member, or the version named, in one record a member', async () => {
    const { status, body } = await items.post(path(), [walls._id]);
    expect([status, body._list]).toEqual([201, [{
      _id: expect.stringMatching(/^[0-9a-f]{24}$/), _itemId: walls._id, _userItemId: walls._userItemId, _userItemClass: 'NamedUserCollection', _userType: 'walls', _name: 'Walls',
      _userItemVersionId: walls._tipId, _userItemVersion: 1,
    }]]);
    const second = (await items.post(`nameduseritems/${walls._id}/versions`, {})).body;
    expect((await items.get(path())).body._list[0]._userItemVersion).toBe(1);
    await items.post(path(), [{ _userItemId: walls._userItemId }]);
    expect((await items.get(path())).body).toMatchObject({ _total: 1, _list: [{ _id: body._list[0]._id, _userItemVersionId: second._id, _userItemVersion: 2 }] });
    await items.post(path(), [{ _userItemId: walls._userItemId, _userItemVersionId: walls._tipId }]);
    expect((await items.get(path(), { query: { query: { _userItemVersion: 1 } } })).body._total).toBe(1);
  });

  it('follows a member that is renamed or deleted, and starts empty in a new version', async () => {
    await items.post(path(), [walls._id]);
    await items.put(`nameduseritems/${walls._id}`, { ...walls, _name: 'Renamed' });
    expect((await items.get(path())).body._list[0]._name).toBe('Renamed');
    await items.post(`nameduseritems/${composite._id}/versions`, {});
    expect((await items.get(path())).body._total).toBe(0);
    expect((await items.get(path(), { query: { userItemVersionId: composite._tipId } })).body._total).toBe(1);
    await items.delete(`nameduseritems/${walls._id}`);
    expect((await items.get(path(), { query: { userItemVersionId: composite._tipId } })).body._total).toBe(0);
  });

  it('refuses what cannot be a member, named by index, and a collection that is no composite', async () => {
    const { status, body } = await items.post(path(), [walls._id, NOWHERE, composite._id, { _userItemId: walls._userItemId, _userItemVersionId: NOWHERE }]);
    expect([status, body.details.map(({ field }: Json) => field)]).toEqual([400, ['[1]', '[2]', '[3]._userItemVersionId']]);
    expect((await items.post(path(), [5, {}])).body.details.map(({ field }: Json) => field)).toEqual(['[0]', '[1]._userItemId']);
    expect((await items.get(path())).body._total).toBe(0);
    expect((await items.post(`nameduseritems/${walls._id}/relatedcollections`, [])).status).toBe(400);
  });

  it('ends a membership once, and shows only members that the caller may read', async () => {
    const [member] = (await items.post(path(), [walls._id])).body._list;
    await items.passport.grant('compositereader', composite._namespaces[0], ['READ'], 'itemsvc:nameduseritem:*', { criteria: { _itemClass: 'NamedCompositeItem' } });
    expect((await items.get(path(), { as: 'compositereader' })).body._total).toBe(0);
    expect((await items.delete(path(`/${member._id}`), { as: 'compositereader' })).status).toBe(403);
    expect((await items.delete(path(`/${member._id}`), { as: 'mallory' })).status).toBe(404);
    expect((await items.delete(path(`/${member._id}`))).status).toBe(204);
    expect((await items.delete(path(`/${member._id}`))).status).toBe(404);
  });
});
