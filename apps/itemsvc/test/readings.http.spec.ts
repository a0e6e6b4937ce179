import { eventually } from '@twinyard/testing';
import { lifetimeMs } from '../src/readings/reading-expiry';
import { relatedItemsOf } from '../src/storage/collections';
import { ItemService, type Json } from './item-service';
import { imported } from './transfers';

const START = Date.parse('2026-01-01T00:00:00Z');
const HOUR = 3_600_000;

describe('readings', () => {
  let items: ItemService;
  let sensors: Json;
  let sensor: Json[];
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());
  beforeEach(async () => {
    sensors = await items.item('NamedTelemetryCollection');
    sensor = await items.related(sensors, [{ _sourceId: 's1' }, { _sourceId: 's2' }]);
  });

  const path = (rest = '') => `nameduseritems/${sensors._id}/relateditems/readings${rest}`;
  const at = (hours: number) => new Date(START + hours * HOUR).toISOString();
  const reading = (n: number, hours: number, value: number): Json => ({ _ts: at(hours), _tsMetadata: { _telItemId: sensor[n]?._id, _sourceId: `s${n + 1}` }, temperature: value });
  const list = async (query: Json = {}) => (await items.get(path(), { query })).body;

  it('takes 7,267 readings in batches, and a batch sent twice changes nothing', async () => {
    const all = Array.from({ length: 7_267 }, (_, n) => reading(0, n, n % 24));
    for (const batch of [all.slice(0, 5_000), all.slice(5_000), all.slice(0, 5_000)]) expect((await items.post(path(), batch)).status).toBe(204);
    expect(await list({ _pageSize: '0' })).toMatchObject({ _total: 7_267, _list: [] });
    expect(await list({ _pageSize: '5000', page: { _offset: 5_000, _pageSize: 5_000 } })).toMatchObject({ _total: 7_267, _list: { length: 2_267 } });
    const events = (await items.eventsOf(sensors._id)).filter(({ type }) => type === 'itemsvc.Readings');
    const bytes = events[1]?._timeSeriesSize as number;
    expect(events.map(({ changed, _readingsCount, _timeSeriesSize }) => [changed, _readingsCount, _timeSeriesSize])).toEqual([
      [5_000, 5_000, events[0]?._timeSeriesSize], [2_267, 7_267, bytes], [5_000, 7_267, bytes],
    ]);
    const daily = await items.post(path('/aggregate'), [
      { $match: { _ts: { $gte: at(0), $lt: at(48) } } },
      { $group: { _id: { $dateTrunc: { date: '$_ts', unit: 'day' } }, mean: { $avg: '$temperature' }, min: { $min: '$temperature' }, max: { $max: '$temperature' } } },
      { $sort: { _id: 1 } },
    ]);
    expect([daily.status, daily.body]).toEqual([200, { _list: [{ _id: at(0), mean: 11.5, min: 0, max: 23 }, { _id: at(24), mean: 11.5, min: 0, max: 23 }] }]);
  });

  it('replaces what an item has at an instant, merges into it, or keeps it, and says how many', async () => {
    const send = async (onConflict: string | undefined, ...some: Json[]) => {
      const { status, body } = await items.post(path(), some, { query: { ...(onConflict && { onConflict }) } });
      return [status, body];
    };
    const stored = async () => (await list({ sort: { _ts: 1 } }))._list.map(({ _ts, _tsMetadata, ...fields }: Json) => fields);
    const air = (hours: number, fields: Json): Json => ({ _ts: at(hours), _tsMetadata: { _telItemId: sensor[0]?._id, _sourceId: 's1' }, ...fields });
    expect(await send('replace', air(0, { t: 1, AHU1: { supply: 20 } }), air(1, { t: 2 }))).toEqual([200, { _new: 2, _replaced: 0, _merged: 0, _kept: 0 }]);
    expect(await send('merge', air(0, { h: 40, AHU1: { return: 18 } }), air(2, { t: 3 }), { ...air(0, { h: 41 }), _ts: '2026-01-01T01:00:00+01:00' })).toEqual([200, { _new: 1, _replaced: 0, _merged: 1, _kept: 0 }]);
    expect(await stored()).toEqual([{ t: 1, h: 41, AHU1: { supply: 20, return: 18 } }, { t: 2 }, { t: 3 }]);
    const before = (await items.eventsOf(sensors._id)).length;
    expect(await send('keep', air(0, { t: 9 }), air(1, { t: 9 }))).toEqual([200, { _new: 0, _replaced: 0, _merged: 0, _kept: 2 }]);
    expect((await items.eventsOf(sensors._id)).length).toBe(before);
    expect(await send('keep', air(1, { t: 9 }), air(3, { t: 4 }))).toEqual([200, { _new: 1, _replaced: 0, _merged: 0, _kept: 1 }]);
    expect(await send('replace', air(0, { t: 5 }), air(4, { t: 5 }))).toEqual([200, { _new: 1, _replaced: 1, _merged: 0, _kept: 0 }]);
    expect(await stored()).toEqual([{ t: 5 }, { t: 2 }, { t: 3 }, { t: 4 }, { t: 5 }]);
    const { _readingsCount, _timeSeriesSize } = (await items.eventsOf(sensors._id)).filter(({ type }) => type === 'itemsvc.Readings').at(-1) as Json;
    const weight = (await list())._list.reduce((sum: number, one: Json) => sum + Buffer.byteLength(JSON.stringify(one)), 0);
    expect([_readingsCount, _timeSeriesSize]).toEqual([5, weight]);
    expect((await send('guess', air(0, {})))[0]).toBe(400);
    expect(await send(undefined, air(0, { t: 6 }))).toEqual([204, {}]);
  });

  it('merges the files of two programs that measure the same instants', async () => {
    const rows = (header: string, ...cells: string[]) => `_ts;_tsMetadata._telItemId;_tsMetadata._sourceId;${header}\r${cells.map((cell, n) => `${at(n)};${sensor[0]?._id};s1;${cell}\r`).join('')}`;
    expect((await imported(items, sensors, rows('AHU1.supply', '21,5', 'NaN'), { readings: true, query: { format: 'csv', decimalSeparator: ',' } }))._status).toBe('COMPLETED');
    expect((await imported(items, sensors, rows('AHU1.return', '18,25', '18'), { readings: true, query: { format: 'csv', decimalSeparator: ',', onConflict: 'merge' } }))._status).toBe('COMPLETED');
    expect((await list({ sort: { _ts: 1 } }))._list.map(({ AHU1 }: Json) => AHU1)).toEqual([{ supply: 21.5, return: 18.25 }, { return: 18 }]);
  });

  it('reads ranges by instant, whatever the form of the time, and by measurement', async () => {
    await items.post(path(), [0, 1, 2, 3].map((n) => reading(0, n, n)).concat(reading(1, 1, 10)));
    const zoned = { ...reading(1, 0, 20), _ts: '2026-01-01T12:00:00+02:00' };
    await items.post(path(), [zoned]);
    expect((await list({ query: { '_tsMetadata._sourceId': 's2', temperature: 20 } }))._list[0]._ts).toBe('2026-01-01T10:00:00.000Z');
    const range = { _ts: { $gte: '2026-01-01T01:00:00Z', $lte: '2026-01-01T04:00:00+02:00' }, '_tsMetadata._telItemId': sensor[0]?._id };
    expect((await list({ query: range, sort: { _ts: -1 }, project: { _ts: 1, temperature: 1, _id: 0 } }))._list).toEqual([{ _ts: at(2), temperature: 2 }, { _ts: at(1), temperature: 1 }]);
    await items.post(path(), [reading(0, 3, 99)]);
    expect((await list({ query: { '_tsMetadata._telItemId': sensor[0]?._id, temperature: { $gt: 50 } } }))._total).toBe(1);
    expect((await list())._total).toBe(6);
  });

  it('aggregates by the days of a zone, of which some have 23 hours', async () => {
    const from = Date.parse('2026-03-27T23:00:00Z');
    await items.post(path(), Array.from({ length: 72 }, (_, hour) => ({ ...reading(0, 0, hour), _ts: new Date(from + hour * HOUR).toISOString() })));
    const day = { $dateTrunc: { date: '$_ts', unit: 'day', timezone: 'Europe/Berlin' } };
    const { body } = await items.post(path('/aggregate'), [{ $group: { _id: day, n: { $count: {} }, max: { $max: '$temperature' } } }, { $sort: { _id: 1 } }]);
    expect(body._list).toEqual([
      { _id: '2026-03-27T23:00:00.000Z', n: 24, max: 23 }, { _id: '2026-03-28T23:00:00.000Z', n: 23, max: 46 }, { _id: '2026-03-29T22:00:00.000Z', n: 24, max: 70 }, { _id: '2026-03-30T22:00:00.000Z', n: 1, max: 71 },
    ]);
    expect((await items.post(path('/aggregate'), [{ $group: { _id: { $dateTrunc: { date: '$_ts', unit: 'day', timezone: 'Mars/Base' } } } }])).body.message).toBe('There is no timezone "Mars/Base"');
  });

  it('aggregates values whose sum no number holds: it is infinite, which JSON says as null', async () => {
    await items.post(path(), [reading(0, 0, 1e308), reading(0, 1, 1e308), reading(1, 0, 2)]);
    const group = { _id: '$_tsMetadata._sourceId', sum: { $sum: '$temperature' }, spread: { $stdDevPop: '$temperature' }, max: { $max: '$temperature' } };
    const { status, body } = await items.post(path('/aggregate'), [{ $group: group }, { $sort: { _id: 1 } }]);
    expect([status, body._list]).toEqual([200, [{ _id: 's1', sum: null, spread: 0, max: 1e308 }, { _id: 's2', sum: 2, spread: 0, max: 2 }]]);
  });

  it('names each bad reading and stores none of the batch', async () => {
    const { status, body } = await items.post(path(), [
      reading(0, 0, 1), { ...reading(0, 1, 1), _ts: 'yesterday' }, { ...reading(0, 1, 1), _ts: '2026-02-30T00:00:00Z' }, { _ts: at(1) }, 5, { ...reading(0, 1, 1), $x: 1 },
    ]);
    expect([status, body.details.map(({ field }: Json) => field)]).toEqual([400, [
      '[1]._ts', '[2]._ts', '[3]._tsMetadata._telItemId', '[3]._tsMetadata._sourceId', '[4]', '[5].$x',
    ]]);
    const unknown = await items.post(path(), [
      reading(0, 0, 1), { ...reading(0, 1, 1), _tsMetadata: { _telItemId: sensors._id, _sourceId: 's1' } }, { ...reading(0, 1, 1), _tsMetadata: { _telItemId: sensor[0]?._id, _sourceId: 's2' } },
    ]);
    expect([unknown.status, unknown.body.details.map(({ field }: Json) => field)]).toEqual([400, ['[1]._tsMetadata._telItemId', '[2]._tsMetadata._sourceId']]);
    const both = await items.post(path(), [{ ...reading(0, 0, 1), _ts: 'soon' }, reading(0, 1, 1), { ...reading(0, 1, 1), _tsMetadata: { _telItemId: sensors._id, _sourceId: 's1' } }]);
    expect([both.status, both.body.details.map(({ field }: Json) => field)]).toEqual([400, ['[0]._ts', '[2]._tsMetadata._telItemId']]);
    expect((await list())._total).toBe(0);
    expect((await items.post(path(), {})).status).toBe(400);
    expect((await items.post(path('/aggregate'), [{ $out: 'x' }])).status).toBe(400);
    expect((await items.post(path('/aggregate'), {})).status).toBe(400);
  });

  it('holds names and depth of what was measured to the rules of related items', async () => {
    const deep: unknown = JSON.parse(`${'['.repeat(120)}${']'.repeat(120)}`);
    const bad = [{ a: { $b: 1 } }, { list: [{ constructor: 1 }] }, { prototype: 1 }, { deep }];
    const { status, body } = await items.post(path(), [reading(0, 0, 1), ...bad.map((more) => ({ ...reading(0, 1, 1), ...more }))]);
    expect([status, body.details?.map(({ field }: Json) => (field as string).slice(0, 21))]).toEqual([400, ['[1].a.$b', '[2].list[0].construct', '[3].prototype', '[4].deep[0][0][0][0][']]);
    expect((await list())._total).toBe(0);
  });

  it('removes the readings of items that are deleted, and counts them away', async () => {
    await items.post(path(), [reading(0, 0, 1), reading(0, 1, 1), reading(1, 0, 1)]);
    await items.delete(`nameduseritems/${sensors._id}/relateditems/${sensor[0]?._id}`);
    expect((await list())._total).toBe(1);
    expect((await items.eventsOf(sensors._id)).filter(({ type }) => type === 'itemsvc.Readings').at(-1)).toMatchObject({ changed: 2, _readingsCount: 1 });
    expect(await items.readingsIn(relatedItemsOf(sensors._id, sensors._tipId))).toBe(1);
    await items.delete(`nameduseritems/${sensors._id}`);
    await eventually(async () => expect(await items.readingsIn(relatedItemsOf(sensors._id, sensors._tipId))).toBe(0));
  });

  it('belongs to telemetry collections, and to those who may', async () => {
    const walls = await items.item('NamedUserCollection');
    expect((await items.get(`nameduseritems/${walls._id}/relateditems/readings`)).status).toBe(400);
    await items.passport.grant('device', sensors._namespaces[0], ['CREATE'], `itemsvc:nameduseritem:${sensors._id}`);
    await items.passport.grant('viewer', sensors._namespaces[0], ['READ']);
    expect((await items.post(path(), [reading(0, 0, 1)], { as: 'device' })).status).toBe(204);
    expect((await items.post(path(), [reading(0, 0, 1)], { as: 'viewer' })).status).toBe(403);
    expect((await items.get(path(), { as: 'viewer' })).body._total).toBe(1);
    expect((await items.post(path('/aggregate'), [], { as: 'viewer' })).status).toBe(200);
    for (const [method, rest] of [['get', ''], ['post', ''], ['post', '/aggregate']] as const) {
      expect((await items.call(method, path(rest), { as: 'mallory', body: method === 'get' ? undefined : [] })).status).toBe(404);
      expect((await items.call(method, path(rest), { as: '' })).status).toBe(401);
    }
  });

  it('counts right when batches come at once', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, n) => items.post(path(), Array.from({ length: 100 }, (_row, m) => reading(n % 2, (n >> 1) * 50 + m, 1)))));
    const last = (await items.eventsOf(sensors._id)).at(-1) as Json;
    expect(last._readingsCount).toBe((await list())._total);
    expect(last._readingsCount).toBe(500);
  });

  it('removes readings that have passed both their expiry and the span of the granularity, and counts them away', async () => {
    sensors = await items.item('NamedTelemetryCollection', { _tsProperties: { _granularity: 'seconds', _expiry: 7_200 } });
    sensor = await items.related(sensors, [{ _sourceId: 's1' }]);
    await items.post(path(), [reading(0, 0, 1), reading(0, 1, 2), reading(0, 2, 3), reading(0, 3, 4)]);
    await items.expireReadings(START + 2 * HOUR);
    expect((await list())._total).toBe(4);
    await items.expireReadings(START + 4 * HOUR);
    expect((await list())._list.map(({ temperature }: Json) => temperature)).toEqual([3, 4]);
    expect((await items.eventsOf(sensors._id)).at(-1)).toMatchObject({ type: 'itemsvc.Readings', changed: 2, _readingsCount: 2 });
  });

  it('knows how long each granularity keeps its readings', () => {
    expect([lifetimeMs({ _granularity: 'seconds', _expiry: 1 }), lifetimeMs({ _granularity: 'minutes', _expiry: 1 }), lifetimeMs({ _granularity: 'hours', _expiry: 1 })])
      .toEqual([HOUR, 24 * HOUR, 720 * HOUR]);
    expect(lifetimeMs({ _granularity: 'seconds', _expiry: 7_200 })).toBe(2 * HOUR);
  });
});
