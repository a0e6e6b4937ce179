import { ItemService, type Json, NS } from './item-service';

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
    expect((await items.get(path)).body).toEqual({ _offset: 0, _pageSize: 25, _total: 2, _list: specs.map((spec) => ({ name: spec.options.name, ...spec })) });
    await items.related(item, [{ props: { name: 'a' }, title: 'A heavy wall' }]);
    const twice = await items.post(`nameduseritems/${item._id}/relateditems`, [{ props: { name: 'b' } }, { props: { name: 'a' } }]);
    expect([twice.status, await items.total(item)]).toEqual([409, 1]);
    expect(await items.total(item, { $text: { $search: 'walls' } })).toBe(1);
    const german = await items.item('NamedUserCollection');
    await items.related(german, [{ title: 'Häuser und Türen' }]);
    expect((await items.post(`nameduseritems/${german._id}/indexes`, [{ key: { title: 'text' }, options: { name: 'woerter', default_language: 'german' } }])).status).toBe(201);
    expect([await items.total(german, { $text: { $search: 'Haus' } }), await items.total(german, { $text: { $search: 'house' } })]).toEqual([1, 0]);
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
    const broken = await items.post(path, [{ key: { b: 1 }, options: { name: 'b' } }, { key: { a: 1 }, options: { name: 'a', unique: true } }]);
    expect([broken.status, broken.body.message]).toEqual([409, expect.stringMatching(/two documents hold (the same values|.*1)/)]);
    expect((await items.get(path)).body._total).toBe(0);
    expect((await items.post(path, [{ key: { b: 1 }, options: { name: 'sourceId' } }])).status).toBe(409);
    expect((await items.delete(path, { query: { name: 'sourceId' } })).status).toBe(404);
    for (const method of ['get', 'post', 'delete'] as const) {
      expect((await items.call(method, path, { as: 'mallory', body: method === 'post' ? [] : undefined })).status).toBe(404);
      expect((await items.call(method, path, { as: '' })).status).toBe(401);
    }
  });

  it('tells nobody by a unique index what it may not READ', async () => {
    const item = await items.item('NamedUserCollection');
    const path = `nameduseritems/${item._id}`;
    const irn = `itemsvc:nameduseritem:${item._id}`;
    const unique = (name: string, ...paths: string[]) => [{ key: Object.fromEntries(paths.map((one) => [one, 1])), options: { name, unique: true } }];
    const [secret] = (await items.related(item, [{ floor: 2, sn: 'secret' }, { floor: 3, pin: 4711 }, { floor: 4, pin: 4711 }])) as [Json];
    expect((await items.post(`${path}/indexes`, unique('serial', 'floor', 'sn'))).status).toBe(201);
    await items.passport.grant('blind', NS, ['EDIT'], irn);
    await items.passport.grant('ground', NS, ['*'], irn, { subresource: { _type: 'relateditem', _criteria: { floor: 1 } } });
    const [mine, last] = (await items.post(`${path}/relateditems`, [{ floor: 1, sn: 'a' }, { floor: 1, sn: 'z' }], { as: 'ground' })).body._list as [Json, Json];
    const tried = async (sn: string) => [
      await items.post(`${path}/relateditems`, [{ floor: 2, sn }], { as: 'ground' }),
      await items.put(`${path}/relateditems/${mine._id}`, { floor: 2, sn }, { as: 'ground' }),
      await items.put(`${path}/relateditems/bulk`, [{ ...last }, { ...mine, floor: 2, sn }], { as: 'ground' }),
    ].map(({ status, body }) => [status, body.message as string]);
    expect(await tried('secret')).toEqual(await tried('free'));
    expect(await tried('secret')).toEqual(Array.from({ length: 3 }, () => [403, expect.any(String)]));
    expect([(await items.post(`${path}/relateditems`, [{ floor: 1, sn: 'a' }], { as: 'ground' })).status, await items.total(item)]).toEqual([409, 5]);
    const held = await items.post(`${path}/relateditems`, [{ floor: 2, sn: 'secret' }], { as: 'blind' });
    expect([held.status, held.text.includes(secret._id as string)]).toEqual([409, false]);
    const twice = await items.post(`${path}/indexes`, unique('pins', 'pin'), { as: 'blind' });
    expect([twice.status, twice.text.includes('4711')]).toEqual([409, false]);
  });

  it('takes 64 of a collection and one text index, and names of any sort but not paths of any', async () => {
    const item = await items.item('NamedUserCollection');
    const path = `nameduseritems/${item._id}/indexes`;
    const numbered = (from: number, count: number) => Array.from({ length: count }, (_, n) => ({ key: { [`p${from + n}`]: 1 }, options: { name: `n${from + n}` } }));
    const total = async () => (await items.get(path)).body._total;
    expect([(await items.post(path, numbered(0, 65))).body.code, await total()]).toEqual(['limit_exceeded', 0]);
    const names = ['"; drop table document_indexes; --', "it's", '日本 😀', '../..', '%00', '$**', '*', 'x'.repeat(128)];
    const hostile = names.map((name, n) => ({ key: { [`props.Größe (m²) "${n}"`]: n % 2 === 0 ? 1 : -1, '.dot': 1 }, options: { name } }));
    const made = await items.post(path, hostile);
    expect([made.status, made.body.details]).toEqual([201, undefined]);
    await items.related(item, [{ '.dot': 1, props: { 'Größe (m²) "0"': [1, 'a', null] } }, {}]);
    expect(await items.total(item, { 'props.Größe (m²) "0"': 'a' })).toBe(1);
    expect((await items.get(path)).body._list.map(({ options }: Json) => options.name)).toEqual(names);
    expect((await items.post(path, numbered(0, 64 - names.length + 1))).body.code).toBe('limit_exceeded');
    for (const name of names) expect([name, (await items.delete(path, { query: { name } })).status]).toEqual([name, 204]);
    const texts = [{ key: { a: 'text' }, options: { name: 'one' } }, { key: { b: 'text' }, options: { name: 'two' } }];
    expect([(await items.post(path, texts)).status, await total()]).toEqual([409, 0]);
    for (const key of [{ $a: 1 }, { 'a.$b': 1 }, { constructor: 1 }, { 'a.': 1 }, { '': 1 }, { 'a\0': 1 }, { ['a'.repeat(1_001)]: 1 }, { a: 'text', b: 1 }, { a: 'hashed' }, {}, Object.fromEntries(numbered(0, 32).map((one) => Object.entries(one.key)[0] as [string, number]))]) {
      expect([key, (await items.post(path, [{ key, options: { name: 'a' } }])).status]).toEqual([key, 400]);
    }
    for (const options of [{}, { name: '' }, { name: 'x'.repeat(129) }, { name: 'a\0' }, { name: 5 }]) {
      expect([options, (await items.post(path, [{ key: { a: 1 }, options }])).status]).toEqual([options, 400]);
    }
    expect((await items.post(path, [{ key: { a: 'text' }, options: { name: 'a', default_language: 'klingon' } }])).status).toBe(400);
    expect(await total()).toBe(0);
  });

  it('applies to all versions, old ones too, and a unique one to each by itself', async () => {
    const item = await items.item('NamedUserCollection');
    const old = { userItemVersionId: item._tipId };
    await items.related(item, [{ code: 1 }]);
    await items.post(`nameduseritems/${item._id}/versions`, {});
    await items.related(item, [{ code: 1 }]);
    const unique = [{ key: { code: 1 }, options: { name: 'code', unique: true } }];
    expect((await items.post(`nameduseritems/${item._id}/indexes`, unique)).status).toBe(201);
    const add = (query: Json, body: readonly Json[]) => items.post(`nameduseritems/${item._id}/relateditems`, body, { query });
    for (const query of [{}, old]) {
      const { status, body } = await add(query, [{ code: 2 }, { code: 1 }]);
      expect([status, body.code]).toEqual([409, 'conflict']);
      expect((await add(query, [{ code: 2 }])).status).toBe(201);
    }
    // Contract 2.5: the items are named, those of the request by their places.
    const [held] = (await items.get(`nameduseritems/${item._id}/relateditems`, { query: { query: JSON.stringify({ code: 1 }) } })).body._list as Json[];
    const broken = await add({}, [{ code: 7 }, { code: 1 }, { code: 8 }, { code: 7 }]);
    expect([broken.status, broken.body.details]).toEqual([409, [
      { field: '[1]', issue: `the unique index "code" holds [1] for the item ${held?._id}` }, { field: '[3]', issue: 'the unique index "code" holds [7] for [0]' },
    ]]);
    const [two] = (await items.get(`nameduseritems/${item._id}/relateditems`, { query: { query: JSON.stringify({ code: 2 }) } })).body._list as Json[];
    const replaced = await items.call('put', `nameduseritems/${item._id}/relateditems`, { body: [{ ...two, code: 1 }] });
    expect([replaced.status, replaced.body.details]).toEqual([409, [{ field: '[0]', issue: `the unique index "code" holds [1] for the item ${held?._id}` }]]);
    // What holds when the request is done counts: two may exchange their values.
    const exchanged = await items.call('put', `nameduseritems/${item._id}/relateditems`, { body: [{ ...two, code: 1 }, { ...held, code: 2 }] });
    expect([exchanged.status, exchanged.body._list?.map(({ code }: Json) => code)]).toEqual([200, [1, 2]]);
    // Two without a value are two of one value.
    expect((await add({}, [{ a: 1 }, { a: 2 }])).status).toBe(409);
    const nulls = await add({}, [{ a: 1 }, { code: null }]);
    expect([nulls.status, nulls.body.details]).toEqual([409, [{ field: '[1]', issue: 'the unique index "code" holds [null] for [0]' }]]);
    const third = (await items.post(`nameduseritems/${item._id}/versions`, {})).body;
    expect((await add({ userItemVersionId: third._id }, [{ code: 1 }, { code: 1 }])).status).toBe(409);
    expect(await items.total(item)).toBe(0);
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
    await items.post(`nameduseritems/${script._id}/versions`, {});
    expect(await items.get(path)).toMatchObject({ status: 200, text: '' });
  });
});
