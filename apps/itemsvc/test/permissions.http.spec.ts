import { type Answer, ItemService, type Json, NS, OTHER_NS } from './item-service';
import { Dice, type GivenGrant, Oracle, throwGrants, type World } from './permission-oracle';

/** Sets of grants that every read path is asked with; more by a setting. */
const SETS = Number(process.env.GRANT_SETS ?? 14);
const SEED = Number(process.env.SEED ?? 20_261_122);
const ids = (list: readonly Json[]) => list.map(({ _id }) => _id as string).sort();

describe('what a caller may READ, over every read path', () => {
  let items: ItemService;
  let world: World;
  const collection = (index: number) => world.collections[index]?.item as Json;

  beforeAll(async () => {
    items = await ItemService.start();
    world = await makeWorld(items);
  });
  afterAll(() => items.stop());

  const throws = Array.from({ length: SETS }, (_, index) => index);
  it.each(throws)('is what a look at everything says, with generated grants (%i)', async (index) => {
    const dice = new Dice(SEED + index);
    const grants = throwGrants(dice, world);
    const scopes = index % 7 === 6 ? ['write'] : ['read', 'write'];
    const as = `reader${index}`;
    for (const grant of grants) await give(items, as, grant);
    const oracle = new Oracle(world, grants, scopes);
    const found = await readEverything(items, world, { as, scopes });
    expect({ seed: SEED + index, grants, ...found }).toEqual({ seed: SEED + index, grants, ...expected(oracle, world) });
  });

  it('tells a stranger nothing of a part that was granted to somebody else, and nobody of more than the part', async () => {
    await give(items, 'ground', { actions: ['READ'], irn: `itemsvc:nameduseritem:${collection(0)._id}`, part: { floor: 0 } });
    const path = `nameduseritems/${collection(0)._id}`;
    for (const inside of ['', '/versions', '/indexes', '/updatelogs', `/versions/${collection(0)._tipId}`]) {
      expect([inside, (await items.get(`${path}${inside}`, { as: 'ground' })).status]).toEqual([inside, 404]);
    }
    expect((await items.get(`${path}/relateditems`, { as: 'ground' })).body._total).toBe(4);
    expect((await items.get(`${path}/relateditems`, { as: 'mallory', nsfilter: [NS, OTHER_NS] })).status).toBe(404);
    // A grant of another namespace on an id of this one opens nothing.
    await items.passport.grant('abroad', OTHER_NS, ['*'], `itemsvc:nameduseritem:${collection(0)._id}`, { subresource: { _type: 'relateditem', _criteria: { floor: 0 } } });
    expect((await items.get(`${path}/relateditems`, { as: 'abroad', nsfilter: [NS, OTHER_NS] })).status).toBe(404);
    const { body } = await items.post('nameduseritems/search', { $findWithRelated: { parent: { collectionDesc: { _id: collection(0)._id } } } }, { as: 'ground' });
    const [{ _versions: [{ _relatedItems, ...version }], ...shown }] = body._list as [Json & { _versions: [Json] }];
    expect([_relatedItems._total, Object.keys(version).sort(), 'secret of the collection' in shown, shown._name, shown._metadata]).toEqual([4, ['_id', '_isTip', '_userItemDbId', '_version'], false, undefined, undefined]);
  });

  it('takes a criterion that no filter can say for one that nothing meets', async () => {
    for (const part of [{ floor: { $gte: 0 } }, { $where: '1' }, { floor: { a: 1 } }]) {
      const as = `odd ${JSON.stringify(part)}`;
      await give(items, as, { actions: ['*'], irn: `itemsvc:nameduseritem:${collection(0)._id}`, part });
      expect((await items.get(`nameduseritems/${collection(0)._id}/relateditems`, { as })).status).toBe(404);
    }
  });
});

