import { newNamespace } from '@twinyard/conventions';
import { eventually } from '@twinyard/testing';
import { ProcessingErrorRetention } from '../src/processingerrors/processing-error-retention';
import { type Answer, ItemService, type Json, NS } from './item-service';

const START = Date.parse('2026-01-01T00:00:00Z');
const at = (minutes: number) => new Date(START + minutes * 60_000).toISOString();

let items: ItemService;
let ns: string;
let sensors: Json;
let sensor: Json[];

/** As good as without an end, on a machine that stops for seconds in between too. */
const PATIENT = { TELEMETRY_ERRORS_KEPT: '4', TELEMETRY_SCRIPT_SECONDS: '60' };
const HASTY = { ...PATIENT, TELEMETRY_SCRIPT_SECONDS: '1' };

beforeAll(async () => { items = await ItemService.start(PATIENT); });
afterAll(() => items.stop());
beforeEach(async () => {
  ns = newNamespace('tel');
  await items.passport.grant('alice', ns, ['*']);
  sensors = await items.item('NamedTelemetryCollection', { _userType: 'metered' }, 'alice', ns);
  const made = await items.post(`nameduseritems/${sensors._id}/relateditems/bulk`, [{ _sourceId: 's1', factor: 10 }, { _sourceId: 's2', factor: 1, raw: true }], { nsfilter: ns });
  sensor = made.body._list as Json[];
});

const draft = (changed: Json = {}): Json => ({
  _name: 'Meters', _shortName: 'meters', _userType: 'telemetry', _namespaces: [ns], _configData: { _bindings: [{ collectionDesc: { _userType: 'metered' } }], _normalizationScript: { _userType: 'normalize' } }, ...changed,
});
const ended = async (answer: Answer, as = 'alice') => {
  expect(answer.status).toBe(202);
  return (await items.finished(answer, as))._response as Json;
};
const make = async (changed: Json = {}): Promise<Json> => {
  const { _status, _body } = await ended(await items.post('telemetryconfigs', draft(changed), { nsfilter: ns }));
  expect(_status).toBe(201);
  return _body as Json;
};
const script = (source: string, namespace = ns) => items.item('Script', { _userType: 'normalize', _version: { _userData: source } }, 'alice', namespace);
const reading = (n: number, minutes: number, value: unknown): Json => ({ _ts: at(minutes), _tsMetadata: { _telItemId: sensor[n]?._id, _sourceId: `s${n + 1}` }, value });
const send = (readings: readonly Json[], by = items) => by.post(`nameduseritems/${sensors._id}/relateditems/readings`, readings, { nsfilter: ns });
const stored = async (): Promise<Json[]> => (await items.get(`nameduseritems/${sensors._id}/relateditems/readings`, { nsfilter: ns })).body._list as Json[];
const errors = async (query: Json = {}, as = 'alice') => (await items.get('telemetry_processing_errors', { nsfilter: ns, as, query })).body;
const told = async () => (await items.eventsOf(sensors._id as string)).filter(({ type }) => type === 'itemsvc.Readings');

