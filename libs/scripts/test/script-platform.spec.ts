import { ScriptRunner } from '../src';
import { bytes, FakePlatform, json, nothing, refused } from './fake-platform';

const ITEMS = '/itemsvc/api/v1/nameduseritems';
const NS = 'nsfilter=a_1&nsfilter=b_2';

describe('what a script is given of the platform', () => {
  let runner: ScriptRunner;
  let platform: FakePlatform;
  beforeAll(() => {
    runner = new ScriptRunner({ threads: 2 });
    platform = new FakePlatform(() => runner);
  });
  afterAll(() => runner.close());
  beforeEach(() => platform.reset());

  /** Rows of a list, as the API pages them; `most`: of a page that is not too large. */
  const listing = (total: number, most = 5_000) => async (_request: unknown, { searchParams }: URL) => {
    const [offset, size] = ['_offset', '_pageSize'].map((name) => Number(searchParams.get(name))) as [number, number];
    if (size > most) throw refused(413, 'too_large', 'The answer is too large');
    return json({ _total: total, _offset: offset, _pageSize: size, _list: Array.from({ length: Math.max(0, Math.min(size, total - offset)) }, (_, n) => ({ _id: `${offset + n}` })) });
  };

  it('is its input, libraries and what it knows of its run, none of which it can change', async () => {
    const seen = await platform.result(`
      const frozen = [ctx, ctx.signal, ctx.namespaces, platform, platform.items, dates].map(Object.isFrozen);
      return [input, ctx.runId, ctx.stepId, ctx.namespaces, ctx.principalInfo, ctx.now, ctx.signal.aborted, ctx.signal.reason, frozen.every((one) => one)];`, { a: 1 });
    expect(seen).toEqual([{ a: 1 }, 'the-run', 'the-step', ['a_1', 'b_2'], { type: 'user', id: 'u', scopes: ['read'] }, '2024-03-31T12:00:00.000Z', false, null, true]);
  });

  it('lets it write to the log of its run, and say how far it is', async () => {
    const { console } = await platform.run(`export default (input, libraries, ctx) => {
      for (const level of ['debug', 'info', 'warn', 'error', 'loud', '__proto__']) ctx.log(level, 'a', { b: [1] });
      ctx.log('info', 5); ctx.progress(1, 3); ctx.progress(2); ctx.progress(-1); ctx.progress('x'); ctx.progress();
    }`);
    expect(console.map(({ level, text }) => `${level} ${text}`)).toEqual(['debug', 'info', 'warn', 'error', 'info', 'info'].map((level) => `${level} a {"b":[1]}`).concat('info 5'));
    expect(platform.progress).toEqual([[1, 3], [2, undefined]]);
  });

  it('asks for pages as the script comes to them, and for smaller ones where they weigh too much', async () => {
    platform.answering = listing(1_200);
    expect(await platform.result('let n = 0; for await (const { _id } of platform.items.find({ a: { $gt: 1 } }, { sort: { b: -1 } })) { n += 1; if (_id === "600") break; } return n;')).toBe(601);
    expect(platform.asked).toEqual([0, 500].map((offset) => `GET ${ITEMS}?query={"a":{"$gt":1}}&sort={"b":-1}&_offset=${offset}&_pageSize=500&${NS}`));
    platform.reset();
    platform.answering = listing(10, 4);
    expect(await platform.result('return (await platform.items.related("x y", { versionId: "v" }).list({}, { pageSize: 12 }).toArray()).map(({ _id }) => _id).join();')).toBe('0,1,2,3,4,5,6,7,8,9');
    expect(platform.asked[0]).toContain(`${ITEMS}/x y/relateditems?userItemVersionId=v&query={}&_offset=0&_pageSize=12`);
    expect(platform.asked.slice(1).map((asked) => /_offset=\d+&_pageSize=\d+/.exec(asked)?.[0])).toEqual([0, 3, 6, 9].map((offset) => `_offset=${offset}&_pageSize=3`));
    platform.reset();
    platform.answering = listing(3);
    expect(await platform.result('return [await platform.items.findOne({ a: 1 }), (await platform.files.list({ parent: "p", _tags: ["a", "b"] }).toArray()).length, (await platform.files.versions("f", { pageSize: 9999 }).toArray()).length];')).toEqual([{ _id: '0' }, 3, 3]);
    expect(platform.asked).toEqual([`GET ${ITEMS}?query={"a":1}&_offset=0&_pageSize=1&${NS}`, `GET /filesvc/api/v1/files/p/children?_tags=a&_tags=b&_offset=0&_pageSize=200&${NS}`, `GET /filesvc/api/v1/files/f/versions?_offset=0&_pageSize=200&${NS}`]);
    platform.reset();
    platform.answering = listing(0);
    expect(await platform.result('return [await platform.items.findOne(), (await platform.items.find().toArray()).length];')).toEqual([null, 0]);
  });

  it('writes items and rows in parts, smaller where they weigh too much, with ids of their own', async () => {
    platform.answering = async ({ body }, { pathname }) => {
      const sent = JSON.parse(Buffer.from(body ?? '[]').toString()) as unknown[];
      if (pathname.endsWith('/bulk') && sent.length > 400) throw refused(413, 'too_large', 'too much');
      return pathname.endsWith('/nameduseritems') || pathname.endsWith('/relateditems') ? json({ _list: sent }, 201) : nothing(204);
    };
    const [made, one, many, ids] = await platform.result(`
      const rows = platform.items.related('c');
      return [await platform.items.create({ _name: 'a', _namespaces: ['b_2'] }), await rows.create({ a: 1 }), await rows.create([{ a: 1 }, { a: 2 }]), await rows.bulk(Array.from({ length: 1500 }, (_, n) => (n === 0 ? { _id: 'own' } : { n })))];`) as [unknown, unknown, unknown, string[]];
    expect([made, one, many]).toEqual([{ _description: '', _namespaces: ['b_2'], _name: 'a' }, { a: 1 }, [{ a: 1 }, { a: 2 }]]);
    expect([ids.length, new Set(ids).size, ids[0]]).toEqual([1_500, 1_500, 'own']);
    expect(ids.slice(1).every((id) => /^[0-9a-f]{24}$/.test(id))).toBe(true);
    const bulks = platform.requests.filter(({ path }) => path.includes('/bulk'));
    expect(bulks.map(({ body }) => (JSON.parse(String(body)) as unknown[]).length)).toEqual([1_000, 250, 250, 250, 250, 250, 250]);
    // What has ids of its own may be sent again; what has none needs a key.
    expect(platform.requests.map(({ isRepeatable }) => isRepeatable)).toEqual([false, false, false, ...bulks.map(() => true)]);
  });

  it('changes, relates and removes', async () => {
    platform.answering = async ({ method }) => (method === 'GET' ? json({ _id: 'i', _name: 'old', _description: 'd', _namespaces: ['a_1'], _userType: 't', _tipId: 'x' }) : nothing(204));
    await platform.result(`
      const rows = platform.items.related('c');
      await platform.items.update('i', { _name: 'new' }); await platform.items.remove('i'); await rows.update({ _id: '1', a: 2 }); await rows.remove('1'); await rows.remove(['1', '2']); await rows.remove({ a: 1 });
      await rows.relate({ _relatedFromId: '1', _relatedToIds: ['2'], _relatedUserItemId: 'd' });`);
    expect(platform.asked.map((asked) => asked.replace(/[?&]nsfilter.*/, ''))).toEqual([
      `GET ${ITEMS}/i`, `PUT ${ITEMS}/i`, `DELETE ${ITEMS}/i`, `PUT ${ITEMS}/c/relateditems/bulk`, `DELETE ${ITEMS}/c/relateditems`, `DELETE ${ITEMS}/c/relateditems`, `DELETE ${ITEMS}/c/relateditems/bulk?query={"a":1}`, `PUT ${ITEMS}/c/relationships/bulk`,
    ]);
    expect([1, 3, 4, 5, 7].map((index) => platform.bodyOf(index))).toEqual([
      { _name: 'new', _description: 'd', _namespaces: ['a_1'], _userType: 't' }, [{ _id: '1', a: 2 }], ['1'], ['1', '2'], [{ _relatedFromId: '1', _relatedToIds: ['2'], _relatedUserItemId: 'd' }],
    ]);
  });

  it('searches, reads and writes readings, starts runs, and knows where it is', async () => {
    platform.answering = async ({ path }) => {
      if (path.includes('/search')) return json({ _list: [{ _versions: [{ _relatedItems: { _list: [{ _id: 'r' }], _total: 1 } }] }] });
      if (path.includes('/aggregate')) return json({ _list: [{ n: 1 }] });
      if (path.includes('/readings') && path.includes('onConflict')) return json({ _new: 1, _replaced: 1, _merged: 0, _kept: 0 });
      if (path.includes('/readings')) return json({ _list: [{ _ts: 'latest' }], _total: 9, _offset: 0, _pageSize: 1 });
      if (path.includes('/orchrun/')) return json([{ id: 'run' }]);
      if (path.includes('/workspaces')) return json({ _list: [{ _id: 'w1', _namespaces: ['c_3'] }, { _id: 'w2', _namespaces: ['b_2'] }], _total: 2, _offset: 0, _pageSize: 500 });
      return json({ id: 'started' });
    };
    expect(await platform.result(`
      return [await platform.items.related('c').search({ parent: { query: { a: 1 } }, related: [{ as: 'x' }] }), await platform.readings.aggregate('c', [{ $count: 'n' }]), await platform.readings.write('c', [{ _ts: new Date(0) }]),
        await platform.readings.latest('c', 't'), await platform.runs.start('o', [{ sequence_type_id: 's', params: {} }]), await platform.runs.get('run'), (await platform.workspaces.current())._id, await platform.principal()];`)).toEqual([
      { _list: [{ _id: 'r' }], _total: 1 }, [{ n: 1 }], { _new: 1, _replaced: 1, _merged: 0, _kept: 0 }, { _ts: 'latest' }, { id: 'started' }, { id: 'run' }, 'w2', { id: 'started' },
    ]);
    expect(platform.bodyOf(0)).toEqual({ query: { $findWithRelated: { related: [{ as: 'x' }], parent: { query: { a: 1 }, collectionDesc: { _userItemId: 'c' } } } } });
    expect(platform.bodyOf(2)).toEqual([{ _ts: '1970-01-01T00:00:00.000Z' }]);
    expect(platform.asked[3]).toBe(`GET ${ITEMS}/c/relateditems/readings?query={"_tsMetadata._telItemId":"t"}&sort={"_ts":-1}&_offset=0&_pageSize=1&${NS}`);
    expect(platform.bodyOf(4)).toEqual({ orchestratorId: 'o', _actualParams: [{ sequence_type_id: 's', params: {} }] });
    // Searches, aggregates and readings may be asked again; a run must not be started twice.
    expect(platform.requests.slice(0, 5).map(({ isRepeatable }) => isRepeatable)).toEqual([true, true, true, true, false]);
  });

  it('tells something where it is, or where it says', async () => {
    platform.answering = async () => json({ _eventId: 'e' });
    expect(await platform.result('return [await platform.notify("Done", { message: "m", data: { n: 1 }, namespace: "b_2", eventId: "e" }), await platform.notify("Done again")];')).toEqual(['e', 'e']);
    expect(platform.asked).toEqual([0, 1].map(() => `POST /notificationsvc/api/v1/notification?${NS}`));
    expect([0, 1].map((index) => platform.bodyOf(index))).toEqual([{ _name: 'Done', _message: 'm', _data: { n: 1 }, _eventId: 'e', _namespaces: ['b_2'] }, { _name: 'Done again', _namespaces: ['a_1', 'b_2'] }]);
    expect(platform.requests.map(({ isRepeatable }) => isRepeatable)).toEqual([false, false]);
  });

  it('reads files as texts and JSON in their encoding, and uploads texts and bytes', async () => {
    platform.answering = async ({ path }) => {
      if (path.includes('/url')) return json({ _url: 'https://public.example/filesvc/api/v1/content/V1/a%2Fb.txt?expires=1&signature=s' });
      if (path.includes('/content/')) return bytes(Buffer.from('\ufeff{"a":[1,"ü"]}'), 'application/json');
      return json([{ _id: 'made' }], 201);
    };
    expect(await platform.result('return [await platform.files.text("f"), await platform.files.json("f", { versionId: "V9" }), await platform.files.upload("ä \\"x\\".bin", new Uint8Array([0, 1, 254, 255]), { type: "image/png", tags: ["a", "b"], parent: "p" }), await platform.files.upload("a.txt", "ü")];'))
      .toEqual(['{"a":[1,"ü"]}', { a: [1, 'ü'] }, { _id: 'made' }, { _id: 'made' }]);
    expect(platform.asked.slice(0, 4)).toEqual(['files/f/url?', 'content/V1/content?expires=1&signature=s&', 'files/f/versions/V9/url?', 'content/V1/content?expires=1&signature=s&'].map((tail) => `GET /filesvc/api/v1/${tail}${NS}`));
    expect(platform.asked[4]).toBe(`POST /filesvc/api/v1/files?_namespaces=a_1&_namespaces=b_2&_parents=p&_tags=a&_tags=b&${NS}`);
    const [first, second] = platform.requests.slice(4).map(({ headers, body }) => {
      const boundary = /boundary=(.*)$/.exec(headers['content-type'] ?? '')?.[1] ?? '?';
      return Buffer.from(body ?? '').toString('latin1').replaceAll(boundary, 'B');
    });
    expect(first).toBe(`--B\r\ncontent-disposition: form-data; name="file"; filename="${Buffer.from('ä %22x%22.bin').toString('latin1')}"\r\ncontent-type: image/png\r\n\r\n\0\x01\xfe\xff\r\n--B--\r\n`);
    expect(second).toBe(`--B\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${Buffer.from('ü').toString('latin1')}\r\n--B--\r\n`);
    platform.answering = async ({ path }) => (path.includes('/url') ? json({ _url: 'https://x/filesvc/api/v1/content/V1/a?s=1' }) : bytes(Buffer.from([0xfc]), 'text/plain'));
    expect(await platform.result('return [await platform.files.text("f", { encoding: "windows-1252" }), ...(await Promise.allSettled([platform.files.text("f"), platform.files.text("f", { encoding: "klingon" })])).map(({ reason }) => reason.code)];')).toEqual(['ü', 'invalid', 'invalid']);
  });

  it('sends and takes whatever an operation has: JSON, texts, bytes, nothing', async () => {
    platform.answering = async (_request, { pathname }) => {
      if (pathname.endsWith('/bytes')) return { ...bytes(Buffer.from([0xff, 0, 1]), 'image/png'), headers: { 'content-type': 'image/png', etag: '"e"', 'set-cookie': 'secret', 'x-powered-by': 'x' } };
      if (pathname.endsWith('/text')) return bytes(Buffer.from('a,b'), 'text/csv');
      return pathname.endsWith('/nothing') ? nothing(204) : json({ __proto__: 1, a: 1 });
    };
    expect(await platform.result(`
      const at = (name, options) => platform.request('POST', '/itemsvc/api/v1/' + name, options);
      const bytes = await at('bytes', { body: new Uint8Array([1, 2, 255]) });
      const long = new Uint8Array(10000).fill(7);
      await at('long', { body: long });
      return [[...bytes.body], bytes.headers, (await at('text', { body: 'x;y', headers: { 'Content-Type': 'text/csv' } })).body, await at('nothing'), (await at('json', { body: { a: 1 }, query: { nsfilter: 'c_3' } })).body];`))
      .toEqual([[255, 0, 1], { 'content-type': 'image/png', etag: '"e"' }, 'a,b', { status: 204, headers: {} }, { a: 1 }]);
    expect(platform.requests.map(({ headers, body }) => [headers, body === undefined ? undefined : Buffer.from(body).length])).toEqual([
      [{ 'content-type': 'application/octet-stream' }, 3], [{ 'content-type': 'application/octet-stream' }, 10_000], [{ 'content-type': 'text/csv' }, 3], [{}, undefined], [{ 'content-type': 'application/json' }, 7],
    ]);
    expect(Buffer.from(platform.requests[1]?.body ?? '').every((byte) => byte === 7)).toBe(true);
    expect(platform.asked[4]).toBe('POST /itemsvc/api/v1/json?nsfilter=c_3');
  });

  it('throws what is refused with status and code, and says where in the script it was asked', async () => {
    platform.answering = async () => { throw refused(404, 'not_found', 'itemsvc: There is no item "x"'); };
    expect(await platform.result('try { await platform.items.update("x", {}); } catch (error) { return [error instanceof Error, error.name, error.message, error.status, error.code]; }')).toEqual([true, 'Error', 'itemsvc: There is no item "x"', 404, 'not_found']);
    const asks = (ask: string) => platform.run(`export default async (input, { platform }) => {\n  await null;\n  ${ask}\n};`);
    for (const ask of ['await platform.items.remove("x");', 'for await (const item of platform.items.find()) console.log(item);', 'await platform.items.related("x").bulk([{}]);', 'await platform.files.json("x");', 'await platform.request("GET", "/itemsvc/api/v1/x");']) {
      expect(await asks(ask)).toMatchObject({ kind: 'threw', said: 'itemsvc: There is no item "x"', at: { line: 3 } });
    }
  });

  it('asks nothing that is not for scripts', async () => {
    const refusals = await platform.result(`
      const asking = [['GET', '/passportsvc/api/v1/oauth/userinfo'], ['POST', '/passportsvc/api/v1/scim/Users'], ['GET', 'https://evil.example/itemsvc/api/v1/x'], ['GET', '/itemsvc/api/v1/../../internal'], ['GET', '/itemsvc/api/v1/x', { headers: { Authorization: 'Bearer x' } }],
        ['GET', '/itemsvc/api/v1/x', { headers: { accept: 'a\\r\\nhost: evil' } }], ['GET', '/itemsvc/api/v1/x', { headers: { 'x-forwarded-for': '1.1.1.1' } }], ['TRACE', '/itemsvc/api/v1/x'], ['GET', 5], [], ['GET', '/itemsvc/api/v1/x', { body: 1 }], ['GET', '/itemsvc/api/v1/x', { query: { a: 'x'.repeat(70000) } }]];
      return (await Promise.allSettled(asking.map((given) => platform.request(...given)))).map(({ reason }) => reason.code);`);
    expect(refusals).toEqual(['forbidden', 'forbidden', 'invalid', 'invalid', 'invalid', 'invalid', 'invalid', 'invalid', 'invalid', 'invalid', 'invalid', 'invalid']);
    expect(platform.requests).toEqual([]);
  });

  it('is not opened by what a script does to the language', async () => {
    const source = `
      const stolen = [];
      const { then } = Promise.prototype;
      Promise.prototype.then = function (...given) { stolen.push(this); return then.apply(this, given); };
      Object.prototype.headers = { authorization: 'Bearer mine' }; Object.prototype.isRepeatable = true;
      Array.prototype.map = function () { return this; }; Object.freeze = (value) => value; JSON.parse = () => ({ mine: true }); Function.prototype.call = () => 'mine';
      export default async (input, { platform }) => {
        const ends = await Promise.allSettled([platform.request('GET', '/itemsvc/api/v1/x'), platform.request('GET', '/passportsvc/api/v1/oauth/token')]);
        const list = []; for (const end of ends) list.push(end.reason ? end.reason.code : end.value.body);
        return list;
      };`;
    platform.answering = async () => json({ real: true });
    const { kind } = await platform.run(source);
    expect(kind).not.toBe('stopped');
    for (const { headers, path } of platform.requests) expect([path, headers]).toEqual([`/itemsvc/api/v1/x?${NS}`, {}]);
  });

  it('counts what nobody has waited for, and ends it', async () => {
    let isEnded = false;
    platform.answering = (_request, _url, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => {
      isEnded = true;
      reject(new Error('nobody waits'));
    }));
    expect(await platform.run('export default (input, { platform }) => { platform.request("GET", "/itemsvc/api/v1/x"); return 1; }')).toMatchObject({ kind: 'returned', result: 1, underWay: 1 });
    expect(isEnded).toBe(true);
  });

  it('tells that the run is cancelled, and refuses calls from then on', async () => {
    const cancel = new AbortController();
    platform.answering = () => {
      setImmediate(() => cancel.abort());
      return new Promise(() => undefined);
    };
    const source = `export default async (input, { platform }, ctx) => {
      const heard = []; ctx.signal.addEventListener('abort', ({ type }) => { heard.push(type); throw new Error('x'); }); ctx.signal.addEventListener('abort', () => heard.push('second'));
      const codes = []; for (const path of ['a', 'b']) await platform.request('GET', '/itemsvc/api/v1/' + path).catch(({ code }) => codes.push(code));
      try { ctx.signal.throwIfAborted(); } catch (error) { return [heard, codes, ctx.signal.aborted, error.code, error === ctx.signal.reason]; }
    };`;
    expect(await platform.run(source, null, { signal: cancel.signal })).toMatchObject({ kind: 'returned', result: [['abort', 'second'], ['cancelled', 'cancelled'], true, 'cancelled', true] });
    expect(platform.requests).toHaveLength(1);
  });
});