describe('grants on some related items, for writes', () => {
  let items: ItemService;
  let item: Json;
  let path: string;
  let count = 0;
  beforeAll(async () => { items = await ItemService.start(); });
  beforeEach(async () => {
    item = await items.item('NamedUserCollection');
    path = `nameduseritems/${item._id}/relateditems`;
  });
  afterAll(() => items.stop());

  const writer = async (actions: GivenGrant['actions'], ...parts: Json[]) => {
    const as = `writer${(count += 1)}`;
    for (const part of parts) await give(items, as, { actions, irn: `itemsvc:nameduseritem:${item._id}`, part });
    return as;
  };
  const kept = async () => ((await items.get(path)).body._list as Json[]).map(({ floor, n }) => [floor, n]);
  const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);

  it('CREATE: what is made lies in the part, all of a request or nothing', async () => {
    const as = await writer(['CREATE'], { floor: 1 });
    expect(statuses([await items.post(path, [{ floor: 1, n: 1 }], { as }), await items.post(`${path}/bulk`, [{ floor: 1, n: 2 }, { floor: 2, n: 3 }], { as }), await items.post(path, [{ n: 4 }], { as })])).toEqual([201, 403, 403]);
    expect(await kept()).toEqual([[1, 1]]);
    const [made] = (await items.get(path)).body._list as [Json];
    expect(statuses([await items.get(path, { as }), await items.put(path, [{ ...made, n: 5 }], { as }), await items.delete(`${path}/${made._id}`, { as })])).toEqual([404, 404, 404]);
  });

  it('CREATE: tells nothing of what an item outside of the part holds, under its known id', async () => {
    const [other] = (await items.related(item, [{ floor: 2, pin: 4711 }])) as [Json];
    const as = await writer(['CREATE', 'READ'], { floor: 1 });
    const tried = async (pin: number) => { const { status, body } = await items.post(path, [{ _id: other._id, floor: 2, pin }], { as }); return [status, body.message]; };
    expect(await tried(4711)).toEqual(await tried(4712));
    expect((await tried(4711))[0]).toBe((await items.post(path, [{ _id: 'ab'.repeat(12), floor: 2 }], { as })).status);
    const [mine] = (await items.post(path, [{ floor: 1, n: 1 }], { as })).body._list as [Json];
    expect(statuses([await items.post(path, [{ _id: mine._id, floor: 1, n: 1 }], { as }), await items.post(path, [{ _id: mine._id, floor: 1, n: 2 }], { as })])).toEqual([201, 400]);
  });

  it('EDIT: what is changed lies in the part before and after', async () => {
    const [one, two] = (await items.related(item, [{ floor: 1, n: 1 }, { floor: 2, n: 2 }])) as [Json, Json];
    const as = await writer(['READ', 'EDIT'], { floor: 1 });
    const all = await writer(['EDIT'], { floor: 1 });
    await give(items, all, { actions: ['READ'], irn: `itemsvc:nameduseritem:${item._id}` });
    const change = (body: Json, by = as) => items.put(`${path}/${body._id}`, body, { as: by });
    expect(statuses([await change({ ...one, n: 10 }), await change({ ...one, floor: 2 }), await change({ ...two, floor: 1 }), await change({ ...two, n: 20 }, all)])).toEqual([200, 403, 404, 403]);
    expect(statuses([await items.put(path, [{ ...one, n: 11 }, { ...two, n: 21 }], { as }), await items.put(`${path}/bulk`, [{ ...two, n: 21 }], { as: all })])).toEqual([400, 403]);
    expect(await kept()).toEqual([[1, 10], [2, 2]]);
    expect(statuses([await items.delete(`${path}/${one._id}`, { as }), await items.post(path, [{ floor: 1 }], { as })])).toEqual([403, 403]);
  });

  it('DELETE: by id, by ids and by query, and never silently past what is seen', async () => {
    const [one, two, three] = (await items.related(item, [1, 2, 1].map((floor, n) => ({ floor, n })))) as [Json, Json, Json];
    const blind = await writer(['DELETE'], { floor: 1 });
    const seeing = await writer(['READ', 'DELETE'], { floor: 1 });
    await give(items, seeing, { actions: ['READ'], irn: `itemsvc:nameduseritem:${item._id}`, part: { floor: 2 } });
    const ofQuery = (query: Json, as: string) => items.delete(`${path}/bulk`, { as, query: { query } });
    expect(statuses([await items.delete(`${path}/${two._id}`, { as: blind }), await items.delete(`${path}/${two._id}`, { as: seeing }), await ofQuery({}, seeing)])).toEqual([404, 403, 403]);
    expect(await kept()).toHaveLength(3);
    expect(statuses([await items.call('delete', path, { as: blind, body: [one._id, two._id] }), await ofQuery({ n: { $gte: 1 } }, blind)])).toEqual([204, 204]);
    expect(await kept()).toEqual([[2, 1]]);
    expect((await items.get(`${path}/${three._id}`)).status).toBe(404);
  });

  it('a bulk that is done later asks again', async () => {
    const as = await writer(['CREATE'], { floor: 1 });
    const many = Array.from({ length: 1_001 }, (_, n) => ({ floor: n === 1_000 ? 2 : 1, n }));
    const refused = await items.finished(await items.post(`${path}/bulk`, many, { as }), as);
    expect([refused._status, refused._response._status, await items.total(item)]).toEqual(['FAILED', 403, 0]);
    expect((await items.finished(await items.post(`${path}/bulk`, many.slice(0, 1_000).concat({ floor: 1, n: 1_000 }), { as }), as))._status).toBe('COMPLETED');
  });

  it('relations: from items that may be changed, to items that may be read', async () => {
    const target = await items.item('NamedUserCollection');
    const [one, two] = (await items.related(item, [{ floor: 1 }, { floor: 2 }])) as [Json, Json];
    const [near, far] = (await items.related(target, [{ floor: 1 }, { floor: 2 }])) as [Json, Json];
    const as = await writer(['EDIT'], { floor: 1 });
    await give(items, as, { actions: ['READ'], irn: `itemsvc:nameduseritem:${target._id}`, part: { floor: 1 } });
    const relate = (from: Json, to: Json, by = as) => items.put(`nameduseritems/${item._id}/relationships`, [{ _relatedFromId: from._id, _relatedToIds: [to._id], _relatedUserItemDbId: target._id }], { as: by });
    expect(statuses([await relate(one, near), await relate(one, far), await relate(two, near), await relate(two, far, 'alice')])).toEqual([204, 400, 400, 204]);
    const relations = (await items.get(`nameduseritems/${item._id}/relationships`)).body._list as Json[];
    expect((await items.call('delete', `nameduseritems/${item._id}/relationships`, { as, body: ids(relations) })).status).toBe(204);
    const left = (await items.get(`nameduseritems/${item._id}/relationships`)).body._list as Json[];
    expect(left.map(({ _relatedFromId }) => _relatedFromId)).toEqual([two._id]);
  });

  it('readings: of items that may be changed or made', async () => {
    const sensors = await items.item('NamedTelemetryCollection');
    const [one, two] = (await items.related(sensors, [{ _sourceId: 's1', floor: 1 }, { _sourceId: 's2', floor: 2 }])) as [Json, Json];
    await give(items, 'gauge', { actions: ['CREATE', 'READ'], irn: `itemsvc:nameduseritem:${sensors._id}`, part: { floor: 1 } });
    await give(items, 'gauge', { actions: ['READ'], irn: `itemsvc:nameduseritem:${sensors._id}`, part: { nowhere: 1 } });
    const send = (sensor: Json) => items.post(`nameduseritems/${sensors._id}/relateditems/readings`, [{ _ts: '2026-01-31T12:00:00Z', _tsMetadata: { _telItemId: sensor._id, _sourceId: sensor._sourceId }, n: 1 }], { as: 'gauge' });
    expect(statuses([await send(one), await send(two)])).toEqual([204, 400]);
  });
});

