import { newNamespace, newUuid } from '@twinyard/conventions';
import { eventually } from '@twinyard/testing';
import { AT_BEGIN } from '../src/imports/import';
import { ImportsRepository } from '../src/imports/imports.repository';
import { type Answer, ItemService, type Json } from './item-service';

/** What tells that it was: events, answers of the last 24 hours, that the name is not to come again; on MongoDB, for some seconds, the lease of the job that has ended. */
const MEMORY = /^(event_|namespace_purge|durable_request|job_leases$)/;

let items: ItemService;

/** Two namespaces: alice owns the first, mallory both. */
async function newNamespaces(): Promise<{ mine: string; other: string }> {
  const [mine, other] = [newNamespace('mine'), newNamespace('other')];
  for (const [who, namespace] of [['alice', mine], ['mallory', mine], ['mallory', other]] as const) await items.passport.grant(who, namespace, ['*']);
  return { mine, other };
}

const post = async (path: string, body: unknown, namespaces: readonly string[]): Promise<Json> => {
  const answer: Answer = await items.post(path, body, { as: 'mallory', nsfilter: namespaces });
  if (answer.status !== 201) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.body;
};
const item = async (itemClass: string, namespaces: readonly string[], fields: Json = {}): Promise<Json> => {
  const draft = { _name: itemClass, _shortName: 'thing', _userType: 'thing', _itemClass: itemClass, _namespaces: namespaces, ...fields };
  return (await post('nameduseritems', [draft], namespaces))._list[0] as Json;
};
const rows = async (of: Json, drafts: readonly Json[]): Promise<Json[]> => (await post(`nameduseritems/${of._id}/relateditems/bulk`, drafts, of._namespaces as string[]))._list as Json[];
const config = (namespace: string) => item('UserConfig', [namespace], { _version: { _userData: '{}' } });

const left = async (text: string) => (await items.mentioning(text)).filter((name) => !MEMORY.test(name));
const ends = async (namespace: string) => (await items.eventsOf(namespace)).filter(({ type }) => type === 'itemsvc.Namespace');
const purged = (namespace: string, times = 1) => eventually(async () => expect(await ends(namespace)).toHaveLength(times));