describe('a telemetry config', () => {
  it('is made, read, replaced and deleted by durable requests, each with its event', async () => {
    const config = await make({ _description: 'as they come', extra: 'ignored', _id: 'ignored' });
    expect(config).toEqual({
      ...draft(), _description: 'as they come', _id: expect.stringMatching(/^[0-9a-f]{24}$/) as string, _uri: `/telemetryconfigs/${config._id}`, _irn: `itemsvc:telemetryconfig:${config._id}`,
      _metadata: expect.objectContaining({ _createdById: 'alice', _updatedById: 'alice' }) as Json,
    });
    const one = (method: 'get' | 'put' | 'delete', body?: unknown) => items.call(method, `telemetryconfigs/${config._id}`, { nsfilter: ns, body });
    expect((await one('get')).body).toEqual(config);
    expect((await items.get('telemetryconfigs', { nsfilter: ns, query: { query: { _userType: 'telemetry' }, project: { _name: 1 } } })).body).toMatchObject({ _total: 1, _list: [{ _id: config._id, _name: 'Meters' }] });
    const changed = await ended(await one('put', { ...config, _name: 'Other', _configData: { _bindings: [] } }));
    expect([changed._status, changed._body]).toEqual([200, { ...config, _name: 'Other', _configData: { _bindings: [] }, _metadata: { ...config._metadata, _updatedAt: expect.any(Number) as number } }]);
    expect(await ended(await one('delete'))).toEqual({ _status: 204 });
    expect((await one('get')).status).toBe(404);
    expect((await items.eventsOf(config._id as string)).map(({ type, _namespaces }) => [type, _namespaces])).toEqual(Array(3).fill(['itemsvc.TelemetryConfig', [ns]]));
  });

  it('is one for each namespace: a second ends with 409, also of two at once, and none is left half made', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => items.post('telemetryconfigs', draft(), { nsfilter: ns })));
    const ends = await Promise.all(answers.map((answer) => ended(answer)));
    expect(ends.map(({ _status }) => _status as number).sort()).toEqual([201, 409, 409, 409]);
    expect((await items.get('telemetryconfigs', { nsfilter: ns })).body._total).toBe(1);
    const [first] = ends.filter(({ _status }) => _status === 201);
    await ended(await items.delete(`telemetryconfigs/${first?._body._id}`, { nsfilter: ns }));
    await make();
  });

  it('is refused with every fault and its path, at once', async () => {
    const bad = { _name: 'x'.repeat(101), _shortName: 'x'.repeat(23), _userType: '', _namespaces: [ns, 'other_12345678'], _configData: { _bindings: [5, {}, { collectionDesc: { _irn: 'x' }, query: { $where: '1' } }, { collectionDesc: { _userType: [7] } }], _normalizationScript: {} } };
    const { status, body } = await items.post('telemetryconfigs', bad, { nsfilter: ns });
    expect([status, body.details.map(({ field }: Json) => field)]).toEqual([400, [
      '_name', '_shortName', '_userType', '_namespaces', '_configData._normalizationScript._userType', '_configData._bindings[0]', '_configData._bindings[1].collectionDesc',
      '_configData._bindings[1].collectionDesc', '_configData._bindings[2].query', '_configData._bindings[2].collectionDesc', '_configData._bindings[3].collectionDesc._userType',
    ]]);
    expect((await items.post('telemetryconfigs', [], { nsfilter: ns })).status).toBe(400);
    const config = await make();
    expect((await items.put(`telemetryconfigs/${config._id}`, {}, { nsfilter: ns })).body.details.map(({ field }: Json) => field)).toEqual(['_name', '_shortName', '_userType', '_namespaces', '_configData']);
  });

  it('is for those who may: 404 for strangers, 403 for readers, and it moves nowhere where one could not make it', async () => {
    const config = await make();
    const path = `telemetryconfigs/${config._id}`;
    await items.passport.grant('viewer', ns, ['READ'], 'itemsvc:telemetryconfig:*');
    await items.passport.grant('editor', ns, ['READ', 'EDIT'], `itemsvc:telemetryconfig:${config._id}`);
    for (const [method, body] of [['get', undefined], ['put', draft()], ['delete', undefined]] as const) {
      expect((await items.call(method, path, { nsfilter: ns, as: 'mallory', body })).status).toBe(404);
      expect((await items.call(method, path, { nsfilter: ns, as: '', body })).status).toBe(401);
      expect((await items.call(method, path, { nsfilter: ns, as: 'viewer', body })).status).toBe(method === 'get' ? 200 : 403);
      expect((await items.call(method, path, { nsfilter: NS, body })).status).toBe(404);
    }
    expect((await items.post('telemetryconfigs', draft(), { nsfilter: ns, as: 'viewer' })).status).toBe(403);
    expect((await items.get('telemetryconfigs', { nsfilter: ns, as: 'mallory' })).body._total).toBe(0);
    const elsewhere = newNamespace('else');
    await items.passport.grant('editor', elsewhere, ['READ']);
    expect((await items.put(path, draft({ _namespaces: [ns, elsewhere] }), { nsfilter: [ns, elsewhere], as: 'editor' })).status).toBe(403);
    expect((await ended(await items.put(path, draft({ _name: 'Edited' }), { nsfilter: ns, as: 'editor' }), 'editor'))._status).toBe(200);
    const both = [ns, elsewhere];
    await items.passport.grant('alice', elsewhere, ['*']);
    expect((await ended(await items.put(path, draft({ _namespaces: both }), { nsfilter: both })))._status).toBe(200);
    expect((await items.put(path, draft({ _namespaces: [ns] }), { nsfilter: both, as: 'editor' })).status).toBe(403);
  });
});