async function give(items: ItemService, as: string, { actions, irn, criteria, part }: GivenGrant): Promise<void> {
  await items.passport.grant(as, NS, actions, irn, { ...(criteria && { criteria }), ...(part && { subresource: { _type: 'relateditem', _criteria: part } }) });
}

/** Three collections of 12 items each, related all over, with readings and updates. */
async function makeWorld(items: ItemService): Promise<World> {
  const collections = [];
  for (const [itemClass, _userType] of [['NamedUserCollection', 'walls'], ['NamedUserCollection', 'doors'], ['NamedTelemetryCollection', 'sensors']] as const) {
    const item = await items.item(itemClass, { _userType, _version: { _userAttributes: { 'secret of the collection': 1 } } });
    const rows = await items.related(item, Array.from({ length: 12 }, (_, n) => ({ n, floor: n % 3, room: n % 2 ? 'a' : 'b', tags: n % 4 ? ['x'] : ['y', 'z'], ...(_userType === 'sensors' && { _sourceId: `s${n}` }) })));
    collections.push({ item, rows });
  }
  const dice = new Dice(SEED);
  const relations: { from: string; to: string }[] = [];
  for (const [from, to] of [[0, 1], [0, 2], [1, 0]] as const) {
    const [source, target] = [collections[from], collections[to]] as const;
    const pairs = new Map(Array.from({ length: 20 }, () => {
      const [one, other] = [dice.oneOf(source?.rows as Json[])._id as string, dice.oneOf(target?.rows as Json[])._id as string];
      return [`${one} ${other}`, { from: one, to: other }] as const;
    }));
    relations.push(...pairs.values());
    await items.put(`nameduseritems/${source?.item._id}/relationships`, [...pairs.values()].map((pair) => ({ _relatedFromId: pair.from, _relatedToIds: [pair.to], _relatedUserItemDbId: target?.item._id })));
  }
  const sensors = collections[2] as (typeof collections)[number];
  const readings = sensors.rows.map(({ _id, _sourceId }) => ({ _ts: '2026-01-31T12:00:00Z', _tsMetadata: { _telItemId: _id, _sourceId }, value: 1 }));
  await items.post(`nameduseritems/${sensors.item._id}/relateditems/readings`, readings);
  return { collections, relations };
}