describe('a purged namespace', () => {
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());

  /** Something of everything, in both namespaces and between them. */
  const fill = async ({ mine, other }: { mine: string; other: string }) => {
    const [walls, theirs] = [await item('NamedUserCollection', [mine]), await item('NamedUserCollection', [other])];
    const shared = await item('NamedUserCollection', [mine, other]);
    const [[wall], [their]] = [await rows(walls, [{ name: 'one' }, { name: 'two' }]), await rows(theirs, [{ name: 'other' }])];
    await rows(shared, [{ name: 'of both' }]);
    for (const [from, fromRow, to, toRow] of [[walls, wall, theirs, their], [theirs, their, walls, wall]] as const) {
      const pair = { _relatedFromId: fromRow?._id, _relatedToIds: [toRow?._id], _relatedUserItemDbId: to._id };
      expect((await items.put(`nameduseritems/${from._id}/relationships`, [pair], { as: 'mallory', nsfilter: [mine, other] })).status).toBe(204);
    }
    const telemetry = await item('NamedTelemetryCollection', [mine]);
    const [sensor] = await rows(telemetry, [{ _sourceId: 's1' }]);
    const reading = (n: number) => ({ _ts: new Date(1_700_000_000_000 + n * 1_000).toISOString(), _tsMetadata: { _telItemId: sensor?._id, _sourceId: 's1' }, value: n });
    const told = await items.post(`nameduseritems/${telemetry._id}/relateditems/readings`, Array.from({ length: 1_100 }, (_, n) => reading(n)), { nsfilter: mine });
    expect(told.status).toBeLessThan(300);
    const settings = await config(mine);
    for (const _userData of ['2', '3']) await post(`nameduseritems/${settings._id}/versions`, { _userData }, [mine]);
    const composite = await item('NamedCompositeItem', [other]);
    await post(`nameduseritems/${composite._id}/relatedcollections`, [{ _id: walls._id }, { _id: theirs._id }], [mine, other]);
    const types = { _itemTypes: [{ _typeName: 'Wall', _properties: [] }] };
    expect((await items.put('schemadefinitions', types, { nsfilter: mine })).status).toBeLessThan(500);
    await leaveUpload(walls);
    return { walls, theirs, shared, telemetry, settings, composite };
  };
  /** A file of rows that is on its way. */
  const leaveUpload = async ({ _id: itemId, _tipId: versionId, _namespaces }: Json) => {
    const record = {
      _id: newUuid(), _namespaces, itemId, versionId, kind: 'relateditems', format: 'csv', mode: 'all', isConfidential: false, isWhole: false, touchedAt: 1, tries: 0, checkpoint: AT_BEGIN,
    } as const;
    const imports = items.part(ImportsRepository);
    await imports.add(record);
    await imports.addChunk(record, 0, Buffer.from(record._id));
  };
  const seen = async (namespace: string, path: string) => (await items.get(path, { as: 'mallory', nsfilter: namespace })).body;

  it('loses everything in it, and what others have stays as it is', async () => {
    const { mine, other } = await newNamespaces();
    const { walls, theirs, telemetry, settings } = await fill({ mine, other });
    const look = async () => [
      await seen(other, `nameduseritems/${theirs._id}`), await seen(other, `nameduseritems/${theirs._id}/relateditems`), await seen(other, `nameduseritems/${theirs._id}/versions`),
    ];
    const before = await look();
    await items.purge(mine);
    await purged(mine);
    expect(await left(mine)).toEqual([]);
    for (const { _id, _tipId } of [walls, telemetry, settings] as { _id: string; _tipId: string }[]) {
      expect(await left(_id)).toEqual([]);
      expect(await left(_tipId)).toEqual([]);
      expect(await items.collectionsOf(_id)).toBe(0);
    }
    expect(await look()).toEqual(before);
  });

  it('takes away what led into it from elsewhere, and leaves what is shared to the others', async () => {
    const { mine, other } = await newNamespaces();
    const { theirs, shared, composite } = await fill({ mine, other });
    const before = await seen(other, `nameduseritems/${shared._id}/relateditems`);
    await items.purge(mine);
    await purged(mine);
    expect((await seen(other, `nameduseritems/${composite._id}/relatedcollections`))._list.map(({ _itemId }: Json) => _itemId)).toEqual([theirs._id]);
    expect(await seen(other, `nameduseritems/${shared._id}`)).toEqual({ ...shared, _namespaces: [other] });
    expect(await seen(other, `nameduseritems/${shared._id}/relateditems`)).toEqual(before);
    expect((await items.get(`nameduseritems/${shared._id}`, { nsfilter: mine })).status).toBe(404);
  });

  it('is one event, and none about each thing; asked for again it is gone through again', async () => {
    const { mine } = await newNamespaces();
    const settings = await config(mine);
    await items.purge(mine);
    await purged(mine);
    expect(await ends(mine)).toMatchObject([{ _irn: `itemsvc:namespace:${mine}`, _namespaces: [mine], _removed: 2 }]);
    expect(await items.eventsOf(settings._id as string)).toHaveLength(2);
    await items.purge(mine);
    await purged(mine, 2);
    expect(await left(mine)).toEqual([]);
  });

  it('is emptied by the next process when one of the release before has left it', async () => {
    const { mine } = await newNamespaces();
    const collection = await item('NamedUserCollection', [mine]);
    await rows(collection, [{ name: 'one' }]);
    await items.leavePurgeUnfinished(mine);
    const next = await items.twin();
    await purged(mine);
    await next.leave();
    expect(await left(mine)).toEqual([]);
    await eventually(async () => expect(await items.mentioning(mine)).not.toContain('job_leases'));
    expect(await items.collectionsOf(collection._id as string)).toBe(0);
  });

  it('is emptied by two processes at once without one being in the way of the other', async () => {
    const places = [await newNamespaces(), await newNamespaces(), await newNamespaces()].map(({ mine }) => mine);
    const made = await Promise.all(places.map((namespace) => config(namespace)));
    const twin = await items.twin();
    await Promise.all([...places, ...places].map((namespace, n) => (n % 2 === 0 ? items : twin).purge(namespace)));
    await eventually(async () => {
      for (const namespace of places) expect((await ends(namespace)).length).toBeGreaterThan(0);
      expect(await items.unfinishedPurges()).toBe(0);
    });
    await twin.leave();
    for (const { _id } of made) expect(await left(_id as string)).toEqual([]);
  });
});

describe('a write that was allowed before a purge and is done after it', () => {
  beforeAll(async () => { items = await ItemService.start({ PURGE_SETTLE_SECONDS: '3600' }); });
  afterAll(() => items.stop());

  it('leaves nothing behind', async () => {
    const { mine } = await newNamespaces();
    const early = await config(mine);
    await items.purge(mine);
    await eventually(async () => expect((await items.get(`nameduseritems/${early._id}`, { nsfilter: mine })).status).toBe(404));
    // Nobody takes mallory's rights away here: this is a write of one whose rights were looked at in time.
    const late = await config(mine);
    expect([await items.unfinishedPurges(), (await ends(mine)).length]).toEqual([1, 0]);
    await items.settlePurge(mine);
    await purged(mine);
    expect(await left(late._id as string)).toEqual([]);
  });
});
