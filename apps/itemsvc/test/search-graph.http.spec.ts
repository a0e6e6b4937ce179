import { ItemService, type Json, NS } from './item-service';

describe('a graph search', () => {
  let items: ItemService;
  let places: Json;
  let parts: Json;
  /** site → building A, B; A → floor 1, 2; floor 1 → site: a circle. */
  let place: Record<string, Json>;
  let part: Json[];
  beforeAll(async () => {
    items = await ItemService.start();
    places = await items.item('NamedUserCollection', { _userType: 'places' });
    parts = await items.item('NamedUserCollection', { _userType: 'parts' });
    const made = await items.related(places, ['site', 'A', 'B', '1', '2'].map((name) => ({ name, size: name.length })));
    place = Object.fromEntries(made.map((one) => [one['name'] as string, one]));
    part = await items.related(parts, [{ p: 'door' }, { p: 'lift' }]);
    await relate(places, places, [['site', 'A'], ['site', 'B'], ['A', '1'], ['A', '2'], ['1', 'site']].map(([from, to]) => [place[from as string]?._id, place[to as string]?._id]));
    await relate(places, parts, [[place['A']?._id, part[1]?._id], [place['1']?._id, part[0]?._id], [place['2']?._id, part[0]?._id]]);
  });
  afterAll(() => items.stop());

  async function relate(from: Json, to: Json, pairs: readonly (readonly string[])[]): Promise<void> {
    const body = pairs.map(([a, b]) => ({ _relatedFromId: a, _relatedToIds: [b], _relatedUserItemDbId: to._id }));
    const { status, text } = await items.put(`nameduseritems/${from._id}/relationships`, body);
    if (status !== 204) throw new Error(text);
  }
  const ask = (graph: Json, options: Json = {}) => items.post('nameduseritems/search', { $findWithRelatedGraph: graph }, options);
  const start = (query: Json, options: Json = {}) => ({ collectionDesc: { _userItemId: places._userItemId }, query, options });
  const inside = (fields: Json = {}) => ({ relatedDesc: { _relatedUserType: 'places' }, as: 'inside', ...fields });
  const holds = (fields: Json = {}) => ({ relatedDesc: { _relatedUserItemId: { $in: [parts._userItemId] } }, as: 'holds', ...fields });
  const rowsOf = (body: Json) => body._list[0]._versions[0]._relatedItems._list as Json[];

  /** The names along each path, sorted. */
  function pathsOf(body: Json, row = 0, as = 'paths'): string[] {
    const named = (node: Json): string[] => {
      const item = body._referencedItems[node._userItemId][node._userItemVersionId][node._id];
      return [item.name ?? item.p, ...(node.child ? named(node.child) : [])];
    };
    const { _list, _total } = rowsOf(body)[row]?.[as] as { _list: Json[]; _total: number };
    expect(_total).toBe(_list.length);
    return _list.map((path) => named(path).join('/')).sort();
  }

  it('gives the rows of the start the paths along its segments, with every item once', async () => {
    const { body } = await ask({
      start: start({ name: { $in: ['A', 'B'] } }, { sort: { name: 1 }, project: { name: 1 } }),
      to: { segments: [inside({ options: { project: { name: 1 } } }), holds({ from: 'inside', options: { project: { p: 1, _id: 0 } } })], as: 'paths', response: 'path' },
    });
    expect(rowsOf(body)[0]).toEqual({
      _id: place['A']?._id, name: 'A',
      paths: {
        _total: 2,
        _list: ['1', '2'].map((name) => ({
          _userItemId: places._userItemId, _userItemVersionId: places._tipId, _version: 1, _id: place[name]?._id,
          child: { _userItemId: parts._userItemId, _userItemVersionId: parts._tipId, _version: 1, _id: part[0]?._id },
        })),
      },
    });
    expect(rowsOf(body)[1]?.['paths']).toEqual({ _list: [], _total: 0 });
    const referenced = {
      [places._userItemId]: { [places._tipId]: { [place['1']?._id]: { _id: place['1']?._id, name: '1' }, [place['2']?._id]: { _id: place['2']?._id, name: '2' } } },
      [parts._userItemId]: { [parts._tipId]: { [part[0]?._id]: { p: 'door' } } },
    };
    expect(body._referencedItems).toEqual(referenced);
    expect(body._list[0]._versions[0]._relatedItems._referencedItems).toEqual(referenced);
  });

  it('goes a segment as often as its depths say, and round no circle', async () => {
    const from = async (name: string, ...segments: Json[]) => pathsOf((await ask({ start: start({ name }), to: { segments, as: 'paths' } })).body);
    expect(await from('site', inside())).toEqual(['A', 'B']);
    expect(await from('site', inside({ maxDepth: 2 }))).toEqual(['A/1', 'A/2', 'B']);
    expect(await from('site', inside({ minDepth: 2 }))).toEqual(['A/1', 'A/2']);
    expect(await from('site', inside({ maxDepth: 32 }))).toEqual(['A/1', 'A/2', 'B']);
    expect(await from('1', inside({ maxDepth: 32 }))).toEqual(['site/A/2', 'site/B']);
    expect(await from('1', inside({ minDepth: 4, maxDepth: 32 }))).toEqual([]);
    expect(await from('site', inside({ maxDepth: 2, query: { name: { $ne: '2' } } }))).toEqual(['A/1', 'B']);
    expect(await from('site', inside({ maxDepth: 2 }), holds({ from: 'inside' }))).toEqual(['A/1/door', 'A/2/door', 'A/lift', 'B']);
    expect(await from('site', inside({ minDepth: 2 }), holds({ from: 'inside' }))).toEqual(['A/1/door', 'A/2/door']);
    expect(await from('A', inside(), holds())).toEqual(['1', '2', 'lift']);
    expect(await from('2', inside({ relatedDesc: { _relatedUserType: 'places', _isInverse: true }, maxDepth: 5 }))).toEqual(['A/site/1']);
  });

  it('asks the store by its levels, not by its rows, and has bounds', async () => {
    const many = await items.item('NamedUserCollection', { _userType: 'many' });
    const made = await items.related(many, Array.from({ length: 400 }, (_, n) => ({ n })));
    const hub = made[0]?._id as string;
    await relate(many, many, made.slice(1).map(({ _id }) => [hub, _id]));
    const queries = async (filter: Json) => {
      const before = items.storeReads();
      const { body } = await ask({ start: { collectionDesc: { _id: many._id }, query: filter, options: { page: { _pageSize: 400 } } }, to: { segments: [{ relatedDesc: { _relatedUserType: 'many', _isInverse: true }, as: 'hub' }], as: 'paths' } });
      expect(body._list[0]._versions[0]._relatedItems._list.length).toBeGreaterThan(0);
      return items.storeReads() - before;
    };
    expect(await queries({})).toBe(await queries({ n: 5 }));
    // Twelve places, each with a way to each other one: more paths than anybody can want.
    const dense = await items.item('NamedUserCollection', { _userType: 'dense' });
    const all = await items.related(dense, Array.from({ length: 12 }, (_, n) => ({ n })));
    await relate(dense, dense, all.flatMap(({ _id: a }) => all.filter(({ _id: b }) => b !== a).map(({ _id: b }) => [a, b])));
    const answer = await ask({ start: { collectionDesc: { _id: dense._id } }, to: { segments: [{ relatedDesc: { _relatedUserType: 'dense' }, maxDepth: 32, as: 'next' }], as: 'paths' } });
    expect([answer.status, answer.body.code]).toEqual([400, 'limit_exceeded']);
  });

  it('leads only where the caller may read', async () => {
    await items.passport.grant('placereader', NS, ['READ'], 'itemsvc:nameduseritem:*', { criteria: { _userType: 'places' } });
    const { body } = await ask({ start: start({ name: 'site' }), to: { segments: [inside({ maxDepth: 2 }), holds({ from: 'inside' })], as: 'paths' } }, { as: 'placereader' });
    expect(pathsOf(body)).toEqual(['A/1', 'A/2', 'B']);
    expect(Object.keys(body._referencedItems as Json)).toEqual([places._userItemId]);
  });

  it('names what is wrong with it', async () => {
    const faults = async (graph: Json) => (await ask(graph)).body.details.map(({ field }: Json) => (field as string).replace('$findWithRelatedGraph.', ''));
    expect(await faults({})).toEqual(['start', 'to', 'start.collectionDesc', 'start.collectionDesc', 'to.segments', 'to.as']);
    expect(await faults({ start: start({}), to: { as: 'paths', segments: [inside({ minDepth: 3, maxDepth: 2 }), inside({ from: 'later', maxDepth: 99 }), holds({ minDepth: 'two' })] } })).toEqual([
      'to.segments[0].maxDepth', 'to.segments[1].from', 'to.segments[1].as', 'to.segments[1].maxDepth', 'to.segments[2].minDepth',
    ]);
  });
});
