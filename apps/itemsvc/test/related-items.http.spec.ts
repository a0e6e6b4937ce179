import { COUNTERS } from '../src/storage/collections';
import { ItemService, type Json, NS } from './item-service';

const ID = (n: number) => n.toString(16).padStart(24, '0');

describe('related items', () => {
  let items: ItemService;
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());

  const path = (item: Json, rest = '') => `nameduseritems/${item._id}/relateditems${rest}`;

  it('makes items of any shape and gives them back as they were sent', async () => {
    const item = await items.item('NamedUserCollection');
    const sent = [{ 'a b/(c)': { 'ü.x': [1, { '.dot': null }] }, '.hidden': 1, _id: ID(1), _guid: 'mine' }, { n: 1.5 }];
    const { status, body } = await items.post(path(item), sent);
    expect([status, body._total, body._includeTotal]).toEqual([201, 2, true]);
    expect(body._list[0]).toEqual({ ...sent[0], _metadata: expect.objectContaining({ _createdById: 'alice', _updatedAt: expect.any(Number) }) });
    expect(body._list[1]).toMatchObject({ n: 1.5, _id: expect.stringMatching(/^[0-9a-f]{24}$/), _guid: expect.any(String) });
    expect((await items.get(path(item, `/${ID(1)}`))).body).toEqual(body._list[0]);
    expect((await items.get(path(item))).body._list).toEqual(body._list);
    expect((await items.get(path(item, `/${ID(2)}`))).status).toBe(404);
  });

  it('reads at a second visit with one question to the store, and never what the place was before', async () => {
    const item = await items.item('NamedUserCollection');
    const [made] = await items.related(item, [{ n: 1 }, { n: 2 }]);
    const one = path(item, `/${made?._id}`);
    const readsOf = async (work: () => Promise<unknown>) => {
      const before = items.storeReads();
      await work();
      return items.storeReads() - before;
    };
    const first = await items.get(one);
    expect(await readsOf(async () => expect(await items.get(one)).toMatchObject({ status: 200, text: first.text, headers: { etag: first.headers.etag } }))).toBe(1);
    const list = { query: { query: { n: { $gt: 0 } }, sort: { n: -1 }, _pageSize: 1 } };
    expect(await readsOf(async () => expect((await items.get(path(item), list)).body).toMatchObject({ _total: 2, _pageSize: 1, _list: [{ n: 2 }] }))).toBe(1);
    expect((await items.get(path(item), { query: { query: { $where: 1 } } })).status).toBe(400);
    expect((await items.get(one, { as: 'mallory' })).status).toBe(404);
    await items.post(`nameduseritems/${item._id}/versions`, {});
    expect((await items.get(path(item), list)).body).toMatchObject({ _total: 0, _list: [] });
    expect((await items.get(one)).status).toBe(404);
    const old = { query: { ...list.query, userItemVersionId: item._tipId } };
    expect([(await items.get(path(item), old)).body._total, (await items.get(path(item), old)).body._total]).toEqual([2, 2]);
    await items.passport.grant('bob', NS, ['READ'], `itemsvc:nameduseritem:${item._id}`);
    expect([await items.get(path(item), { as: 'bob' }), await items.get(path(item), { as: 'bob' })].map(({ status }) => status)).toEqual([200, 200]);
    await items.delete(`nameduseritems/${item._id}`);
    expect([(await items.get(path(item), list)).status, (await items.get(one)).status, (await items.get(path(item), { as: 'bob', query: { query: { $where: 1 } } })).status]).toEqual([404, 404, 404]);
  });

  it('names every fault of every item by index and writes nothing', async () => {
    const item = await items.item('NamedUserCollection');
    const { status, body } = await items.post(path(item), [
      { ok: 1 }, 5, { _id: 'xyz' }, { $a: 1 }, { a: [{ constructor: 1 }] }, { _id: ID(1) }, { _id: ID(1) }, { _relationships: 5 }, { _relationships: [{ _relatedToIds: [] }] },
    ]);
    expect(status).toBe(400);
    expect(body.details.map(({ field }: Json) => field)).toEqual([
      '[1]', '[2]._id', '[3].$a', '[4].a[0].constructor', '[6]._id', '[7]._relationships', '[8]._relationships[0]._relatedUserItemId', '[8]._relationships[0]._relatedToIds',
    ]);
    expect(await items.total(item)).toBe(0);
    expect((await items.post(path(item), { a: 1 })).status).toBe(400);
    const proto = await items.call('post', path(item), { body: '[{"a":{"__proto__":1}}]' });
    expect([proto.status, await items.total(item)]).toEqual([400, 0]);
    expect((await items.post(path(await items.item('UserConfig', { _version: { _userData: 1 } })), [{}])).status).toBe(400);
  });

  it('takes a repeated bulk as made, and refuses other content under a known id', async () => {
    const item = await items.item('NamedUserCollection');
    const bulk = [{ _id: ID(1), a: { b: 1, c: 2 } }, { _id: ID(2), a: 2 }];
    const first = await items.post(path(item, '/bulk'), bulk);
    const again = await items.post(path(item, '/bulk'), [{ _id: ID(1), a: { c: 2, b: 1 } }, bulk[1]]);
    expect([again.status, again.body]).toEqual([201, first.body]);
    const { status, body } = await items.post(path(item, '/bulk'), [{ _id: ID(3) }, { _id: ID(2), a: 3 }]);
    expect([status, body.details[0].field]).toEqual([400, '[1]._id']);
    expect(await items.total(item)).toBe(2);
    const events = (await items.eventsOf(item._id)).filter(({ type }) => type === 'itemsvc.RelatedItems');
    expect(events).toEqual([expect.objectContaining({ changed: 2, _relatedItemsCount: 2, ids: [ID(1), ID(2)], _versionId: item._tipId, _version: 1 })]);
    expect((await items.post(path(await items.item('NamedUserCollection'), '/bulk'), bulk)).status).toBe(201);
  });

  it('takes a repetition by who may make and not READ as made where the item is its own, and tells nothing of those of others', async () => {
    const item = await items.item('NamedUserCollection');
    const path = `nameduseritems/${item._id}/relateditems`;
    const [other] = (await items.related(item, [{ pin: 4711 }])) as [Json];
    await items.passport.grant('maker', NS, ['CREATE'], `itemsvc:nameduseritem:${item._id}`);
    const tried = async (_id: unknown, pin: number) => { const { status, body } = await items.post(path, [{ _id, pin }], { as: 'maker' }); return [status, body.message as string]; };
    expect(await tried(other._id, 4711)).toEqual(await tried(other._id, 4712));
    const [own] = (await items.post(path, [{ pin: 1 }], { as: 'maker' })).body._list as [Json];
    expect([(await tried(own._id, 1))[0], (await tried(own._id, 2))[0]]).toEqual([201, 400]);
    await items.put(`${path}/${own._id}`, { pin: 3 });
    expect(await tried(own._id, 3)).toEqual(await tried(own._id, 4));
    await items.passport.grant('part maker', NS, ['CREATE'], `itemsvc:nameduseritem:${item._id}`, { subresource: { _type: 'relateditem', _criteria: { '.floor': 1 } } });
    const made = await Promise.all([1, 2].map((floor) => items.post(path, [{ '.floor': floor }], { as: 'part maker' })));
    expect(made.map(({ status }) => status)).toEqual([201, 403]);
  });

  it('shows a bulk as it is stored, and says the same of it to a repetition under its key', async () => {
    const item = await items.item('NamedUserCollection');
    const bulk = Array.from({ length: 200 }, (_, n) => ({ n, text: `grün 木 😀 "${n}"` }));
    const headers = { 'idempotency-key': `bulk ${item._id}` };
    const first = await items.post(path(item, '/bulk'), bulk, { headers });
    const { _list, ...page } = first.body as Json;
    expect([first.status, page]).toEqual([201, { _offset: 0, _pageSize: 200, _total: 200, _includeTotal: true }]);
    expect((_list as Json[]).map(({ n, text }) => ({ n, text }))).toEqual(bulk);
    expect((await items.get(path(item), { query: { _pageSize: '200' } })).body).toMatchObject({ _list });
    const again = await items.post(path(item, '/bulk'), bulk, { headers });
    expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([201, 'true', first.body]);
    expect(await items.total(item)).toBe(200);
  });

  it('answers a big bulk with 202 and does it once, with the count and the bytes that are there', async () => {
    const item = await items.item('NamedUserCollection');
    const bulk = Array.from({ length: 5_000 }, (_, n) => ({ _id: ID(n + 1), n, text: 'ä'.repeat(n % 7) }));
    const answer = await items.post(path(item, '/bulk'), bulk);
    expect([answer.status, answer.text, answer.headers['retry-after']]).toEqual([202, '', '1']);
    expect(answer.headers.location).toMatch(/^http:\/\/twinyard\.test\/itemsvc\/api\/v1\/requests\/[0-9a-f-]{36}$/);
    const done = await items.finished(answer);
    expect([done._status, done._response._status, done._response._body._total]).toEqual(['COMPLETED', 201, 5_000]);
    expect(done._progress).toEqual({ _done: 5_000, _total: 5_000 });
    expect((await items.finished(await items.post(path(item, '/bulk'), bulk)))._progress).toEqual({ _done: 5_000, _total: 5_000 });
    expect(done._response._body._list[4_999]).toMatchObject({ _id: ID(5_000), n: 4_999 });
    expect((await items.get(new URL(answer.headers.location as string).pathname, { as: 'mallory', nsfilter: null })).status).toBe(404);
    const stored = (await items.get(path(item), { query: { _pageSize: '5000' } })).body;
    const bytes = stored._list.reduce((sum: number, one: Json) => sum + Buffer.byteLength(JSON.stringify(one)), 0);
    expect((await items.eventsOf(item._id)).filter(({ type }) => type === 'itemsvc.RelatedItems')).toEqual([
      expect.objectContaining({ changed: 5_000, _relatedItemsCount: 5_000, _size: bytes }),
    ]);
  });

  it('leaves no item, no event and no count of a bulk of 5,000 whose 4,999th is bad', async () => {
    const item = await items.item('NamedUserCollection');
    await items.related(item, [{ _id: ID(4_999), taken: true }]);
    const good = Array.from({ length: 5_000 }, (_, n) => ({ _id: ID(n + 1), n }) as Json);
    const shape = await items.post(path(item, '/bulk'), good.map((one, n) => (n === 4_998 ? { ...one, $bad: 1 } : one)));
    expect([shape.status, shape.body.details]).toEqual([400, [{ field: '[4998].$bad', issue: expect.any(String) }]]);
    const failed = await items.finished(await items.post(path(item, '/bulk'), good));
    expect([failed._status, failed._response._status, failed._response._body.details]).toEqual(['FAILED', 400, [expect.objectContaining({ field: '[4998]._id' })]]);
    expect(await items.total(item)).toBe(1);
    expect((await items.eventsOf(item._id)).filter(({ type }) => type === 'itemsvc.RelatedItems')).toHaveLength(1);
    expect(await items.document(COUNTERS, item._tipId)).toMatchObject({ relatedItemsCount: 1 });
  });

  it('refuses a bulk above 10 MB with 413', async () => {
    const item = await items.item('NamedUserCollection');
    expect((await items.post(path(item, '/bulk'), [{ text: 'x'.repeat(9_000_000) }])).status).toBe(201);
    expect((await items.post(path(item, '/bulk'), [{ text: 'x'.repeat(11_000_000) }])).status).toBe(413);
  });

  it('counts right when many bulks come into one collection at once', async () => {
    const item = await items.item('NamedUserCollection');
    await Promise.all(Array.from({ length: 10 }, (_, n) => items.post(path(item, '/bulk'), Array.from({ length: 50 }, (_row, m) => ({ n, m })))));
    const last = (await items.eventsOf(item._id)).at(-1) as Json;
    expect([last._relatedItemsCount, await items.total(item)]).toEqual([500, 500]);
  });

  it('counts right when two processes write into one collection at once', async () => {
    const item = await items.item('NamedUserCollection');
    const twin = await items.twin();
    await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? items : twin).post(path(item, '/bulk'), Array.from({ length: 20 }, (_row, m) => ({ n, m })))));
    await twin.leave();
    expect([(await items.eventsOf(item._id)).at(-1)?._relatedItemsCount, await items.total(item)]).toEqual([400, 400]);
  });

  it('lets more writers wait for one collection than there are connections, and every one of them comes through', async () => {
    const item = await items.item('NamedUserCollection');
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => items.post(path(item, '/bulk'), [{ _id: ID(n) }, { _id: ID(1_000), same: true }])));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(await items.total(item)).toBe(41);
  });

  it('filters, sorts, projects and pages related items', async () => {
    const item = await items.item('NamedUserCollection');
    await items.related(item, Array.from({ length: 30 }, (_, n) => ({ n, props: { area: n * 2, tags: n % 2 ? ['odd'] : ['even', 'e'] } })));
    const list = async (query: Json) => (await items.get(path(item), { query })).body;
    expect((await list({}))._list).toHaveLength(25);
    expect(await list({ query: { 'props.area': { $gte: 50 }, 'props.tags': 'odd' }, sort: { n: -1 }, project: { n: 1, _id: 0 }, page: { _offset: 1, _pageSize: 1 } }))
      .toEqual({ _offset: 1, _pageSize: 1, _total: 3, _list: [{ n: 27 }] });
    expect((await items.get(path(item), { query: { query: { n: { $foo: 1 } } } })).status).toBe(400);
  });

  it('replaces one and many, keeping who made them, and names unknown ids', async () => {
    const item = await items.item('NamedUserCollection');
    const [one, two] = await items.related(item, [{ a: 1 }, { a: 2 }]) as [Json, Json];
    const put = await items.put(path(item, `/${one._id}`), { ...one, a: 'x'.repeat(100) });
    expect([put.status, put.body]).toEqual([200, { ...one, a: 'x'.repeat(100), _metadata: expect.objectContaining({ _createdAt: one._metadata._createdAt }) }]);
    expect((await items.put(path(item, `/${ID(9)}`), { a: 1 })).status).toBe(404);
    const many = await items.put(path(item), [{ _id: one._id, b: 1 }, { _id: two._id, b: 2 }]);
    expect([many.status, many.body._total, many.body._list[1].b, many.body._list[1]._guid]).toEqual([200, 2, 2, two._guid]);
    const bad = await items.put(path(item), [{ _id: one._id, c: 1 }, { _id: ID(9), c: 1 }]);
    expect([bad.status, bad.body.details]).toEqual([400, [{ field: '[1]._id', issue: expect.any(String) }]]);
    expect((await items.put(path(item), [{ c: 1 }])).body.details[0].field).toBe('[0]._id');
    expect((await items.get(path(item, `/${one._id}`))).body).not.toHaveProperty('c');
    const bulk = await items.put(path(item, '/bulk'), [{ _id: one._id, d: 1 }]);
    expect([bulk.status, bulk.body._list[0].d]).toEqual([200, 1]);
    const { _list: rest } = (await items.get(path(item))).body;
    const last = (await items.eventsOf(item._id)).at(-1) as Json;
    expect(last).toMatchObject({ _relatedItemsCount: 2, changed: 1, _size: rest.reduce((sum: number, row: Json) => sum + Buffer.byteLength(JSON.stringify(row)), 0) });
  });

  it('replaces and deletes more than a thousand later', async () => {
    const item = await items.item('NamedUserCollection');
    const made = await items.related(item, Array.from({ length: 1_500 }, (_, n) => ({ n })));
    const put = await items.finished(await items.put(path(item, '/bulk'), made.map(({ _id, n }) => ({ _id, n, even: n % 2 === 0 }))));
    expect([put._response._status, put._progress]).toEqual([200, { _done: 1_500, _total: 1_500 }]);
    expect((await items.delete(path(item, '/bulk'), { query: { query: { even: true } } })).status).toBe(204);
    expect(await items.total(item)).toBe(750);
    await items.related(item, Array.from({ length: 1_200 }, () => ({ more: true })));
    const removed = await items.finished(await items.delete(path(item, '/bulk'), { query: { query: {} } }));
    expect([removed._status, removed._response, await items.total(item)]).toEqual(['COMPLETED', { _status: 204 }, 0]);
    expect(removed._progress).toEqual({ _done: 1_950, _total: 1_950 });
    expect((await items.eventsOf(item._id)).at(-1)).toMatchObject({ changed: 1_950, _relatedItemsCount: 0, _size: 0 });
    expect((await items.delete(path(item, '/bulk'))).body.details).toEqual([{ field: 'query', issue: 'is required' }]);
  });

  it('deletes one and many; unknown ids in the array are passed over', async () => {
    const item = await items.item('NamedUserCollection');
    const [one, two, three] = await items.related(item, [{ a: 1 }, { a: 2 }, { a: 3 }]) as [Json, Json, Json];
    expect((await items.delete(path(item, `/${one._id}`))).status).toBe(204);
    expect((await items.delete(path(item, `/${one._id}`))).status).toBe(404);
    expect((await items.call('delete', path(item), { body: [two._id, ID(8)] })).status).toBe(204);
    expect((await items.call('delete', path(item), { body: [1] })).body.details[0].field).toBe('[0]');
    expect((await items.get(path(item))).body._list.map(({ _id }: Json) => _id)).toEqual([three._id]);
  });

  it('asks file items for their file and telemetry items for their sensor', async () => {
    const files = await items.item('NamedFileCollection');
    expect((await items.post(path(files), [{ name: 'x' }, { _fileId: 5 }])).body.details.map(({ field }: Json) => field)).toEqual(['[0]._fileId', '[1]._fileId']);
    const [file] = await items.related(files, [{ _fileId: 'f', _fileVersionId: 'v', filename: 'a.ifc' }]) as [Json];
    expect((await items.put(path(files, `/${file._id}`), { filename: 'b' })).status).toBe(400);
    const sensors = await items.item('NamedTelemetryCollection');
    expect((await items.post(path(sensors), [{ name: 'x' }])).status).toBe(400);
    const made = await items.post(path(sensors), [{ _sourceId: 's1' }]);
    expect(made.body._list[0]._uri).toBe(`/nameduseritems/${sensors._id}/relateditems/${made.body._list[0]._id}`);
    const { _id, _uri } = made.body._list[0];
    expect((await items.get(path(sensors), { query: { project: { _sourceId: 1, _uri: 1, _id: 0 } } })).body._list).toEqual([{ _sourceId: 's1', _uri }]);
    expect((await items.get(path(sensors), { query: { project: { _id: 0, _metadata: 0 } } })).body._list).toEqual([{ _sourceId: 's1', _uri }]);
    expect((await items.get(path(sensors), { query: { project: { _uri: 1 } } })).body._list).toEqual([{ _id, _uri }]);
    expect((await items.post(path(sensors, '/bulk'), [{ name: 'no source' }])).status).toBe(201);
    const twice = await items.post(path(sensors, '/bulk'), [{ _sourceId: 's2' }, { _sourceId: 's2' }]);
    const taken = await items.post(path(sensors, '/bulk'), [{ _sourceId: 's3' }, { _sourceId: 's1' }]);
    expect([twice.status, twice.body.details[0].field, taken.status, taken.body.details[0].field]).toEqual([409, '[1]._sourceId', 409, '[1]._sourceId']);
    expect(await items.total(sensors)).toBe(2);
    const [other] = (await items.post(path(sensors), [{ _sourceId: 's4' }])).body._list;
    expect((await items.put(path(sensors, `/${other._id}`), { _sourceId: 's1' })).body.details).toEqual([{ field: '_sourceId', issue: expect.stringContaining('s1 belongs to') }]);
  });

  it('finishes accepted work after a restart, and fails it with 403 for a caller who has lost everything', async () => {
    await items.passport.grant('temp', (await items.item('NamedUserCollection'))._namespaces[0], ['*']);
    const item = await items.item('NamedUserCollection');
    const stored = (as: string) => {
      const principal = { type: 'user', id: as, tokenId: 't', scopes: ['read', 'write'] };
      return items.leaveUnfinished({
        kind: 'relateditems.create',
        tenant: NS,
        caller: { type: 'user', id: as },
        context: { principal, namespaces: item._namespaces, requestId: 'r' },
        payload: { itemId: item._id, versionId: item._tipId, body: [{ by: as }] },
      });
    };
    await items.passport.revokeAll('temp');
    const [mine, temps] = [await stored('alice'), await stored('temp')];
    await items.restart();
    expect((await items.finished(mine))._response._status).toBe(201);
    expect((await items.finished(temps, 'temp'))._response._status).toBe(403);
    expect(await items.total(item)).toBe(1);
  });
});