interface Caller {
  readonly as: string;
  readonly scopes: readonly string[];
}

/** Everything that a caller can read about related items, as it is told. */
async function readEverything(items: ItemService, { collections }: World, caller: Caller): Promise<Json> {
  const listed = await items.get('nameduseritems', caller);
  const each: Json[] = [];
  for (const { item, rows } of collections) each.push(await readCollection(items, item, rows, caller));
  return { items: listed.status === 200 ? ids(listed.body._list as Json[]) : listed.status, each, ...(await searchAll(items, collections.map(({ item }) => item), caller)) };
}

async function readCollection(items: ItemService, item: Json, rows: readonly Json[], caller: Caller): Promise<Json> {
  const path = `nameduseritems/${item._id}`;
  const list = await items.get(`${path}/relateditems`, { ...caller, query: { _pageSize: '5000' } });
  const some = await items.get(`${path}/relateditems`, { ...caller, query: { query: { n: { $gte: 4 } }, sort: { n: -1 }, _pageSize: '2' } });
  const first = rows[0] as Json;
  const isTelemetry = item._itemClass === 'NamedTelemetryCollection';
  const counted = !isTelemetry ? [] : [
    (await items.get(`${path}/relateditems/readings`, caller)).body._total,
    (await items.post(`${path}/relateditems/readings/aggregate`, [{ $group: { _id: null, n: { $sum: 1 } } }], caller)).body._list?.[0]?.n,
  ];
  const ends = async (direction: string) => ((await items.get(`${path}/${direction}`, { ...caller, query: { _pageSize: '5000' } })).body._list as Json[] | undefined)?.map(({ _relatedFromId, _relatedToIds }) => `${_relatedFromId} ${_relatedToIds[0]}`).sort();
  return {
    statuses: [list.status, (await items.get(path, caller)).status],
    list: list.status === 200 ? ids(list.body._list as Json[]) : [],
    some: [some.body._total, ...((some.body._list ?? []) as Json[]).map(({ n }) => n as number)],
    one: [(await items.get(`${path}/relateditems/${first._id}`, caller)).status, (await items.get(`${path}/relateditems/${first._id}/updatelogs`, caller)).status],
    exported: await exportedIn(items, path, isTelemetry ? ['', '/readings'] : [''], caller),
    counted, outgoing: await ends('relationships'), inverse: await ends('inverserelationships'),
  };
}

/** The ids of the items that are in each file; a status where there is none. */
async function exportedIn(items: ItemService, path: string, files: readonly string[], caller: Caller): Promise<unknown[]> {
  return Promise.all(files.map(async (file) => {
    const { status, text } = await items.get(`${path}/relateditems${file}/export`, { ...caller, query: { format: 'ndjson' } });
    if (status !== 200) return status;
    return text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Json).map((row) => (row._id ?? row._tsMetadata._telItemId) as string).sort();
  }));
}

async function searchAll(items: ItemService, [walls, doors, sensors]: readonly Json[], caller: Caller): Promise<Json> {
  const search = async (body: Json) => (await items.post('nameduseritems/search', body, caller)).body;
  const relatedDesc = { _relatedUserType: doors?._userType };
  const found = await search({ $findWithRelated: {
    parent: { collectionDesc: { _id: walls?._id }, options: { page: { _pageSize: 100 } } },
    related: [{ relatedDesc, as: 'doors' }, { relatedDesc: { _relatedUserType: 'sensors' }, as: 'sensors', options: { page: { _pageSize: 0 } } }, { relatedDesc: { ...relatedDesc, _isInverse: true }, as: 'from' }],
    relatedFilter: { $or: [{ relatedDesc, query: { floor: { $gte: 0 } } }] }, relatedDistinctFields: [{ relatedDesc, field: 'floor', as: 'floors' }],
  } });
  const graph = await search({ $findWithRelatedGraph: { start: { collectionDesc: { _id: walls?._id } }, to: { as: 'paths', segments: [{ relatedDesc, as: 'a' }, { from: 'a', relatedDesc: { _relatedUserType: 'walls' }, as: 'b' }] } } });
  const distinct = await search({ $distinctRelatedItemFields: { collectionDesc: { _id: sensors?._id }, fieldDesc: [{ field: 'floor', count: true }] } });
  return { collections: found._total ?? 0, ...toldOf(versionIn(found)), referenced: referencedIn(graph), distinct: countsIn(versionIn(distinct)) };
}

