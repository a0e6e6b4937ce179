import { ItemService, type Json } from './item-service';

describe('indexes and scripts', () => {
  let items: ItemService;
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());

  it('makes, lists and removes indexes, and keeps unique ones', async () => {
    const item = await items.item('NamedUserCollection');
    const path = `nameduseritems/${item._id}/indexes`;
    const specs = [{ key: { 'props.name': 1 }, options: { name: 'byName', unique: true } }, { key: { title: 'text' }, options: { name: 'words', default_language: 'english' } }];
    expect((await items.post(path, specs)).status).toBe(201);
    expect((await items.post(path, specs)).status).toBe(201);
    expect((await items.get(path)).body).toMatchObject({ _total: 2, _list: specs });
    await items.related(item, [{ props: { name: 'a' }, title: 'A heavy wall' }]);
    const twice = await items.post(`nameduseritems/${item._id}/relateditems`, [{ props: { name: 'b' } }, { props: { name: 'a' } }]);
    expect([twice.status, await items.total(item)]).toEqual([409, 1]);
    expect(await items.total(item, { $text: { $search: 'walls' } })).toBe(1);
    expect((await items.delete(path, { query: { name: 'byName' } })).status).toBe(204);
    expect((await items.delete(path, { query: { name: 'byName' } })).status).toBe(404);
    expect((await items.delete(path)).body.details[0].field).toBe('name');
    expect((await items.get(path, { query: { _pageSize: '0' } })).body).toMatchObject({ _total: 1, _list: [] });
  });

  it('makes none of a request that holds a bad one, and hides the index of its own', async () => {
    const item = await items.item('NamedTelemetryCollection');
    const path = `nameduseritems/${item._id}/indexes`;
    const { status, body } = await items.post(path, [{ key: { a: 1 }, options: { name: 'a' } }, { key: { b: 2 } }, 5]);
    expect([status, body.details.map(({ field }: Json) => field)]).toEqual([400, ['[1].key.b', '[1].options.name', '[2]', '[2].key', '[2].options.name']]);
    await items.related(item, [{ _sourceId: '1', a: 1 }, { _sourceId: '2', a: 1 }]);
    expect((await items.post(path, [{ key: { b: 1 }, options: { name: 'b' } }, { key: { a: 1 }, options: { name: 'a', unique: true } }])).status).toBe(409);
    expect((await items.get(path)).body._total).toBe(0);
    expect((await items.post(path, [{ key: { b: 1 }, options: { name: 'sourceId' } }])).status).toBe(409);
    expect((await items.delete(path, { query: { name: 'sourceId' } })).status).toBe(404);
    for (const method of ['get', 'post', 'delete'] as const) {
      expect((await items.call(method, path, { as: 'mallory', body: method === 'post' ? [] : undefined })).status).toBe(404);
      expect((await items.call(method, path, { as: '' })).status).toBe(401);
    }
  });

  it('serves the source of a script to a token in the query too, there alone', async () => {
    const script = await items.item('Script', { _version: { _userData: 'export const a = "ä";' } });
    const path = `nameduseritems/${script._id}/script.js`;
    const answer = await items.get(path);
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([200, 'export const a = "ä";', 'text/javascript; charset=utf-8']);
    const access_token = await items.passport.token('alice');
    expect((await items.get(path, { as: '', query: { access_token, req_time: '1' } })).status).toBe(200);
    expect((await items.get(`nameduseritems/${script._id}`, { as: '', query: { access_token } })).status).toBe(401);
    expect((await items.get(path, { as: 'mallory' })).status).toBe(404);
    const config = await items.item('UserConfig', { _version: { _userData: 1 } });
    expect((await items.get(`nameduseritems/${config._id}/script.js`)).status).toBe(404);
  });
});
