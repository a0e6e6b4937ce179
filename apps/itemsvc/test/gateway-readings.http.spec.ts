import { SensorHomes } from '../src/readings/sensors/sensor-homes';
import { ItemService, type Json, NS, OTHER_NS } from './item-service';

const TS = '2026-01-31T12:00:00.000Z';

describe('readings of many sensors in one request', () => {
  let items: ItemService;
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());

  const collection = async (sources: readonly string[], namespace = NS, as = 'alice') => {
    const item = await items.item('NamedTelemetryCollection', {}, as, namespace);
    const { body } = await items.post(`nameduseritems/${item._id}/relateditems/bulk`, sources.map((_sourceId) => ({ _sourceId })), { as, nsfilter: namespace });
    return { item, sensors: body._list as Json[] };
  };
  const send = (readings: unknown, as = 'alice') => items.post('readings', readings, { as, nsfilter: [NS, OTHER_NS] });
  const stored = async (item: Json, as = 'alice', nsfilter = NS) => {
    const { body } = await items.get(`nameduseritems/${item._id}/relateditems/readings`, { as, nsfilter, query: { sort: { '_tsMetadata._sourceId': 1, _ts: 1 }, project: { _id: 0 } } });
    return body._list as Json[];
  };

  const looks = () => jest.spyOn(items.part(SensorHomes) as unknown as { collections(): unknown }, 'collections');

  it('finds the collection of each sensor, by its id or by its collection and source', async () => {
    const [one, two] = [await collection(['a', 'b']), await collection(['a'])];
    const { status, body } = await send([
      { _telItemId: one.sensors[0]?._id, _ts: TS, n: 1 },
      { _userItemId: one.item._userItemId, _sourceId: 'b', _ts: TS, n: 2, deep: { m: [1] } },
      { _userItemId: two.item._id, _sourceId: 'a', _ts: '2026-01-31T13:00:00+01:00', n: 3 },
      { _tsMetadata: { _telItemId: two.sensors[0]?._id, _sourceId: 'a', place: 'roof' }, _ts: '2026-01-31T12:00:01Z', n: 4 },
    ]);
    expect([status, body]).toEqual([200, { _accepted: 4, _refused: [] }]);
    expect(await stored(one.item)).toEqual([
      { _ts: TS, _tsMetadata: { _telItemId: one.sensors[0]?._id, _sourceId: 'a' }, n: 1 },
      { _ts: TS, _tsMetadata: { _telItemId: one.sensors[1]?._id, _sourceId: 'b' }, n: 2, deep: { m: [1] } },
    ]);
    const ofTwo = { _telItemId: two.sensors[0]?._id, _sourceId: 'a' };
    expect(await stored(two.item)).toEqual([{ _ts: TS, _tsMetadata: ofTwo, n: 3 }, { _ts: '2026-01-31T12:00:01.000Z', _tsMetadata: { ...ofTwo, place: 'roof' }, n: 4 }]);
    const written = (await items.eventsOf(one.item._id)).filter(({ type }) => type === 'itemsvc.Readings');
    expect(written).toEqual([expect.objectContaining({ changed: 2, _readingsCount: 2 })]);
  });

  it('changes nothing when it comes twice', async () => {
    const { item, sensors } = await collection(['a']);
    const body = [{ _telItemId: sensors[0]?._id, _ts: TS, n: 1 }];
    for (let time = 0; time < 2; time += 1) expect((await send(body)).body).toEqual({ _accepted: 1, _refused: [] });
    expect(await stored(item)).toHaveLength(1);
  });

  it('stores all of a collection or none, and names what it refuses with the reason', async () => {
    const [bad, good] = [await collection(['a', 'b']), await collection(['a'])];
    const house = await items.item('NamedUserCollection');
    const { status, body } = await send([
      { _telItemId: bad.sensors[0]?._id, _ts: TS, n: 1 },
      { _telItemId: bad.sensors[1]?._id, _ts: 'yesterday', n: 1 },
      { _telItemId: good.sensors[0]?._id, _ts: TS, n: 1 },
      { _telItemId: 'nobody', _ts: TS },
      { _userItemId: bad.item._id, _sourceId: 'unknown', _ts: TS },
      { _userItemId: 'nowhere', _sourceId: 'a', _ts: TS },
      { _userItemId: house._id, _sourceId: 'a', _ts: TS },
      { _sourceId: 'a', _ts: TS },
      { _telItemId: 7, _ts: TS },
      null,
      { _telItemId: bad.sensors[0]?._id, _sourceId: 'b', _ts: TS },
      { _userItemId: bad.item._id, _telItemId: good.sensors[0]?._id, _ts: TS },
    ]);
    expect([status, body._accepted, await stored(bad.item), (await stored(good.item)).length]).toEqual([200, 1, [], 1]);
    const together = 'was not stored, since another reading of the same collection was refused';
    expect(body._refused.map(({ index, _reason }: Json) => [index, _reason])).toEqual([
      [0, together],
      [1, '_ts: must be a date and time in ISO 8601, with a zone or in UTC'],
      [3, 'there is no telemetry item nobody'],
      [4, 'there is no telemetry item for the source unknown'],
      [5, 'There is no item "nowhere"'],
      [6, 'A NamedUserCollection holds no readings'],
      [7, '_telItemId, or _userItemId with _sourceId, is required'],
      [8, '_telItemId must be a text'],
      [9, 'must be an object'],
      [10, together],
      [11, `there is no telemetry item ${good.sensors[0]?._id}`],
    ]);
  });

  it('names the readings whose source is not that of their item', async () => {
    const { item, sensors } = await collection(['a', 'b']);
    const { body } = await send([{ _telItemId: sensors[0]?._id, _sourceId: 'b', _ts: TS }, { _telItemId: sensors[1]?._id, _ts: TS }]);
    expect([body._accepted, body._refused[0]._reason, await stored(item)]).toEqual([0, `_tsMetadata._sourceId: is not the source of the item ${sensors[0]?._id}`, []]);
  });

  it('asks for the collection of a sensor whose id stands in several', async () => {
    const [one, two] = [await items.item('NamedTelemetryCollection'), await items.item('NamedTelemetryCollection')];
    const _id = '665f1c2ab1e5a0c3d4e5f601';
    for (const item of [one, two]) await items.related(item, [{ _id, _sourceId: 'a' }]);
    const { body } = await send([{ _telItemId: _id, _ts: TS }, { _telItemId: _id, _userItemId: two._id, _ts: TS, n: 2 }]);
    expect(body).toEqual({ _accepted: 1, _refused: [{ index: 0, _reason: `there are telemetry items ${_id} in several collections: name one with _userItemId` }] });
    expect([await stored(one), (await stored(two)).length]).toEqual([[], 1]);
  });

  it('reaches nothing of another tenant, and nothing that the caller may not write', async () => {
    const [mine, theirs] = [await collection(['a']), await collection(['a'], OTHER_NS, 'mallory')];
    const hidden = await send([{ _telItemId: mine.sensors[0]?._id, _ts: TS }, { _userItemId: mine.item._id, _sourceId: 'a', _ts: TS }], 'mallory');
    expect(hidden.body).toMatchObject({ _accepted: 0, _refused: [{ _reason: `there is no telemetry item ${mine.sensors[0]?._id}` }, { _reason: `There is no item "${mine.item._id}"` }] });
    const both = await send([{ _telItemId: mine.sensors[0]?._id, _ts: TS }, { _telItemId: theirs.sensors[0]?._id, _ts: TS }]);
    expect(both.body).toMatchObject({ _accepted: 1, _refused: [{ index: 1 }] });
    await items.passport.grant('reader', NS, ['READ', 'CREATE'], `itemsvc:nameduseritem:${(await collection(['x'])).item._id}`);
    await items.passport.grant('reader', NS, ['READ'], `itemsvc:nameduseritem:${mine.item._id}`);
    expect((await send([{ _telItemId: mine.sensors[0]?._id, _ts: TS }], 'reader')).body).toMatchObject({ _accepted: 0, _refused: [{ _reason: `there is no telemetry item ${mine.sensors[0]?._id}` }] });
    await items.passport.grant('viewer', NS, ['READ']);
    for (const [as, scopes] of [['viewer', ['read', 'write']], ['alice', ['read']], ['nobody', ['read', 'write']]] as const) {
      expect([as, (await items.post('readings', [{ _telItemId: mine.sensors[0]?._id, _ts: TS }], { as, scopes: [...scopes] })).status]).toEqual([as, 403]);
    }
    expect([(await stored(mine.item)).length, await stored(theirs.item, 'mallory', OTHER_NS)]).toEqual([1, []]);
  });

  it('notices that a sensor has moved to another collection', async () => {
    const [from, to] = [await collection([]), await items.item('NamedTelemetryCollection')];
    const [sensor] = await items.related(from.item, [{ _sourceId: 'a' }]) as [Json];
    const homes = looks();
    const body = [{ _telItemId: sensor._id, _ts: TS }];
    for (let time = 0; time < 3; time += 1) expect((await send(body)).body._accepted).toBe(1);
    expect(homes).toHaveBeenCalledTimes(1); // then it was where it had been
    homes.mockRestore();
    await items.delete(`nameduseritems/${from.item._id}/relateditems/${sensor._id}`);
    await items.related(to, [{ _id: sensor._id, _sourceId: 'a' }]);
    expect((await send(body)).body).toEqual({ _accepted: 1, _refused: [] });
    expect(await stored(to)).toHaveLength(1);
  });

  const nowhere = { _accepted: 0, _refused: [{ index: 0, _reason: expect.stringContaining('there is no telemetry item') as string }] };

  it('looks for a sensor that nobody knows in all collections once, until it may be there', async () => {
    const [_id, to] = ['665f1c2ab1e5a0c3d4e5f701', await items.item('NamedTelemetryCollection')];
    const homes = looks();
    const body = [{ _telItemId: _id, _ts: TS }];
    for (let time = 0; time < 3; time += 1) expect((await send(body)).body).toEqual(nowhere);
    expect(homes).toHaveBeenCalledTimes(1);
    await items.related(to, [{ _id, _sourceId: 'a' }]);
    expect((await send(body)).body).toEqual({ _accepted: 1, _refused: [] });
    homes.mockRestore();
  });

  it('looks again when the caller may reach more', async () => {
    const { item, sensors } = await collection(['a']);
    await items.passport.grant('late', NS, ['CREATE'], `itemsvc:nameduseritem:${(await collection(['x'])).item._id}`);
    const body = [{ _telItemId: sensors[0]?._id, _ts: TS }];
    for (let time = 0; time < 2; time += 1) expect((await send(body, 'late')).body).toEqual(nowhere);
    await items.passport.grant('late', NS, ['CREATE'], `itemsvc:nameduseritem:${item._id}`);
    expect((await send(body, 'late')).body).toEqual({ _accepted: 1, _refused: [] });
  });

  it('goes on with the collection in which a sensor was found, when another gets one of the same id; who has not found it yet is asked to name one', async () => {
    const [first, second] = [await items.item('NamedTelemetryCollection'), await items.item('NamedTelemetryCollection')];
    const _id = '665f1c2ab1e5a0c3d4e5f702';
    await items.related(first, [{ _id, _sourceId: 'a' }]);
    const body = [{ _telItemId: _id, _ts: TS }];
    expect((await send(body)).body._accepted).toBe(1);
    await items.related(second, [{ _id, _sourceId: 'a' }]);
    expect((await send(body)).body).toEqual({ _accepted: 1, _refused: [] });
    const other = await items.twin();
    try {
      const { body: answer } = await other.post('readings', body, { nsfilter: [NS, OTHER_NS] });
      expect(answer).toMatchObject({ _accepted: 0, _refused: [{ _reason: expect.stringContaining('in several collections: name one with _userItemId') as string }] });
    } finally {
      await other.leave();
    }
    expect([(await stored(first)).length, await stored(second)]).toEqual([1, []]);
  });

  it('takes at most 10,000, and an array alone', async () => {
    const { item, sensors } = await collection(['a']);
    const many = Array.from({ length: 10_001 }, (_, n) => ({ _telItemId: sensors[0]?._id, _ts: new Date(n * 1_000).toISOString(), n }));
    expect((await send(many)).status).toBe(413);
    expect((await send({ _telItemId: 'a' })).status).toBe(400);
    for (const none of [[], [null]]) expect((await send(none)).body).toMatchObject({ _accepted: 0, _refused: { length: none.length } });
    expect((await send(many.slice(1))).body).toEqual({ _accepted: 10_000, _refused: [] });
    expect((await items.get(`nameduseritems/${item._id}/relateditems/readings`, { query: { _pageSize: '0' } })).body._total).toBe(10_000);
  });
});