describe('readings of bound items', () => {
  const LATE = 'The script takes too long';
  const SCALE = 'export default (readings, { items }) => readings.map((one) => ({ ...one, value: one.value * items[one._tsMetadata._telItemId].factor }));';

  it('are stored as the script makes them, those of others as they came; sent twice is the same', async () => {
    await script(SCALE);
    await make({ _configData: { _bindings: [{ collectionDesc: { _userType: ['else', 'metered'], _itemClass: 'NamedTelemetryCollection' }, query: { raw: { $ne: true } } }], _normalizationScript: { _userType: 'normalize' } } });
    const batch = [reading(0, 0, 1), reading(1, 0, 1), reading(0, 1, 2)];
    for (const _ of [1, 2]) expect((await send(batch)).status).toBe(204);
    expect((await stored()).map(({ value, _tsMetadata }) => [_tsMetadata._sourceId, value])).toEqual(expect.arrayContaining([['s1', 10], ['s2', 1], ['s1', 20]]));
    expect((await told()).map(({ _readingsCount }) => _readingsCount)).toEqual([3, 3]);
    expect((await errors())._total).toBe(0);
  });

  it('may become more, fewer or none, and other ones of the same collection', async () => {
    await script('export default (readings) => readings.flatMap((one) => one.value < 0 ? [] : [one, { ...one, _ts: new Date(Date.parse(one._ts) + 1000).toISOString() }]);');
    await make();
    expect((await send([reading(0, 0, 5), reading(0, 10, -1)])).status).toBe(204);
    expect((await stored()).map(({ _ts }) => _ts)).toEqual([at(0), '2026-01-01T00:00:01.000Z']);
    expect((await send([reading(0, 20, -1)])).status).toBe(204);
    expect([(await stored()).length, (await errors())._total]).toEqual([2, 0]);
  });

  it('go through the latest script of the user type, and only through that of their own namespace', async () => {
    await script('export default () => { throw new Error("old"); }');
    await script(SCALE);
    await script('export default () => []', NS);
    await make();
    await send([reading(0, 0, 7)]);
    expect((await stored()).map(({ value }) => value)).toEqual([70]);
  });

  it.each([
    ['never ends', 'export default () => { for (;;) {} }', LATE],
    ['throws', 'export default (readings) => { console.log("saw", readings.length); throw new RangeError("too low"); }', 'The script threw RangeError: too low'],
    ['is no module', 'export default (', 'The script is no module'],
    ['returns something else', 'export default () => ({})', 'must return an array of readings'],
    ['returns what is no reading', 'export default (readings) => [readings[0], { _ts: "soon" }]', '[1]._ts'],
    ['returns half a surrogate pair', 'export default ([one]) => [{ ...one, unit: "\\ud800" }]', '[0].unit'],
    ['returns what is nested without end', 'export default ([one]) => { let deep = 1; for (let n = 0; n < 3000; n += 1) deep = [deep]; return [{ ...one, deep }]; }', 'nested deeper'],
    ['returns readings of nobody', 'export default ([one]) => [{ ...one, _tsMetadata: { _telItemId: "0".repeat(24), _sourceId: "s1" } }]', '[0]._tsMetadata._telItemId'],
  ])('are kept as processing errors, none of the request stored, when the script %s', async (_, source, message) => {
    const by = message === LATE ? await items.twin(HASTY) : items;
    await script(source);
    const config = await make();
    const batch = [reading(0, 0, 1), reading(1, 0, 2)];
    for (const _again of [1, 2]) expect((await send(batch, by)).status).toBe(204);
    if (by !== items) await by.leave();
    expect([await stored(), await told()]).toEqual([[], []]);
    const { _total, _list } = await errors();
    expect(_total).toBe(1);
    expect(_list[0]).toMatchObject({ _userItemDbId: sensors._id, _telemetryConfigId: config._id, _message: expect.stringContaining(message) as string, _readings: batch });
    await script('export default (readings) => readings');
    expect((await send(_list[0]._readings as Json[])).status).toBe(204);
    expect((await stored()).map(({ value }) => value).sort()).toEqual([1, 2]);
  });

  it('are kept, too, where there is no such script', async () => {
    await make();
    expect((await send([reading(0, 0, 1)])).status).toBe(204);
    expect((await errors())._list).toMatchObject([{ _message: 'There is no Script of the user type normalize', _readings: [{ value: 1 }] }]);
  });

  it('are refused as ever for what the sender did wrong, before they count as processing errors', async () => {
    await script('export default () => { throw 1; }');
    await make();
    expect((await send([reading(0, 0, 1), { ...reading(0, 1, 1), _tsMetadata: { _telItemId: sensor[0]?._id, _sourceId: 's2' } }])).status).toBe(400);
    expect((await errors())._total).toBe(0);
  });

  it('that failed are seen by those who may READ the collection, and by nobody else', async () => {
    await make();
    await send([reading(0, 0, 1)]);
    await items.passport.grant('viewer', ns, ['READ'], `itemsvc:nameduseritem:${sensors._id}`);
    await items.passport.grant('other', ns, ['READ'], `itemsvc:nameduseritem:${'0'.repeat(24)}`);
    expect((await errors({}, 'viewer'))._total).toBe(1);
    expect((await errors({ query: { _message: { $regex: 'no Script' } }, page: { _offset: 0, _pageSize: 0 } }, 'viewer'))).toMatchObject({ _total: 1, _list: [] });
    for (const stranger of ['other', 'mallory']) expect(await errors({}, stranger)).toMatchObject({ _total: 0, _list: [] });
    expect((await items.get('telemetry_processing_errors', { nsfilter: ns, as: '' })).status).toBe(401);
    await items.passport.grant('by type', ns, ['READ'], 'itemsvc:nameduseritem:*', { criteria: { _userType: sensors._userType as string } });
    const seen = async () => [(await errors({}, 'by type'))._total, (await errors({}, 'viewer'))._total];
    const becomes = (_userType: unknown, _namespaces: readonly string[], to = _namespaces) => items.put(`nameduseritems/${sensors._id}`, { ...sensors, _userType, _namespaces }, { nsfilter: [ns, ...to] });
    expect(await seen()).toEqual([1, 1]);
    await becomes('closed', [ns]);
    expect(await seen()).toEqual([0, 1]);
    const elsewhere = newNamespace('else');
    await items.passport.grant('alice', elsewhere, ['*']);
    await becomes(sensors._userType, [elsewhere]);
    expect([...(await seen()), (await items.get('telemetry_processing_errors', { nsfilter: elsewhere })).body._total]).toEqual([0, 0, 1]);
    await becomes(sensors._userType, [ns], [elsewhere]);
    expect(await seen()).toEqual([1, 1]);
  });

  it('that failed are kept for their time and up to their number, and go with a purge, as the config does', async () => {
    await make();
    for (let n = 0; n < 6; n += 1) await send(Array.from({ length: n === 0 ? 101 : 1 }, (_, m) => reading(0, n * 1_000 + m, n)));
    expect((await errors())._total).toBe(7);
    const retention = items.part(ProcessingErrorRetention);
    await retention.sweep(Date.now());
    expect((await errors())._list.map(({ _readings }: Json) => _readings[0].value)).toEqual([5, 4, 3, 2]);
    await retention.sweep(Date.now() + 31 * 86_400_000);
    expect((await errors())._total).toBe(0);
    await send([reading(0, 0, 1)]);
    await items.purge(ns);
    await eventually(async () => {
      expect((await items.mentioning(ns)).filter((name) => !/^(event_|namespace_purge|durable_request)/.test(name))).toEqual([]);
    });
  });
});
