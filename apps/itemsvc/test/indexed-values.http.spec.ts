import { ItemService, type Json } from './item-service';

/** Letters that do not compress. */
function letters(length: number, seed: number): string {
  let state = seed;
  return Array.from({ length }, () => String.fromCharCode(97 + ((state = (state * 48_271) % 2_147_483_647) % 26))).join('');
}

describe('an index narrows nothing that may be stored', () => {
  let items: ItemService;
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());

  const path = (of: Json, rest = 'relateditems') => `nameduseritems/${of._id}/${rest}`;
  const indexed = async (...specs: Json[]) => {
    const item = await items.item('NamedUserCollection');
    expect((await items.post(path(item, 'indexes'), specs)).status).toBe(201);
    return item;
  };
  const long = letters(2_700, 7);

  it.each<[string, unknown]>([
    ['2,700 random letters', long], ['a megabyte of them', letters(1_000_000, 8)], ['a list of numbers', Array.from({ length: 2_000 }, (_, n) => n / 7)],
    ['a list of texts', Array.from({ length: 300 }, (_, n) => letters(20, n + 1))], ['an object', Object.fromEntries(Array.from({ length: 500 }, (_, n) => [letters(9, n + 1), n]))],
  ])('takes %s, before and after it is made, one and in a bulk', async (_what, d) => {
    const specs = [{ key: { d: 1 }, options: { name: 'd' } }, { key: { e: 1, 'f.g': -1 }, options: { name: 'two' } }];
    const item = await indexed(...specs);
    const made = await items.post(path(item), [{ d, e: d, f: { g: typeof d === 'string' ? d : 1 } }]);
    expect(made.status).toBe(201);
    expect((await items.post(path(item, 'relateditems/bulk'), Array.from({ length: 300 }, (_, n) => ({ d: n === 150 ? d : n })))).status).toBe(201);
    expect((await items.put(path(item, `relateditems/${made.body._list[0]._id}`), { ...made.body._list[0], d: 'short' })).status).toBe(200);
    const later = await items.item('NamedUserCollection');
    await items.related(later, [{ d, n: 1 }, { d: 'short' }]);
    expect((await items.post(path(later, 'indexes'), specs)).status).toBe(201);
    if (typeof d !== 'string' || d.length > 5_000) return;
    expect([await items.total(item, { d }), await items.total(later, { d }), await items.total(later, { d: { $in: [d, 'short'] } }), await items.total(later, { d: { $regex: `^${d.slice(0, 100)}` } })]).toEqual([1, 1, 2, 1]);
  });

  it('compares long values whole where it is unique, and says in few words which item holds one', async () => {
    const item = await indexed({ key: { d: 1 }, options: { name: 'd', unique: true } });
    const [first] = await items.related(item, [{ d: long }, { d: `${long}x` }]);
    const { status, body } = await items.post(path(item), [{ d: 'a' }, { d: long }]);
    expect([status, body.details]).toEqual([409, [{ field: '[1]', issue: expect.stringContaining(`for the item ${first?._id}`) }]]);
    expect([body.message.length < 500, await items.total(item)]).toEqual([true, 2]);
  });

  it('takes texts of any number of words where it is one of texts', async () => {
    const item = await indexed({ key: { t: 'text' }, options: { name: 't' } });
    const words = Array.from({ length: 120_000 }, (_, n) => letters(9, n + 1));
    const made = await items.post(path(item), [{ t: words.join(' ') }, { t: 'a door' }]);
    expect([made.status, await items.total(item, { $text: { $search: words.at(-1) } }), await items.total(item, { $text: { $search: 'doors' } })]).toEqual([201, 1, 1]);
  });

  it('bounds the name of a sensor in its own system, and names it', async () => {
    const sensors = await items.item('NamedTelemetryCollection');
    const longest = 'ü'.repeat(512);
    expect((await items.post(path(sensors), [{ _sourceId: longest }])).status).toBe(201);
    const { status, body } = await items.post(path(sensors), [{ _sourceId: 'a' }, { _sourceId: `${longest}x` }]);
    expect([status, body.details, await items.total(sensors)]).toEqual([400, [{ field: '[1]._sourceId', issue: 'must have at most 1024 bytes (it is a string of 1025 bytes)' }], 1]);
  });

  it('takes a user type of any length, which is found again', async () => {
    const item = await items.item('NamedUserCollection', { _userType: long });
    expect((await items.get('nameduseritems', { query: { query: { _userType: long } } })).body._list.map(({ _id }: Json) => _id)).toEqual([item._id]);
  });
});
