import { DocumentStore } from '@twinyard/documents';
import { AnswerStore } from '@twinyard/service-kit';
import { dyingBehind, expectReplay } from '@twinyard/testing';
import { type Answer, ItemService, type Json, NS } from './item-service';
import { upload } from './transfers';

const ID = (n: number) => n.toString(16).padStart(24, '0');
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

/** A write, under a key of its own. */
type Send = (headers: Readonly<Record<string, string>>) => Promise<Answer>;

describe('a write with an Idempotency-Key', () => {
  let items: ItemService;
  let item: Json;
  let sensors: Json;
  let sensor: Json;
  let composite: Json;
  let membership: string;
  /** Another version, once it is there. */
  let other: string | undefined;
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());
  beforeEach(async () => {
    other = undefined;
    [item, sensors, composite] = await Promise.all([items.item('NamedUserCollection'), items.item('NamedTelemetryCollection', { _tsProperties: { _granularity: 'hours' } }), items.item('NamedCompositeItem')]);
    membership = (await items.post(`nameduseritems/${composite._id}/relatedcollections`, [sensors._id])).body._list[0]._id as string;
    [sensor] = await items.related(sensors, [{ _sourceId: 's1' }]) as [Json];
    await items.related(item, Array.from({ length: 5 }, (_, n) => ({ _id: ID(n + 1), n })));
  });

  const path = (rest = '', of: Json = item) => `nameduseritems/${of._id}/relateditems${rest}`;
  const relations = () => `nameduseritems/${item._id}/relationships`;
  const version = () => (item['_versions'] as Json[])[0]?.['_id'] as string;
  const link = () => [{ _relatedFromId: ID(1), _relatedToIds: [ID(2)], _relatedUserItemDbId: item._id }];
  const reading = (value: number) => [{ _ts: at(value), _tsMetadata: { _telItemId: sensor._id, _sourceId: 's1' }, value }];

  const forms: Readonly<Record<string, Send>> = {
    'makes items': (headers) => items.post(path(), [{ made: 1 }, { made: 'ü 木' }], { headers }),
    'makes a bulk': (headers) => items.post(path('/bulk'), Array.from({ length: 200 }, (_, n) => ({ made: n })), { headers }),
    'replaces one': (headers) => items.put(path(`/${ID(1)}`), { changed: true }, { headers }),
    'replaces several': (headers) => items.put(path(), [{ _id: ID(1), changed: 1 }, { _id: ID(2), changed: 2 }], { headers }),
    'replaces a bulk': (headers) => items.put(path('/bulk'), [{ _id: ID(1), changed: 1 }], { headers }),
    'upserts': (headers) => items.put(path('/bulk'), [{ _sourceId: 'u1', changed: 1 }], { headers, query: { by: '_sourceId' } }),
    'deletes one': (headers) => items.delete(path(`/${ID(1)}`), { headers }),
    'deletes several': (headers) => items.delete(path(), { body: [ID(1), ID(2)], headers }),
    'deletes what matches': (headers) => items.delete(path('/bulk'), { query: { query: JSON.stringify({ n: { $gt: 2 } }) }, headers }),
    'relates': (headers) => items.put(relations(), link(), { headers }),
    'takes readings': (headers) => items.post(path('/readings', sensors), reading(1), { headers }),
    'makes a named item': (headers) => items.post('nameduseritems', [{ _name: 'made', _shortName: 'made', _description: '', _itemClass: 'NamedUserCollection', _userType: 'made', _namespaces: [NS], _version: {} }], { headers }),
    'makes a version': (headers) => items.post(`nameduseritems/${item._id}/versions`, { _userAttributes: { made: 'ü' } }, { headers }),
    'changes a version': (headers) => items.put(`nameduseritems/${item._id}/versions/${version()}`, { _userAttributes: { changed: 1 } }, { headers }),
    'changes a named item': (headers) => items.put(`nameduseritems/${item._id}`, { _name: 'changed', _userType: item['_userType'], _namespaces: [NS], _shortName: item['_shortName'], _itemClass: item['_itemClass'] }, { headers }),
    'deletes a named item': (headers) => items.delete(`nameduseritems/${sensors._id}`, { headers }),
    'deletes a version': async (headers) => {
      if (other === undefined) other = (await items.post(`nameduseritems/${item._id}/versions`, {})).body._id as string;
      return items.delete(`nameduseritems/${item._id}/versions/${other}`, { headers });
    },
    'makes members': (headers) => items.post(`nameduseritems/${composite._id}/relatedcollections`, [item._id], { headers }),
    'ends a membership': (headers) => items.delete(`nameduseritems/${composite._id}/relatedcollections/${membership}`, { headers }),
    'replaces a schema definition': (headers) => items.put('schemadefinitions', { _itemTypes: [], _readingTypes: [] }, { headers }),
    'takes readings and counts': (headers) => items.post(path('/readings', sensors), reading(2), { headers, query: { onConflict: 'keep' } }),
  };

  it.each(Object.keys(forms))('that %s is done once, and answered as it would have been, though its process dies before it answers', async (name) => {
    const headers = { 'idempotency-key': `${name} ${item._id}` };
    const first = await dyingBehind(items.part(AnswerStore), () => (forms[name] as Send)(headers));
    const events = async () => (await items.eventsOf(item._id as string)).length + (await items.eventsOf(sensors._id as string)).length;
    const [total, told] = [await items.total(item), await events()];
    const again = await (forms[name] as Send)(headers);
    expectReplay(again, first);
    expect([await items.total(item), await events()]).toEqual([total, told]);
  });

  const accepted: Readonly<Record<string, Send>> = {
    'a bulk': (headers) => items.post(path('/bulk'), Array.from({ length: 1_001 }, (_, n) => ({ made: n })), { headers }),
    'many relationships': (headers) => items.put(`${relations()}/bulk`, Array.from({ length: 1_001 }, (_, n) => ({ ...link()[0], _relatedToIds: [ID(n + 1)] })), { headers }),
    'a telemetry config': (headers) => items.post('telemetryconfigs', { _name: 'Meters', _shortName: 'meters', _userType: 'telemetry', _namespaces: [NS], _configData: { _bindings: [] } }, { headers }),
    'an import': (headers) => upload(items, path('/import'), '{"made":1}\n', { headers: { ...headers } }),
  };

  it.each(Object.keys(accepted))('is accepted once, %s that is done later, though its process dies before it answers', async (name) => {
    const headers = { 'idempotency-key': `${name} ${item._id}` };
    const send = accepted[name] as Send;
    const first = await dyingBehind(items.part(AnswerStore), () => send(headers));
    expectReplay(await send(headers), first);
    expect([first.status, first.headers['retry-after']]).toEqual([202, '1']);
    await items.finished(first);
  });

  it('is undone when somebody else has it done meanwhile, and costs those nothing with whom it shares a transaction', async () => {
    const store = items.part(AnswerStore);
    const real = store.claim.bind(store);
    const claim = jest.spyOn(store, 'claim').mockImplementationOnce(async (asked) => {
      const mine = await real({ ...asked, leaseMs: 0 });
      await real({ ...asked, owner: '00000000-0000-4000-8000-000000000000' });
      return mine;
    });
    const transactions = jest.spyOn(items.part(DocumentStore), 'transaction');
    const [late, ...others] = await Promise.all([
      items.post(path(), [{ late: true }], { headers: { 'idempotency-key': `late ${item._id}` } }), ...Array.from({ length: 5 }, (_, n) => items.post(path(), [{ n }])),
    ]);
    claim.mockRestore();
    transactions.mockRestore();
    expect([late?.status, late?.body.message]).toEqual([409, 'Another request with this Idempotency-Key does this meanwhile']);
    expect(others.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect((await items.get(path(), { query: { query: JSON.stringify({ late: true }) } })).body._total).toBe(0);
  });

  it('that is refused is answered so again', async () => {
    const headers = { 'idempotency-key': `refused ${item._id}` };
    const first = await items.put(path(`/${ID(99)}`), { changed: true }, { headers });
    const again = await items.put(path(`/${ID(99)}`), { changed: true }, { headers });
    expect([first.status, again.status, again.body]).toEqual([404, 404, { ...first.body, requestId: again.body.requestId }]);
  });
});
