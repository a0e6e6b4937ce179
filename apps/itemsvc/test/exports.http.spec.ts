import { get as fetchFrom, type Server } from 'node:http';
import { once } from 'node:events';
import { HttpAdapterHost } from '@nestjs/core';
import { DocumentStore } from '@twinyard/documents';
import { eventually } from '@twinyard/testing';
import fc from 'fast-check';
import { ItemService, type Json, NS } from './item-service';
import { exported, imported } from './transfers';

const ID = (n: number) => n.toString(16).padStart(24, '0');
const parsed = (text: string): Json[] => text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Json);

describe('exports', () => {
  let items: ItemService;
  let item: Json;
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());
  beforeEach(async () => { item = await items.item('NamedUserCollection'); });

  it('give all that matches in order, as NDJSON and as CSV, under a name', async () => {
    await items.related(item, Array.from({ length: 7_000 }, (_, n) => ({ _id: ID(n), n, even: n % 2 === 0, text: n === 0 ? '=1+1, "x"' : 'y' })));
    const all = await exported(items, item, { project: { n: 1, _id: 0 } });
    expect(all.headers).toMatchObject({ 'content-type': 'application/x-ndjson; charset=utf-8', 'content-disposition': `attachment; filename="${item._userItemId}-v1-relateditems.ndjson"` });
    expect(parsed(all.text)).toEqual(Array.from({ length: 7_000 }, (_, n) => ({ n })));
    const csv = await exported(items, item, { format: 'csv', query: { even: true, n: { $lt: 4 } }, sort: { n: -1 }, project: { n: 1, text: 1 } });
    expect([csv.headers['content-type'], csv.headers['content-disposition']]).toEqual(['text/csv; charset=utf-8; header=present', expect.stringMatching(/-v1-relateditems\.csv"$/)]);
    expect(csv.text).toBe(`_id,n,text\n${ID(2)},2,y\n${ID(0)},0,"""=1+1, \\""x\\"""""\n`);
  });

  it('give whole rows as they are listed, however many pieces they come in', async () => {
    await items.related(item, Array.from({ length: 1_200 }, (_, n) => ({ _id: ID(n), n, text: (n % 3 ? 'x' : 'ä').repeat(n === 700 ? 1_200_000 : 2_000) })));
    const rows = parsed((await exported(items, item)).text);
    expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 1_200 }, (_, n) => n));
    expect(rows[700]).toEqual((await items.get(`nameduseritems/${item._id}/relateditems/${ID(700)}`)).body);
    expect(parsed((await exported(items, item, { query: { n: { $gte: 699 } }, sort: { n: -1 } })).text)).toEqual(rows.slice(699).reverse());
  });

  it('answer faults with a status before anything is out', async () => {
    const status = async (query: Json, as = 'alice') => (await exported(items, item, query, { as })).status;
    expect(await status({ query: { $where: '1' } })).toBe(400);
    expect(await status({ query: '{' })).toBe(400);
    expect(await status({ format: 'xls' })).toBe(400);
    expect(await status({ userItemVersionId: ID(9) })).toBe(404);
    expect([await status({}, 'mallory'), await status({}, '')]).toEqual([404, 401]);
    expect([(await exported(items, item)).text, (await exported(items, item, { format: 'csv' })).text]).toEqual(['', '']);
    await Promise.all(Array.from({ length: 30 }, () => status({ query: { $where: '1' } })));
    expect(await status({})).toBe(200);
  });

  it('hold only what their reader may see', async () => {
    await items.related(item, [{ floor: 1, n: 1 }, { floor: 2, n: 2 }]);
    await items.passport.grant('tenant', NS, ['READ'], `itemsvc:nameduseritem:${item._id}`, { subresource: { _type: 'relateditem', _criteria: { floor: 1 } } });
    expect(parsed((await exported(items, item, {}, { as: 'tenant' })).text).map(({ n }) => n)).toEqual([1]);
    expect((await exported(items, item, { format: 'csv', project: { n: 1, _id: 0 } }, { as: 'tenant' })).text).toBe('n\n1\n');
  });

  it('give an older version when it is named, and open what is encrypted', async () => {
    const secrets = await items.item('NamedUserCollection', { _encryptionEnabled: true });
    await items.related(secrets, [{ '.pin': 1234, name: 'a' }]);
    await items.post(`nameduseritems/${secrets._id}/versions`, {});
    const old = { userItemVersionId: secrets._tipId as string };
    expect((await exported(items, secrets)).text).toBe('');
    expect(parsed((await exported(items, secrets, { ...old, project: { '.pin': 1, _id: 0 } })).text)).toEqual([{ '.pin': 1234 }]);
    expect((await exported(items, secrets, { ...old, format: 'csv', project: { '.pin': 1, name: 1, _id: 0 } })).text).toBe('.pin,name\n1234,a\n');
    expect((await exported(items, secrets, { ...old, query: { '.pin': 1234 } })).status).toBe(400);
  });

  it('give back what an import of them makes the same again, whatever the documents are', async () => {
    const name = fc.constantFrom('a', 'b c', 'ä.ö', '.s', 'x/(y)', '=f', '"q"', '0');
    const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constantFrom('', '5', '=1', 'null', '1e5', 'a\r\nb', '[1]')).filter((one) => one.isWellFormed() && !one.includes('\0'));
    const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, text, fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0), fc.integer(), fc.boolean(), fc.constant(null), fc.array(tie('value'), { maxLength: 3 }), fc.dictionary(name, tie('value'), { maxKeys: 3 })),
    })).value;
    const some = fc.sample(fc.dictionary(name, value, { maxKeys: 6 }), Number(process.env['ROW_RUNS'] ?? 300)).map((one, n): Json => ({ ...one, _id: ID(n) }));
    await items.related(item, some);
    const plain = (rows: readonly Json[]) => rows.map(({ _metadata, ...row }) => row);
    const before = plain(parsed((await exported(items, item)).text));
    for (const format of ['ndjson', 'csv']) {
      const copy = await items.item('NamedUserCollection');
      const file = (await exported(items, item, { format })).text;
      expect((await imported(items, copy, file, { query: { format } }))._response._body).toEqual({ _created: some.length, _refused: [] });
      expect(plain(parsed((await exported(items, copy)).text))).toEqual(before);
    }
  });

  it('end their query when the reader goes away, and cut the connection when the store fails on the way', async () => {
    await items.related(item, Array.from({ length: 900 }, (_, n) => ({ n, text: 'x'.repeat(10_000) })));
    for (let round = 0; round < 12; round += 1) {
      const { url, token } = await items.address(`nameduseritems/${item._id}/relateditems/export`, { query: round % 2 ? { format: 'csv' } : {} });
      const request = fetchFrom(url, { headers: { authorization: `Bearer ${token}` } });
      const [response] = await eventually(() => once(request, 'response') as Promise<[NodeJS.ReadableStream & { statusCode: number }]>);
      expect(response.statusCode).toBe(200);
      request.destroy();
      await eventually(async () => expect((await exported(items, item, { query: { n: 1 } })).status).toBe(200));
    }
    const store = items.part(DocumentStore);
    const real = store.snapshot.bind(store);
    store.snapshot = async () => {
      const snapshot = await real();
      const documentTexts = snapshot.documentTexts.bind(snapshot);
      return Object.assign(snapshot, {
        async *documentTexts(...args: Parameters<typeof documentTexts>) {
          let parts = 0;
          for await (const part of documentTexts(...args)) {
            if ((parts += 1) > 1) throw new Error('the store fails');
            yield part;
          }
        },
      });
    };
    await expect(exported(items, item)).rejects.toThrow(/aborted|hang up|ECONNRESET/);
    store.snapshot = real;
    expect((await exported(items, item, { project: { n: 1 } })).status).toBe(200);
  });

  it('wait for a store that is slow, though for a reader no longer than is said', async () => {
    await items.related(item, [{ n: 1 }, { n: 2 }, { n: 3 }]);
    const impatient = await items.twin({ EXPORT_STALL_SECONDS: '1' });
    try {
      const store = impatient.part(DocumentStore);
      const real = store.snapshot.bind(store);
      let goOn: () => void = () => undefined;
      const door = new Promise<void>((resolve) => (goOn = resolve));
      store.snapshot = async () => {
        const snapshot = await real();
        const documentTexts = snapshot.documentTexts.bind(snapshot);
        return Object.assign(snapshot, {
          async *documentTexts(...args: Parameters<typeof documentTexts>) {
            for await (const part of documentTexts(...args)) {
              for (const row of part) {
                yield [row];
                await door;
              }
            }
          },
        });
      };
      const server = impatient.part(HttpAdapterHost).httpAdapter.getHttpServer() as Server;
      const timedOut = new Promise<void>((resolve) => server.once('connection', (socket) => socket.once('timeout', () => resolve())));
      const file = exported(impatient, item);
      file.catch(() => undefined);
      await timedOut;
      goOn();
      expect(parsed((await file).text).map(({ n }) => n)).toEqual([1, 2, 3]);
    } finally {
      await impatient.leave();
    }
  });

  it('and imports do the same for readings', async () => {
    const at = (n: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + n * 60_000).toISOString();
    const sensors = await items.item('NamedTelemetryCollection');
    const [sensor] = await items.related(sensors, [{ _sourceId: '0815' }]);
    const source = { _telItemId: sensor?._id, _sourceId: '0815' };
    const rows = Array.from({ length: 2_500 }, (_, n) => ({ _ts: at(n), _tsMetadata: source, value: n / 8, state: n % 2 ? 'on' : '5' }));
    const bad = [{ ...rows[0], _ts: 'yesterday' }, { ...rows[0], _tsMetadata: { ...source, _telItemId: ID(5) } }];
    const file = [...bad, ...rows].map((row) => JSON.stringify(row)).join('\n');
    const none = await imported(items, sensors, file, { readings: true });
    expect([none._response._status, none._response._body._refused.map(({ _line }: Json) => _line)]).toEqual([400, [1]]);
    const end = await imported(items, sensors, file, { readings: true, query: { mode: 'rows' } });
    expect([end._progress, end._response._body._created, end._response._body._refused.map(({ _line }: Json) => _line)]).toEqual([{ _done: 2_502, _total: 2_502 }, 2_500, [1, 2]]);
    for (const format of ['ndjson', 'csv']) {
      const text = (await exported(items, sensors, { format }, { readings: true })).text;
      const copy = await items.item('NamedTelemetryCollection');
      await items.related(copy, [{ _id: sensor?._id, _sourceId: '0815' }]);
      expect((await imported(items, copy, text, { readings: true, query: { format } }))._response._body._created).toBe(2_500);
      const { body } = await items.get(`nameduseritems/${copy._id}/relateditems/readings`, { query: { _pageSize: '5000' } });
      expect(body._list).toEqual(rows);
      expect((await items.eventsOf(copy._id)).at(-1)).toMatchObject({ type: 'itemsvc.Readings', changed: 2_500, _readingsCount: 2_500 });
    }
    const late = await exported(items, sensors, { query: { _ts: { $gte: at(2_499) } }, project: { value: 1, _id: 0 } }, { readings: true });
    expect(parsed(late.text)).toEqual([{ value: 2_499 / 8 }]);
    expect((await exported(items, item, {}, { readings: true })).status).toBe(400);
  });
});
