import { AGGREGATES_PATH, type AggregatesResponse } from '@twinyard/events';
import { ItemService, type Json, NS } from './item-service';

describe('what there is, told to the other services', () => {
  let items: ItemService;
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());

  const post = (body: unknown, token = items.passport.serviceToken) => items.internal(AGGREGATES_PATH, body, token);
  const aggregateOf = async ({ _id }: Json) => ((await post({ topic: 'itemsvc.item', keys: [_id] })).body as AggregatesResponse).aggregates[0];
  /** What was last told of each thing of an item: of what a version holds, by whichever event told it. */
  const lastTold = async ({ _id }: Json) => {
    const told = new Map<string, Json>();
    for (const event of await items.eventsOf(_id)) {
      if (event.type === 'itemsvc.RelatedItems') told.set(`itemsvc.Version ${event._versionId}`, { ...told.get(`itemsvc.Version ${event._versionId}`), _namespaces: event._namespaces, _size: event._size, _relatedItemsCount: event._relatedItemsCount });
      else told.set(`${event.type} ${event._id}`, event);
    }
    return told;
  };
  const measured = ({ _namespaces, _size, _relatedItemsCount, _timeSeriesSize, _userItemId, _version }: Json) => ({ _namespaces, _size, _relatedItemsCount, _timeSeriesSize, _userItemId, _version });
  const expectTold = async (item: Json, resources: number) => {
    const [state, told] = [await aggregateOf(item), await lastTold(item)];
    expect(state?.resources.length).toBe(resources);
    for (const { resource } of state?.resources ?? []) expect([resource.type, measured(resource as Json)]).toEqual([resource.type, measured(told.get(`${resource.type} ${resource._id}`) as Json)]);
    expect(state?.sequence).toBe((await items.eventsOf(item._id)).length);
  };

  it('is what the last events have told: of a collection, its versions and what they hold', async () => {
    const walls = await items.item('NamedUserCollection');
    await items.related(walls, [{ name: 'one' }, { name: 'two' }]);
    await items.post(`nameduseritems/${walls._id}/versions`, { _userAttributes: { a: 1 } });
    await items.related(walls, [{ name: 'three' }]);
    await expectTold(walls, 3);
  });

  it('is what the last events have told: of readings', async () => {
    const sensors = await items.item('NamedTelemetryCollection');
    const [sensor] = await items.related(sensors, [{ _sourceId: 's1' }]);
    await items.post(`nameduseritems/${sensors._id}/relateditems/readings`, [{ _ts: '2026-01-01T00:00:00Z', _tsMetadata: { _telItemId: sensor?._id, _sourceId: 's1' }, value: 7 }]);
    await expectTold(sensors, 3);
  });

  it('is what the last events have told: of versions that followed their item to other namespaces', async () => {
    const sensors = await items.item('NamedTelemetryCollection');
    const [sensor] = await items.related(sensors, [{ _sourceId: 's1' }]);
    await items.post(`nameduseritems/${sensors._id}/relateditems/readings`, [{ _ts: '2026-01-01T00:00:00Z', _tsMetadata: { _telItemId: sensor?._id, _sourceId: 's1' }, value: 7 }]);
    await items.passport.grant('alice', 'ns3_12345678', ['*']);
    const moved = await items.put(`nameduseritems/${sensors._id}`, { ...sensors, _namespaces: ['ns3_12345678'] }, { nsfilter: [NS, 'ns3_12345678'] });
    expect(moved.status).toBeLessThan(300);
    await expectTold(sensors, 3);
  });

  it('holds nothing of what is deleted but the number of its last event', async () => {
    const script = await items.item('Script', { _version: { _userData: 'export default 1' } });
    await items.delete(`nameduseritems/${script._id}`);
    expect(await aggregateOf(script)).toEqual({ key: script._id, sequence: (await items.eventsOf(script._id)).length, resources: [] });
    const { aggregates } = (await post({ topic: 'itemsvc.item' })).body as AggregatesResponse;
    expect(aggregates.map(({ key }) => key)).toContain(script._id);
  });

  it('is closed to whoever does not know the service token', async () => {
    expect([(await post({ topic: 'itemsvc.item' }, 'guess')).status, (await post({ topic: 'filesvc.file' })).status]).toEqual([401, 400]);
  });
});
