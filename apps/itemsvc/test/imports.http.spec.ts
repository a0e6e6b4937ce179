import { request as send } from 'node:http';
import { LaterWork } from '@twinyard/auth';
import { conflict, unavailable } from '@twinyard/conventions';
import { DocumentStore } from '@twinyard/documents';
import { JobStore } from '@twinyard/jobs';
import { eventually } from '@twinyard/testing';
import { ImportsRepository } from '../src/imports/imports.repository';
import { ImportsSweep } from '../src/imports/imports-sweep';
import { CollectionWrites } from '../src/relateditems/collection-writes';
import { IMPORTS, IMPORT_CHUNKS } from '../src/storage/collections';
import { ItemService, type Json, NS, OTHER_NS } from './item-service';
import { imported, upload } from './transfers';

const ID = (n: number) => n.toString(16).padStart(24, '0');
const lines = (rows: readonly unknown[]) => rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n');

describe('imports of related items', () => {
  let items: ItemService;
  let item: Json;
  beforeAll(async () => { items = await ItemService.start({ IMPORT_MAX_BYTES: '20000000' }); });
  afterAll(() => items.stop());
  beforeEach(async () => { item = await items.item('NamedUserCollection'); });

  const path = (of: Json = item) => `nameduseritems/${of._id}/relateditems/import`;
  const rows = async (of: Json = item, query: Json = {}) => (await items.get(`nameduseritems/${of._id}/relateditems`, { query: { query, _pageSize: '5000' } })).body._list as Json[];
  const store = () => items.part(DocumentStore);
  /** Imports and chunks of files that are kept. */
  const kept = async () => [await store().count(IMPORTS, {}), (await items.mentioning('spooled-text')).includes(`doc_${IMPORT_CHUNKS.name}`)];
  const written = async (of: Json = item) => (await items.eventsOf(of._id)).filter(({ type }) => type === 'itemsvc.RelatedItems');

  it('makes all rows of a file in one event, in their order, with progress to the end, and keeps nothing of the file', async () => {
    const end = await imported(items, item, lines(Array.from({ length: 7_001 }, (_, n) => ({ _id: ID(n), n, text: 'ä'.repeat(50) }))));
    expect(end).toMatchObject({ _status: 'COMPLETED', _progress: { _done: 7_001, _total: 7_001 }, _response: { _status: 200, _body: { _created: 7_001, _refused: [] } } });
    expect((await rows()).map(({ n }) => n)).toEqual(Array.from({ length: 5_000 }, (_, n) => n));
    expect(await written()).toEqual([expect.objectContaining({ changed: 7_001, _relatedItemsCount: 7_001 })]);
    expect((await written())[0]).not.toHaveProperty('ids');
    await eventually(async () => expect(await kept()).toEqual([0, false]));
  });

  it('keeps a file whose request may have been accepted, until nobody can be at it; not one that was refused', async () => {
    const accept = jest.spyOn(items.part(LaterWork), 'accept');
    await eventually(async () => expect(await store().count(IMPORTS, {})).toBe(0));
    try {
      for (const [error, left] of [[conflict('Refused'), 0], [unavailable('The connection is lost'), 1]] as const) {
        accept.mockRejectedValueOnce(error);
        expect((await upload(items, path(), lines([{ n: 1 }]))).status).toBe(error.status);
        expect(await store().count(IMPORTS, {})).toBe(left);
      }
    } finally {
      accept.mockRestore();
    }
    await items.part(ImportsSweep).sweep(Date.now() + 3_700_000);
    expect(await store().count(IMPORTS, {})).toBe(0);
  });

  it('makes none of a file with bad rows, and names these', async () => {
    await items.related(item, [{ _id: ID(1), there: 'with other content' }]);
    const bad = ['{"_id":"x"}', 'no json', '[]', '{"$a":1}', '{"_relationships":[{"_relatedUserItemDbId":"nowhere","_relatedToIds":["a"]}]}'];
    const end = await imported(items, item, lines([{ good: 1 }, ...bad, ...Array.from({ length: 2_500 }, (_, n) => ({ n })), '{"late":', { _id: ID(1) }]));
    expect([end._status, end._response._status, end._response._body.message]).toEqual(['FAILED', 400, expect.stringContaining('nothing is written')]);
    expect([end._response._body._created, end._response._body._refused.map(({ _line }: Json) => _line)]).toEqual([0, [2, 3, 4, 5, 2_507]]);
    const again = await imported(items, item, lines([{ good: 1 }, bad[4], { _id: ID(1) }]));
    expect(again._response._body._refused).toEqual([{ _line: 2, _reason: expect.stringContaining('there is no collection "nowhere"') }]);
    const conflict = await imported(items, item, lines([{ good: 1 }, { _id: ID(1) }]));
    expect(conflict._response._body._refused).toEqual([{ _line: 2, _reason: expect.stringContaining('other content') }]);
    expect([await items.total(item), (await written()).length]).toEqual([1, 1]);
  });

  it('makes the good rows in mode=rows, whatever the others fail of, and says of each why', async () => {
    await items.post(`nameduseritems/${item._id}/indexes`, [{ key: { code: 1 }, options: { name: 'code', unique: true } }]);
    await items.related(item, [{ _id: ID(1), code: 'taken' }]);
    const file = [{ code: 'a' }, 'no json', { code: 'taken' }, { _id: ID(1), code: 'taken' }, { _id: ID(1), code: 'other' }, { $x: 1, code: 'x' }, { code: 'a' }, { _id: ID(2), code: 'b' }, { _id: ID(2), code: 'b' }, { _id: ID(2), code: 'c' }, { code: 'z' }];
    const end = await imported(items, item, `\uFEFF${lines(file)}`, { query: { mode: 'rows' } });
    expect([end._status, end._response._status, end._progress]).toEqual(['COMPLETED', 200, { _done: 11, _total: 11 }]);
    expect(end._response._body._created).toBe(5);
    expect(end._response._body._refused.map(({ _line }: Json) => _line)).toEqual([2, 3, 5, 6, 7, 10]);
    expect(end._response._body._refused.map(({ _reason }: Json) => /other content|unique|JSON|\$/.test(_reason as string))).toEqual(Array(6).fill(true));
    expect((await rows()).map(({ code }) => code).sort()).toEqual(['a', 'b', 'taken', 'z']);
    expect((await written()).at(-1)).toMatchObject({ _relatedItemsCount: 4 });
  });

  it('names at most a thousand refused rows, and counts the others', async () => {
    const { _response: { _body } } = await imported(items, item, 'x\n'.repeat(2_345), { query: { mode: 'rows' } });
    expect([_body._created, _body._refused.length, _body._refused[999]._line, _body._refusedMore]).toEqual([0, 1_000, 1_000, 1_345]);
  });

  it('reads CSV, and refuses a broken header as a whole', async () => {
    const end = await imported(items, item, '_id,name,size.x\r\n000000000000000000000001,"a ""b""",1.5\r\n,c,\r\n,d\r\n', { query: { format: 'csv', mode: 'rows' } });
    expect(end._response._body).toEqual({ _created: 2, _refused: [{ _line: 4, _reason: 'has 2 cells where the header has 3' }] });
    expect(end._progress).toEqual({ _done: 3, _total: 3 });
    expect((await rows()).map(({ _id, name, size }) => [_id, name, size])).toEqual([[ID(1), 'a "b"', { x: 1.5 }], [expect.any(String), 'c', undefined]]);
    const broken = await imported(items, item, 'a,a\n1,2\n', { query: { format: 'csv' } });
    expect([broken._status, broken._response._status, broken._response._body.message]).toEqual(['FAILED', 400, 'header: "a" stands twice']);
    await eventually(async () => expect(await kept()).toEqual([0, false]));
  });

  it('says why a file was refused also where its worker dies right behind that: another would have no file any more', async () => {
    let goOn: () => void = () => undefined;
    const remove = jest.spyOn(items.part(ImportsRepository), 'remove').mockImplementationOnce(() => new Promise((resolve) => (goOn = resolve)));
    try {
      const broken = await imported(items, item, 'a,a\n1,2\n', { query: { format: 'csv' } });
      expect([broken._status, broken._response._status, broken._response._body]).toEqual(['FAILED', 400, expect.objectContaining({ message: 'header: "a" stands twice' })]);
      expect(remove).toHaveBeenCalledTimes(1);
    } finally {
      goOn();
      remove.mockRestore();
    }
    expect(await store().count(IMPORTS, {})).toBe(1);
    await items.part(ImportsSweep).sweep(Date.now() + 3_700_000);
    expect(await kept()).toEqual([0, false]);
  });

  it('leaves out what programs write where there is no value, or what the sender says stands for it', async () => {
    const text = 'name,supply,ret\nNaN,N/A,1\nx,-,null\n?,NA,2\n';
    await imported(items, item, text, { query: { format: 'csv' } });
    const shown = async () => (await rows()).map(({ name, supply, ret }) => ({ name, supply, ret }));
    expect(await shown()).toEqual([{ ret: 1 }, { name: 'x', ret: null }, { name: '?', ret: 2 }]);
    await imported(items, item, text, { query: { format: 'csv', missingValues: '["?"]' } });
    expect((await shown()).slice(3)).toEqual([{ name: 'NaN', supply: 'N/A', ret: 1 }, { name: 'x', supply: '-', ret: null }, { supply: 'NA', ret: 2 }]);
  });

  it('makes relations of rows to what is there and to rows above them, and locks where they lead', async () => {
    const doors = await items.item('NamedUserCollection');
    const [door] = await items.related(doors, [{ name: 'door' }]);
    const to = (other: Json, id: string) => ({ _relationships: [{ _relatedUserItemDbId: other._id, _relatedToIds: [id] }] });
    for (const mode of ['all', 'rows']) {
      const walls = await items.item('NamedUserCollection');
      const end = await imported(items, walls, lines([{ _id: ID(1), ...to(doors, door?._id as string) }, { _id: ID(2), ...to(walls, ID(1)) }]), { query: { mode } });
      expect(end._response._body).toEqual({ _created: 2, _refused: [] });
      expect((await items.get(`nameduseritems/${walls._id}/relationships`)).body._list.map(({ _relatedToIds }: Json) => _relatedToIds[0]).sort()).toEqual([ID(1), door?._id].sort());
    }
  });

  it('goes on behind the last batch after an outage, and does no row twice', async () => {
    const writes = items.part(CollectionWrites);
    const real = writes.run.bind(writes);
    const begun: number[] = [];
    // Before a batch and, worse, behind it: it is written, and nobody hears of it.
    writes.run = (async (...args: Parameters<typeof real>) => {
      const call = begun.push(Date.now());
      if (call === 2) throw unavailable('the store is away');
      const answer = await real(...args);
      if (call === 4) throw unavailable('the answer is lost');
      return answer;
    }) as typeof real;
    try {
      const end = await imported(items, item, lines(Array.from({ length: 9_000 }, (_, n) => ({ n }))), { query: { mode: 'rows' } });
      expect([end._response._body, end._progress]).toEqual([{ _created: 9_000, _refused: [] }, { _done: 9_000, _total: 9_000 }]);
    } finally {
      writes.run = real;
    }
    expect([await items.total(item), begun.length]).toEqual([9_000, 6]);
    expect((await written()).map(({ changed }) => changed)).toEqual([2_000, 2_000, 2_000, 2_000, 1_000]);
  });

  it('writes no batch for a worker whose request another has taken over, which goes on behind the last one', async () => {
    const hold = jest.spyOn(items.part(JobStore), 'hold').mockResolvedValueOnce(true).mockResolvedValueOnce(false);
    try {
      const end = await imported(items, item, lines(Array.from({ length: 5_000 }, (_, n) => ({ n }))), { query: { mode: 'rows' } });
      expect(end._response._body).toEqual({ _created: 5_000, _refused: [] });
      // The second batch by both.
      expect(hold).toHaveBeenCalledTimes(4);
    } finally {
      hold.mockRestore();
    }
    expect([await items.total(item), (await written()).map(({ changed }) => changed)]).toEqual([5_000, [2_000, 2_000, 1_000]]);
  });

  it('leaves nothing of an upload that is cut off, also when its process ends with it', async () => {
    const { url, token } = await items.address(path());
    const request = send(url, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
    request.on('error', () => undefined);
    request.write(`${JSON.stringify({ text: 'spooled-text'.repeat(200_000) })}\n`);
    await eventually(async () => expect(await kept()).toEqual([1, expect.anything()]));
    request.destroy();
    await eventually(async () => expect(await kept()).toEqual([0, false]));
    expect(await items.total(item)).toBe(0);
    // More than the sweep looks at at a time.
    const left = Array.from({ length: 101 }, (_, n) => ({ _id: `left ${n}`, _namespaces: [NS], isWhole: false, touchedAt: n, checkpoint: {} }));
    await store().transaction((tx) => store().insertMany(tx, IMPORTS, [...left, { ...left[0], _id: 'fresh', touchedAt: Date.now() }]));
    await items.part(ImportsSweep).sweep(Date.now());
    expect((await store().find(IMPORTS, { limit: 5 })).map(({ _id }) => _id)).toEqual(['fresh']);
    await store().transaction((tx) => store().deleteMany(tx, IMPORTS, {}));
  });

  it('keeps nothing plain of a file for a collection that encrypts, nor of what it is answered', async () => {
    const secrets = await items.item('NamedUserCollection', { _encryptionEnabled: true });
    const plain = () => items.mentioning(Buffer.from('a pin of 4711').toString('base64').slice(0, 12));
    expect((await imported(items, secrets, lines([{ '.pin': 'a pin of 4711' }, { '.pin': 2 }])))._response._body._created).toBe(2);
    expect([await plain(), await items.mentioning('a pin of 4711')]).toEqual([[], []]);
    expect((await rows(secrets)).map((row) => row['.pin'])).toEqual(['a pin of 4711', 2]);
  });

  it('refuses at once what is no file of rows', async () => {
    const status = async (...args: [Parameters<typeof upload>[2], Parameters<typeof upload>[3]?]) => (await upload(items, path(), ...args)).status;
    expect(await status('{}', { query: { format: 'xml' } })).toBe(400);
    expect(await status('{}', { query: { mode: 'some' } })).toBe(400);
    expect(await status('{}', { query: { userItemVersionId: ID(7) } })).toBe(404);
    expect(await status(Buffer.from([0x7b, 0xff, 0x7d]))).toBe(400);
    expect(await status('{}', { headers: { 'content-encoding': 'gzip' } })).toBe(415);
    expect(await status(Buffer.alloc(21_000_000, 'x'))).toBe(413);
    const form = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nn\n1\n\r\n--x--';
    expect(await status(form, { query: { format: 'csv', mode: 'rows' }, headers: { 'content-type': 'multipart/form-data; boundary=x' } })).toBe(415);
    expect(await status('{}', { headers: { 'content-type': 'application/json' } })).toBe(202);
    expect((await items.post(path(await items.item('UserConfig', { _version: { _userData: {} } })), undefined)).status).toBe(400);
    expect((await imported(items, item, ''))._response._body).toEqual({ _created: 0, _refused: [] });
  });

  it('is for those who may add items there, and asks again when it is done', async () => {
    const status = async (as: string, nsfilter = NS) => (await upload(items, path(), '{"n":1}', { as, nsfilter })).status;
    await items.passport.grant('reader', NS, ['READ']);
    await items.passport.grant('adder', NS, ['CREATE'], `itemsvc:nameduseritem:${item._id}`);
    expect([await status('reader'), await status('mallory', OTHER_NS), await status('mallory')]).toEqual([403, 404, 404]);
    expect((await items.call('post', path(), { as: '' })).status).toBe(401);
    const end = await imported(items, item, '{"n":1}', { as: 'adder' });
    expect(end._response._body._created).toBe(1);
  });

  it('answers a repetition under the same key with the first request, and another file of it with 422', async () => {
    const headers = { 'idempotency-key': 'one import' };
    const [first, second] = [await upload(items, path(), '{"n":1}', { headers }), await upload(items, path(), '{"n":1}', { headers })];
    expect([second.status, second.headers['location']]).toEqual([202, first.headers['location']]);
    for (const other of ['{"n":2}', '{"n":12}', '']) expect((await upload(items, path(), other, { headers })).status).toBe(422);
    await items.finished(first);
    expect(await items.total(item)).toBe(1);
  });
});
