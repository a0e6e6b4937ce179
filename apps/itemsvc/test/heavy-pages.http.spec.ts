import { ItemService, type Json, NS } from './item-service';

const MOST = 1024 ** 2;
const related = (item: Json) => `nameduseritems/${item._id}/relateditems`;

describe('answers that would weigh too much', () => {
  let items: ItemService;
  let item: Json;
  beforeAll(async () => {
    items = await ItemService.start({ ANSWER_MAX_BYTES: String(MOST) });
    item = await items.item('NamedUserCollection');
    await items.related(item, Array.from({ length: 40 }, (_, n) => ({ n, text: 'x'.repeat(100_000) })));
  });
  afterAll(() => items.stop());

  it('hold fewer entries, say how many, and go on behind them', async () => {
    const seen: number[] = [];
    for (let total = 1; seen.length < total;) {
      const { status, body, text } = await items.get(related(item), { query: { _pageSize: '5000', _offset: String(seen.length) } });
      expect([status, text.length < MOST + 1_000, body._list.length > 0]).toEqual([200, true, true]);
      total = body._total as number;
      expect(body._pageSize).toBe(seen.length + body._list.length < total ? body._list.length : 5_000);
      seen.push(...(body._list as Json[]).map(({ n }) => n as number));
    }
    expect(seen).toEqual(Array.from({ length: 40 }, (_, n) => n));
    const { body } = await items.get(related(item), { query: { _pageSize: '5000', project: { n: 1 } } });
    expect([body._pageSize, body._list.length]).toEqual([5_000, 40]);
  });

  it('do so in a search, and are refused where what is related weighs too much', async () => {
    const find = (more: Json = {}) => items.post('nameduseritems/search', { $findWithRelated: { parent: { collectionDesc: { _id: item._id }, options: { page: { _pageSize: 5_000 } } }, ...more } });
    const { body } = await find();
    const page = body._list[0]._versions[0]._relatedItems as Json;
    expect([page._total, page._list.length > 0, page._list.length < 40, page._pageSize]).toEqual([40, true, true, page._list.length]);
    const hub = await items.item('NamedUserCollection');
    const [one] = await items.related(hub, [{ name: 'hub' }]);
    const all = await items.get(related(item), { query: { _pageSize: '5000', project: { _id: 1 } } });
    const relation = { _relatedFromId: one?._id, _relatedToIds: (all.body._list as Json[]).map(({ _id }) => _id as string), _relatedUserItemDbId: item._id };
    expect((await items.put(`nameduseritems/${hub._id}/relationships`, [relation])).status).toBe(204);
    const parent = { collectionDesc: { _id: hub._id } };
    const desc = { relatedDesc: { _relatedUserItemId: item._userItemId }, as: 'parts' };
    const search = (project?: Json) => items.post('nameduseritems/search', { $findWithRelated: { parent, related: [{ ...desc, ...(project && { project }) }] } });
    expect((await search()).body).toMatchObject({ code: 'limit_exceeded' });
    expect((await search({ n: 1 })).status).toBe(200);
  });

  /** All that lists hold, in pages of which each goes on where the one before says that it ends, and how many there were. */
  async function through<T>(page: (offset: number) => Promise<Json>, of: (entry: Json) => T): Promise<{ readonly found: readonly T[]; readonly pages: number }> {
    const found: T[] = [];
    let pages = 0;
    for (let [offset, total] = [0, 1]; offset < total; pages += 1) {
      const { _offset, _pageSize, _total, _list } = await page(offset);
      expect([_offset, (_pageSize as number) > 0]).toEqual([offset, true]);
      found.push(...(_list as Json[]).map(of));
      [offset, total] = [offset + (_pageSize as number), _total as number];
    }
    return { found, pages };
  }

  it.each([100, 5_000])('say in a search of which not all parents stay up to which parent they came (pages of %d)', async (_pageSize) => {
    const [parents, ends] = [await items.item('NamedUserCollection'), await items.item('NamedUserCollection')];
    const [end] = await items.related(ends, [{ name: 'end' }]);
    const isKept = (n: number) => n % 5 === 3;
    await items.related(parents, Array.from({ length: 200 }, (_, n) => ({ n, text: isKept(n) ? 'x'.repeat(100_000) : '' })));
    const all = (await items.get(related(parents), { query: { _pageSize: '5000', project: { n: 1 } } })).body._list as Json[];
    const links = all.filter(({ n }) => isKept(n as number)).map(({ _id }) => ({ _relatedFromId: _id, _relatedToIds: [end?._id], _relatedUserItemDbId: ends._id }));
    expect((await items.put(`nameduseritems/${parents._id}/relationships`, links)).status).toBe(204);
    const search = async (_offset: number) => {
      const { status, body, text } = await items.post('nameduseritems/search', { $findWithRelated: {
        parent: { collectionDesc: { _id: parents._id }, options: { page: { _offset, _pageSize }, sort: { n: -1 } } },
        relatedFilter: { $and: [{ relatedDesc: { _relatedUserItemId: ends._userItemId }, query: { name: 'end' } }] },
      } });
      expect([status, text.length < MOST + 10_000]).toEqual([200, true]);
      return body._list[0]._versions[0]._relatedItems as Json;
    };
    const { found, pages } = await through(search, ({ n }) => n as number);
    expect(found).toEqual(Array.from({ length: 200 }, (_, n) => n).filter(isKept).reverse());
    expect(pages).toBeGreaterThan(3);
  });

  it('say in a search of which not all items hold others how many of those that do they hold', async () => {
    const made: string[] = [];
    for (let n = 0; n < 8; n += 1) {
      const _version = { _userData: 'x'.repeat(180_000) };
      made.push((await items.item('NamedUserCollection', { _userType: 'weighty', _version }))._id as string);
      await items.item('UserConfig', { _userType: 'weighty', _version });
    }
    const search = async (_offset: number) => {
      const body = { $distinctRelatedItemField: { collectionDesc: { _userType: 'weighty' }, field: 'n' } };
      const answer = await items.post('nameduseritems/search', body, { query: { page: { _offset, _pageSize: 100 } } });
      expect([answer.status, answer.text.length < MOST]).toEqual([200, true]);
      return answer.body;
    };
    const { found, pages } = await through(search, ({ _id }) => _id as string);
    expect([found, pages > 1]).toEqual([made, true]);
  });

  it.each([[false], [true]])('hold fewer entries of an update log, and go on behind them to the creation (encrypted: %s)', async (_encryptionEnabled) => {
    const logged = await items.item('NamedUserCollection', { _encryptionEnabled });
    const [one] = (await items.post(related(logged), [{ n: 0, '.plan': '' }])).body._list as [Json];
    for (let n = 1; n <= 6; n += 1) await items.put(`${related(logged)}/${one._id}`, { n, '.plan': String(n).repeat(150_000) });
    const log = async (_offset: number) => {
      const { status, body, text } = await items.get(`${related(logged)}/${one._id}/updatelogs`, { query: { page: { _offset, _pageSize: 100 } } });
      expect([status, text.length < MOST]).toEqual([200, true]);
      return body;
    };
    const { found, pages } = await through(log, ({ _action, _changes }) => [_action, (_changes as Json[]).find(({ _path }) => _path === 'n')?._to as unknown]);
    expect([found, pages > 1]).toEqual([[...[6, 5, 4, 3, 2, 1].map((n) => ['UPDATE', n]), ['CREATE', undefined]], true]);
  });

  it('weigh what goes out, however a store writes numbers', async () => {
    const numbers = await items.item('NamedUserCollection');
    await items.related(numbers, Array.from({ length: 8 }, (_, n) => ({ n, list: Array.from({ length: 1_000 }, () => 1e-300) })));
    const list = async (_offset: number) => {
      const { status, body, text } = await items.get(related(numbers), { query: { _offset: String(_offset), _pageSize: '5000' } });
      expect([status, text.length < MOST + 1_000]).toEqual([200, true]);
      return body;
    };
    expect((await through(list, ({ n, list: shown }) => [n, shown[0]])).found).toEqual(Array.from({ length: 8 }, (_, n) => [n, 1e-300]));
  });

  it('hold fewer of the items that a write made or changed, and say how many', async () => {
    const written = await items.item('NamedUserCollection');
    const drafts = Array.from({ length: 30 }, (_, n) => ({ _id: n.toString(16).padStart(24, 'b'), n, text: 'x'.repeat(100_000) }));
    const telemetry = await items.item('NamedTelemetryCollection');
    const sensors = drafts.map((draft) => ({ ...draft, _sourceId: `s${draft.n}` }));
    const answers = [
      await items.post(`${related(written)}/bulk`, drafts), await items.put(`${related(written)}/bulk`, drafts), await items.put(related(written), drafts), await items.post(related(written), drafts),
      await items.post(related(telemetry), sensors),
      await items.post('nameduseritems', drafts.map(({ n }) => ({ _name: `c${n}`, _shortName: 'c', _userType: 'c', _itemClass: 'UserConfig', _namespaces: [NS], _version: { _userData: 'x'.repeat(100_000) } }))),
    ];
    for (const { status, body, text } of answers) {
      expect([status < 300, body._offset, body._total, body._pageSize, body._list.length > 5, text.length < MOST + 1_000]).toEqual([true, 0, 30, body._list.length, true, true]);
      expect(body._list.length).toBeLessThan(30);
    }
    expect(await items.total(written)).toBe(30);
  });
});
