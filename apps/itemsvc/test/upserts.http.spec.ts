import { ItemService, type Json, NS } from './item-service';
import { notAsDescribed } from './described-answers';

describe('related items by their source', () => {
  let items: ItemService;
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());

  const path = (item: Json) => `nameduseritems/${item._id}/relateditems/bulk`;
  const upsert = (item: Json, body: readonly Json[], query: Json = {}, as?: string) => items.put(path(item), body, { query: { by: '_sourceId', ...query }, as });
  const bare = (row: Json) => Object.fromEntries(Object.entries(row).filter(([name]) => !['_id', '_guid', '_metadata', '_uri'].includes(name)));
  const rowsOf = async (item: Json) => (await items.get(`nameduseritems/${item._id}/relateditems`)).body._list as Json[];
  const shown = async (item: Json) => (await rowsOf(item)).map(bare);

  it('are made where they are not there, changed where they are, and left alone where nothing differs', async () => {
    const item = await items.item('NamedUserCollection');
    const first = await upsert(item, [{ _sourceId: 'a', n: 1, in: { x: 1, y: 2 } }, { _sourceId: 'b', n: 2 }]);
    expect([first.status, first.body]).toEqual([200, { _new: 2, _changed: 0, _unchanged: 0, _kept: 0 }]);
    const before = await rowsOf(item);
    const second = await upsert(item, [{ _sourceId: 'b', n: 2 }, { _sourceId: 'c', n: 3 }, { _sourceId: 'a', in: { x: 5 } }], { onConflict: 'merge' });
    expect(second.body).toEqual({ _new: 1, _changed: 1, _unchanged: 1, _kept: 0 });
    expect(await shown(item)).toEqual([{ _sourceId: 'a', n: 1, in: { x: 5, y: 2 } }, { _sourceId: 'b', n: 2 }, { _sourceId: 'c', n: 3 }]);
    const after = await rowsOf(item);
    expect(after.slice(0, 2).map(({ _id, _guid }) => [_id, _guid])).toEqual(before.map(({ _id, _guid }) => [_id, _guid]));
    expect(after[1]?._metadata).toEqual(before[1]?._metadata);
    const log = (await items.get(`nameduseritems/${item._id}/relateditems/${before[0]?._id}/updatelogs`)).body;
    expect(log._list.map(({ _action, _changes }: Json) => [_action, _changes])).toEqual([['UPDATE', [{ _path: 'in.x', _from: 1, _to: 5 }]], ['CREATE', []]]);
  });

  it('give way whole without a rule, and stay as they are where that is asked for', async () => {
    const item = await items.item('NamedUserCollection');
    await upsert(item, [{ _sourceId: 'a', n: 1, old: true }]);
    expect((await upsert(item, [{ _sourceId: 'a', n: 2 }])).body).toEqual({ _new: 0, _changed: 1, _unchanged: 0, _kept: 0 });
    expect(await shown(item)).toEqual([{ _sourceId: 'a', n: 2 }]);
    expect((await upsert(item, [{ _sourceId: 'a', n: 3 }, { _sourceId: 'b' }], { onConflict: 'keep' })).body).toEqual({ _new: 1, _changed: 0, _unchanged: 0, _kept: 1 });
    expect(await shown(item)).toEqual([{ _sourceId: 'a', n: 2 }, { _sourceId: 'b' }]);
  });

  it('change nothing when they come again, and nobody is told', async () => {
    const item = await items.item('NamedUserCollection');
    const body = [{ _sourceId: 'a', n: 1 }, { _sourceId: 'b', list: [{ x: 1 }] }];
    await upsert(item, body);
    const told = (await items.eventsOf(item._id)).length;
    for (const onConflict of ['merge', 'replace']) expect((await upsert(item, body, { onConflict })).body).toEqual({ _new: 0, _changed: 0, _unchanged: 2, _kept: 0 });
    expect((await items.eventsOf(item._id)).length).toBe(told);
    await upsert(item, [{ _sourceId: 'a', n: 2 }, { _sourceId: 'c' }]);
    expect((await items.eventsOf(item._id)).at(-1)).toMatchObject({ type: 'itemsvc.RelatedItems', changed: 2, _relatedItemsCount: 3, ids: expect.arrayContaining([expect.any(String)]) });
  });

  it('are made once, whoever brings the same key at the same time', async () => {
    const item = await items.item('NamedUserCollection');
    const keys = Array.from({ length: 50 }, (_, n) => `key ${n}`);
    const answers = await Promise.all(Array.from({ length: 6 }, (_, who) => upsert(item, keys.map((_sourceId) => ({ _sourceId, [`by${who}`]: true })), { onConflict: 'merge' })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(answers.reduce((sum, { body }) => sum + (body._new as number), 0)).toBe(50);
    const all = Object.fromEntries([0, 1, 2, 3, 4, 5].map((who) => [`by${who}`, true]));
    expect((await items.get(`nameduseritems/${item._id}/relateditems`, { query: { _pageSize: '100' } })).body._list.map(bare)).toEqual(expect.arrayContaining(keys.map((_sourceId) => ({ _sourceId, ...all }))));
    expect(await items.total(item)).toBe(50);
  });

  it('are sensors too, which stand once anyway', async () => {
    const item = await items.item('NamedTelemetryCollection');
    expect((await upsert(item, [{ _sourceId: 's1', unit: 'C' }, { _sourceId: 's2' }])).body._new).toBe(2);
    expect((await upsert(item, [{ _sourceId: 's2', unit: 'K' }, { _sourceId: 's3' }], { onConflict: 'merge' })).body).toEqual({ _new: 1, _changed: 1, _unchanged: 0, _kept: 0 });
    expect(await shown(item)).toEqual([{ _sourceId: 's1', unit: 'C' }, { _sourceId: 's2', unit: 'K' }, { _sourceId: 's3' }]);
  });

  it('are encrypted where the collection says so, and compared as they are read', async () => {
    const item = await items.item('NamedUserCollection', { _encryptionEnabled: true });
    await upsert(item, [{ _sourceId: 'a', '.pin': 'the first secret', n: 1 }]);
    expect((await upsert(item, [{ _sourceId: 'a', '.pin': 'the first secret' }], { onConflict: 'merge' })).body._unchanged).toBe(1);
    expect((await upsert(item, [{ _sourceId: 'a', '.pin': 'the second secret' }], { onConflict: 'merge' })).body._changed).toBe(1);
    expect(await shown(item)).toEqual([{ _sourceId: 'a', '.pin': 'the second secret', n: 1 }]);
    expect(await items.mentioning('the second secret')).toEqual([]);
  });

  it('are 202 above a thousand, with the figures at the end', async () => {
    const item = await items.item('NamedUserCollection');
    await upsert(item, [{ _sourceId: '7', old: 1 }]);
    const answer = await upsert(item, Array.from({ length: 1_200 }, (_, n) => ({ _sourceId: String(n) })), { onConflict: 'merge' });
    expect(answer.status).toBe(202);
    expect(await items.finished(answer)).toMatchObject({ _status: 'COMPLETED', _response: { _status: 200, _body: { _new: 1_199, _changed: 0, _unchanged: 1, _kept: 0 } } });
    expect(await items.total(item)).toBe(1_200);
  });

  it('are refused whole where a key is missing or twice, or an item is named in another way', async () => {
    const item = await items.item('NamedUserCollection');
    const { status, body } = await upsert(item, [{ n: 1 }, { _sourceId: ' ' }, { _sourceId: 5 }, { _sourceId: 'a' }, { _sourceId: 'a' }, { _sourceId: 'ü'.repeat(513) }, { _sourceId: 'b', _id: 'a'.repeat(24) }, { _sourceId: 'c', _relationships: [] }]);
    expect(status).toBe(400);
    expect(body.details).toEqual([
      ...[0, 1, 2].map((n) => ({ field: `[${n}]._sourceId`, issue: 'is required, a text that is not empty' })),
      { field: '[4]._sourceId', issue: 'stands twice in the request' },
      { field: '[5]._sourceId', issue: 'must have at most 1024 bytes (it is a string of 1026 bytes)' },
      { field: '[6]._id', issue: 'is not for items that are known by their _sourceId' },
      { field: '[7]._relationships', issue: 'is not for items that are known by their _sourceId' },
    ]);
    expect(await items.total(item)).toBe(0);
    expect((await upsert(item, [], { by: 'name' })).body.details).toEqual([{ field: 'by', issue: 'must be _sourceId (it is a string of 4 characters)' }]);
    expect((await upsert(item, [], { onConflict: 'guess' })).status).toBe(400);
    expect((await upsert(item, [])).body).toEqual({ _new: 0, _changed: 0, _unchanged: 0, _kept: 0 });
  });

  it('are refused where several items have the key, however many', async () => {
    const item = await items.item('NamedUserCollection');
    await items.related(item, [{ _sourceId: 'a' }, { _sourceId: 'a' }, { _sourceId: 'a' }, { _sourceId: ['b', 'c'] }]);
    const { status, body } = await upsert(item, [{ _sourceId: 'x' }, { _sourceId: 'a', n: 1 }]);
    expect([status, body.details, await items.total(item)]).toEqual([400, [{ field: '[1]._sourceId', issue: 'several items of the collection have it' }], 4]);
    // A list is no key, although a filter finds it by each of its texts.
    expect((await upsert(item, [{ _sourceId: 'b' }])).body._new).toBe(1);
  });

  it('are named where they break a unique index, also by what they had before', async () => {
    const item = await items.item('NamedUserCollection');
    await items.post(`nameduseritems/${item._id}/indexes`, [{ key: { code: 1 }, options: { name: 'code', unique: true } }]);
    await upsert(item, [{ _sourceId: 'a', code: 1 }, { _sourceId: 'b', code: 2 }]);
    const [, b] = await rowsOf(item);
    const { status, body } = await upsert(item, [{ _sourceId: 'a', n: 1 }, { _sourceId: 'c', code: 2 }], { onConflict: 'merge' });
    expect([status, body.details]).toEqual([409, [{ field: '[1]', issue: `the unique index "code" holds [2] for the item ${b?._id}` }]]);
    expect(await shown(item)).toEqual([{ _sourceId: 'a', code: 1 }, { _sourceId: 'b', code: 2 }]);
  });

  it('are for who may EDIT the collection: nobody else, of no other tenant', async () => {
    const item = await items.item('NamedUserCollection');
    await items.related(item, [{ _sourceId: 'a', floor: 1 }]);
    const irn = `itemsvc:nameduseritem:${item._id}`;
    await items.passport.grant('maker', NS, ['READ', 'CREATE'], irn);
    await items.passport.grant('editor', NS, ['EDIT'], irn);
    const statusOf = async (as: string) => (await upsert(item, [{ _sourceId: 'a', floor: 2 }], {}, as)).status;
    expect([await statusOf(''), await statusOf('maker'), await statusOf('mallory'), await statusOf('editor')]).toEqual([401, 403, 404, 200]);
    expect(await shown(item)).toEqual([{ _sourceId: 'a', floor: 2 }]);
  });

  it('are answered as the reference has it', async () => {
    const item = await items.item('NamedUserCollection');
    const { body: document } = await items.get('/itemsvc/api/v1/openapi.json', { as: '' });
    const operation = document.paths['/itemsvc/api/v1/nameduseritems/{id}/relateditems/bulk'].put as Json;
    const { status, body } = await upsert(item, [{ _sourceId: 'a' }]);
    expect(notAsDescribed(document, operation, status, body)).toEqual([]);
    expect(operation['parameters'].map(({ name }: Json) => name)).toEqual(expect.arrayContaining(['by', 'onConflict', 'userItemVersionId']));
  });
});
