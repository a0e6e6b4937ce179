import { ItemService, type Json, NS } from './item-service';

/** Bodies within 10 MB that cost far more than their size says. */
describe('a bulk', () => {
  let items: ItemService;
  let collection: Json;
  const post = async (text: string) => {
    const { url, token } = await items.address(`nameduseritems/${collection._id}/relateditems/bulk`);
    const response = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: text });
    return { status: response.status, body: (await response.json()) as Json };
  };

  beforeAll(async () => {
    items = await ItemService.start();
    collection = await items.item('NamedUserCollection');
  });
  afterEach(async () => expect(await items.total(collection)).toBe(0));
  afterAll(() => items.stop());

  const wide = (members: number) => Object.fromEntries(Array.from({ length: members }, (_, n) => [n.toString(36), 1]));
  const tooWide = { status: 400, body: { message: 'body: holds an object of more than 20000 members', code: 'invalid' } };

  it('holds no object of more members than is said, however short it is written', async () => {
    expect(await post(JSON.stringify([{ one: 1 }, { list: [wide(20_001)] }]))).toMatchObject(tooWide);
    // No shorter object has as many members, though its name is always the same.
    expect(await post(`[{${'"":1,'.repeat(20_000)}"":1}]`)).toMatchObject(tooWide);
  });

  it('holds no more items than is said', async () => {
    expect(await post(`[${'{},'.repeat(200_000)}{}]`)).toMatchObject({ status: 413, body: { message: 'A request holds at most 200000 items', code: 'too_large' } });
  });

  it('is told of a thousand of its faults, and of how many there are', async () => {
    const { status, body } = await post(JSON.stringify(Array.from({ length: 50_000 }, () => ({ $bad: 1 }))));
    expect([status, body.details.length, body.details[999]]).toEqual([400, 1_000, { field: '[999].$bad', issue: 'a property name must not start with $' }]);
    expect(body.message).toMatch(/; and 49995 more$/);
  });

  it('is refused by its path where a text far behind cannot be kept', async () => {
    const list: Json[] = Array.from({ length: 40_000 }, (_, n) => ({ n }));
    list[39_000] = { deep: { text: '\0' } };
    expect(await post(JSON.stringify(list))).toMatchObject({ status: 400, body: { details: [{ field: 'body[39000].deep.text' }] } });
  });

  it('alone is bounded so: a single record has as many members as it has room for', async () => {
    const [config] = (await items.post('nameduseritems', [{ _name: 'config', _shortName: 'config', _userType: 'config', _itemClass: 'UserConfig', _namespaces: [NS], _version: { _userData: wide(30_000) } }])).body._list as [Json];
    expect(Object.keys((await items.get(`nameduseritems/${config._id}`)).body._versions[0]._userData as Json)).toHaveLength(30_000);
    const [made] = (await items.post(`nameduseritems/${collection._id}/relateditems`, [{ deep: wide(30_000) }])).body._list as [Json];
    expect((await items.put(`nameduseritems/${collection._id}/relateditems/${made._id}`, { deep: wide(30_001) })).status).toBe(200);
    await items.delete(`nameduseritems/${collection._id}/relateditems/${made._id}`);
  });
});