const NOTHING_FOUND = { _relatedItems: { _list: [], _total: 0, _filteredSize: 0, floor: [] }, _relatedDistinctFields: [{ floors: [] }] };
const versionIn = (answer: Json) => (answer._list?.[0]?._versions[0] ?? NOTHING_FOUND) as Json;

const toldOf = ({ _relatedItems: { _list, _total, _filteredSize }, _relatedDistinctFields: [{ floors }] }: Json) => ({
  parents: Object.fromEntries((_list as Json[]).map((row) => [row._id, { doors: ids(row.doors._list as Json[]), sensors: row.sensors._total, from: ids(row.from._list as Json[]) }])),
  totals: [_total, _filteredSize],
  floors: [...(floors as number[])].sort(),
});

const referencedIn = (answer: Json) =>
  Object.values((answer._referencedItems ?? {}) as Json).flatMap((versions) => Object.values(versions as Json)).flatMap((bodies) => Object.keys(bodies as Json)).sort();

const countsIn = ({ _relatedItems: { floor } }: Json) => Object.fromEntries((floor as Json[]).map(({ value, count }) => [value, count]));

/** The same out of a look at everything. */
function expected(oracle: Oracle, { collections, relations }: World): Json {
  const mayAsk = oracle.scopes.includes('read');
  const each = collections.map(({ item, rows }) => {
    const reaches = oracle.reaches(item);
    const readable = oracle.rows(item);
    const some = readable.filter(({ n }) => n >= 4).map(({ n }) => n as number).sort((a, b) => b - a);
    const own = new Set(ids(rows));
    const denied = mayAsk ? 404 : 403;
    const firstStatus = oracle.mayRead(item, rows[0] as Json) ? 200 : denied;
    const pairs = (end: 'from' | 'to') => (reaches ? oracle.visible.filter((pair) => own.has(pair[end])).map(({ from, to }) => `${from} ${to}`).sort() : undefined);
    const isTelemetry = item._itemClass === 'NamedTelemetryCollection';
    return {
      statuses: [reaches ? 200 : denied, oracle.isWhole(item) ? 200 : denied],
      list: ids(readable), some: reaches ? [some.length, ...some.slice(0, 2)] : [undefined],
      one: [firstStatus, firstStatus],
      exported: (isTelemetry ? ['items', 'readings'] : ['items']).map(() => (reaches ? ids(readable) : denied)),
      counted: isTelemetry ? [reaches ? readable.length : undefined, readable.length || undefined] : [],
      outgoing: pairs('from'), inverse: pairs('to'),
    };
  });
  const wholes = ids(collections.map(({ item }) => item).filter((item) => oracle.isWhole(item)));
  return { items: mayAsk ? wholes : 403, each, ...expectedSearch(oracle, collections.map(({ item }) => item)), ...(relations.length === 0 && { relations }) };
}

function expectedSearch(oracle: Oracle, [walls, doors, sensors]: readonly Json[]): Json {
  const [wall, door, sensor] = [walls, doors, sensors] as [Json, Json, Json];
  const rows = oracle.rows(wall);
  const kept = rows.filter(({ _id }) => oracle.related(_id as string, door).length > 0);
  const doorRows = new Map(oracle.rows(door).map((row) => [row._id as string, row]));
  const reached = new Set(rows.flatMap(({ _id }) => oracle.related(_id as string, door)));
  // A path comes by no node twice: back at the wall it started from it ends.
  const back = rows.flatMap(({ _id }) => oracle.related(_id as string, door).flatMap((id) => oracle.related(id, wall).filter((other) => other !== _id)));
  const counts = new Map<number, number>();
  for (const { floor } of oracle.rows(sensor)) counts.set(floor as number, (counts.get(floor as number) ?? 0) + 1);
  return {
    collections: oracle.reaches(wall) ? 1 : 0,
    parents: Object.fromEntries(kept.map(({ _id }) => [_id, { doors: oracle.related(_id as string, door), sensors: oracle.related(_id as string, sensor).length, from: oracle.related(_id as string, door, true) }])),
    totals: [rows.length, kept.length],
    floors: [...new Set([...reached].map((id) => doorRows.get(id)?.floor as number))].sort(),
    referenced: [...new Set([...reached, ...back])].sort(),
    distinct: Object.fromEntries(counts),
  };
}
