import { eventually } from '@twinyard/testing';
import fc from 'fast-check';
import { relatedItemsOf } from '../src/storage/collections';
import { type Answer, ItemService, type Json, NS } from './item-service';
import { expectState, versionCommands, type VersionsModel } from './versions-model';

describe('versions', () => {
  let items: ItemService;
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());

  const versionsOf = (item: Json) => `nameduseritems/${item._id}/versions`;

  it('makes a new tip with the next number, and the earlier tip is none any more', async () => {
    const item = await items.item('UserConfig', { _version: { _userData: 1 } });
    const [old] = item._versions;
    const { status, body } = await items.post(versionsOf(item), { ...old, _userData: { a: 2 }, _userAttributes: { b: 1 } });
    expect([status, body._version, body._isTip, body._userData, body._userItemDbId]).toEqual([201, 2, true, { a: 2 }, item._id]);
    expect(body._id).not.toBe(old._id);
    expect((await items.get(`nameduseritems/${item._id}`)).body).toMatchObject({ _tipId: body._id, _tipVersion: 2, _nextVersion: 3, _versionsCount: 2, _versions: [{ _version: 2 }] });
    const all = (await items.get(`nameduseritems/${item._id}`, { query: { '_versions.all': 'true' } })).body;
    expect(all._versions.map((version: Json) => [version._version, version._isTip])).toEqual([[1, false], [2, true]]);
    expect((await items.post(versionsOf(item), { _userData: null })).body.details).toEqual([{ field: '_userData', issue: 'cannot be null for UserConfig' }]);
    const bare = await items.post(versionsOf(item), {});
    expect([bare.status, bare.body._version, '_userData' in bare.body]).toEqual([201, 3, false]);
    expect((await items.post(versionsOf(item), { _userData: 1, _userAttributes: 'no' })).status).toBe(400);
    expect((await items.post('nameduseritems/nobody/versions', {})).status).toBe(404);
  });

  it('finds items by an old version only when all versions are asked for', async () => {
    const item = await items.item('UserConfig', { _userType: 'history', _version: { _userData: 1, _userAttributes: { state: 'old' } } });
    await items.post(versionsOf(item), { _userData: 2, _userAttributes: { state: 'new' } });
    const total = async (query: Json) => (await items.get('nameduseritems', { query: { query: { _userType: 'history', ...query } } })).body._total;
    expect(await total({ '_versions._userAttributes.state': 'old' })).toBe(0);
    expect(await total({ '_versions._userAttributes.state': 'new' })).toBe(1);
    expect(await total({ '_versions.all': true, '_versions._userAttributes.state': 'old' })).toBe(1);
    expect(await total({ '_versions.all': true, '_versions._version': 1 })).toBe(1);
    expect(await total({ '_versions.all': true, '_versions._version': 3 })).toBe(0);
    expect(await total({ $and: [{ '_versions.all': true }, { '_versions._version': 1 }] })).toBe(1);
    expect(await total({ $and: [{ '_versions.all': false, '_versions._version': 1 }] })).toBe(0);
  });

  it('refuses contents that are nested deeper than a store can hold', async () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(120)}1${'}'.repeat(120)}`);
    const item = await items.item('UserConfig', { _version: { _userData: 1 } });
    const fields = async (answer: Promise<Answer>) => (await answer).body.details?.map(({ field }: Json) => field);
    const content = { _userData: deep, _userAttributes: deep };
    expect(await fields(items.post(`nameduseritems/${item._id}/versions`, content))).toEqual(['_userAttributes', '_userData']);
    expect(await fields(items.put(`nameduseritems/${item._id}/versions/${item._tipId}`, content))).toEqual(['_userAttributes', '_userData']);
    expect(await fields(items.post('nameduseritems', [{ ...item, _version: content }]))).toEqual(['[0]._version._userAttributes', '[0]._version._userData']);
  });

  it('lists versions by their own fields and by those of the owner', async () => {
    const item = await items.item('NamedUserCollection', { _userType: 'mine' });
    for (const n of [2, 3]) await items.post(versionsOf(item), { _userAttributes: { n } });
    const list = async (query: Json) => (await items.get(versionsOf(item), { query })).body;
    expect((await list({ sort: { _version: -1 }, project: { _version: 1 }, page: { _pageSize: 2 } }))).toMatchObject({ _total: 3, _pageSize: 2, _list: [{ _version: 3 }, { _version: 2 }] });
    expect((await list({ query: { '_userAttributes.n': 2 } }))._list).toMatchObject([{ _version: 2, _isTip: false }]);
    expect((await list({ query: { _itemClass: 'NamedUserCollection', _userType: 'mine' } }))._total).toBe(3);
    expect((await list({ query: { _userType: 'other' } }))._total).toBe(0);
    expect(Object.keys((await list({}))._list[0]).sort()).toEqual(['_id', '_isTip', '_metadata', '_userItemDbId', '_version']);
    await items.put(`nameduseritems/${item._id}`, { ...item, _userType: 'renamed' });
    expect((await list({ query: { _userType: 'renamed' } }))._total).toBe(3);
  });

  it('reads, changes and deletes a version with and without the prefix of the path', async () => {
    const item = await items.item('UserConfig', { _version: { _userData: 1, _userAttributes: { a: 1 } } });
    const second = (await items.post(versionsOf(item), { _userData: 2 })).body;
    for (const prefix of ['', '/']) {
      const path = `${prefix}nameduseritems/${item._userItemId}/versions/${second._id}`;
      expect((await items.get(path)).body).toMatchObject({ _id: second._id, _version: 2 });
      const { status, body } = await items.put(path, { _userData: 'changed', _version: 77 });
      expect([status, body._userData, body._version]).toEqual([201, 'changed', 2]);
    }
    expect((await items.get(`nameduseritems/${item._id}`)).body._versions[0]._userData).toBe('changed');
    expect((await items.get(`nameduseritems/${item._id}/versions/nothing`)).status).toBe(404);
    expect((await items.put(`nameduseritems/${item._id}/versions/${item._id}`, {})).status).toBe(404);
    expect((await items.delete(`nameduseritems/${item._id}/versions/${item._id}`)).status).toBe(404);
    expect((await items.delete(`/nameduseritems/${item._id}/versions/${second._id}`)).status).toBe(204);
    expect((await items.delete(`nameduseritems/${item._id}/versions/${second._id}`)).status).toBe(404);
  });

  it('tells who may change an item and not READ it nothing of a version but what it has said', async () => {
    const item = await items.item('UserConfig', { _version: { _userData: 'secret', _userAttributes: { a: 'secret' } } });
    await items.passport.grant('changer', NS, ['EDIT'], `itemsvc:nameduseritem:${item._id}`);
    const { status, text, body } = await items.put(`${versionsOf(item)}/${item._tipId}`, { _userAttributes: { b: 1 } }, { as: 'changer' });
    expect([status, body._version, body._userAttributes, text.includes('secret')]).toEqual([201, 1, { b: 1 }, false]);
    expect((await items.get(`${versionsOf(item)}/${item._tipId}`)).body).toMatchObject({ _userData: 'secret', _userAttributes: { b: 1 } });
  });

  it('moves the tip back when the tip is deleted, never uses a number twice, and keeps the only version', async () => {
    const item = await items.item('NamedUserCollection');
    const second = (await items.post(versionsOf(item), {})).body;
    expect((await items.delete(`${versionsOf(item)}/${second._id}`)).status).toBe(204);
    expect((await items.get(`nameduseritems/${item._id}`)).body).toMatchObject({ _tipId: item._tipId, _tipVersion: 1, _nextVersion: 3, _versionsCount: 1, _versions: [{ _isTip: true }] });
    const { status, body } = await items.delete(`${versionsOf(item)}/${item._tipId}`);
    expect([status, body.code]).toEqual([400, 'invalid']);
    expect((await items.post(versionsOf(item), {})).body._version).toBe(3);
    expect((await items.delete(`${versionsOf(item)}/${item._tipId}`)).status).toBe(204);
    expect((await items.get(`nameduseritems/${item._id}`)).body).toMatchObject({ _tipVersion: 3, _versionsCount: 1 });
  });

  it('starts a version of a collection empty; the old one stays readable and writable by its id', async () => {
    const item = await items.item('NamedUserCollection');
    await items.related(item, [{ a: 1 }, { a: 2 }]);
    await items.post(versionsOf(item), {});
    const path = `nameduseritems/${item._id}/relateditems`;
    const total = async (query: Json = {}) => (await items.get(path, { query })).body._total;
    expect([await total(), await total({ userItemVersionId: item._tipId })]).toEqual([0, 2]);
    expect((await items.post(path, [{ a: 3 }], { query: { userItemVersionId: item._tipId } })).status).toBe(201);
    expect([await total(), await total({ userItemVersionId: item._tipId })]).toEqual([0, 3]);
    expect((await items.get(path, { query: { userItemVersionId: item._id } })).status).toBe(404);
    expect((await items.delete(`${versionsOf(item)}/${item._tipId}`)).status).toBe(204);
    expect((await items.get(path, { query: { userItemVersionId: item._tipId } })).status).toBe(404);
  });

  it('gives versions made at the same time numbers of their own and one tip', async () => {
    const item = await items.item('NamedUserCollection');
    const made = await Promise.all(Array.from({ length: 8 }, () => items.post(versionsOf(item), {})));
    expect(made.map(({ body }) => body._version).sort()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    const { body } = await items.get(versionsOf(item), { query: { query: { _isTip: true } } });
    expect(body._list.map((version: Json) => version._version)).toEqual([9]);
  });

  it('says in its events how big each version is', async () => {
    const item = await items.item('NamedUserCollection');
    const second = (await items.post(versionsOf(item), { _userData: 'ä' })).body;
    await items.put(`${versionsOf(item)}/${second._id}`, { _userData: 'ää' });
    await items.delete(`${versionsOf(item)}/${second._id}`);
    const events = (await items.eventsOf(item._id)).filter(({ type }) => type === 'itemsvc.Version');
    expect(events.map(({ _version, _isTip, _size }) => [_version, _isTip, _size])).toEqual([[1, true, 0], [2, true, 4], [2, true, 6], [2, false, 0], [1, true, 0]]);
  });

  it('follow the states table through any sequence of operations', async () => {
    await fc.assert(fc.asyncProperty(versionCommands, async (commands) => {
      const item = await items.item('NamedUserCollection');
      const model: VersionsModel = { versions: [{ number: 1, content: {}, items: 0 }], next: 2 };
      const real = { items, item };
      await expectState(model, real);
      await fc.asyncModelRun(() => ({ model, real }), commands);
      // A sequence may break off, and fast-check runs it from its start then.
      await items.delete(`nameduseritems/${item._id}`);
    }), { seed: 22, numRuns: 4 * Number(process.env['FC_RUNS'] ?? 1) });
  }, 600_000);

  it('are out of reach at once when they are deleted, and emptied a few thousand items at a time', async () => {
    const item = await items.item('NamedTelemetryCollection');
    const made = await items.related(item, Array.from({ length: 4_100 }, (_, n) => ({ _sourceId: `s${n}` })));
    const readings = made.slice(0, 3).map(({ _id, _sourceId }) => ({ _ts: '9999-12-31T23:59:59.999Z', _tsMetadata: { _telItemId: _id, _sourceId }, n: 1 }));
    expect((await items.post(`nameduseritems/${item._id}/relateditems/readings`, readings)).status).toBe(204);
    const second = (await items.post(versionsOf(item), {})).body;
    await items.related(item, [{ _sourceId: 's1' }]);
    const old = relatedItemsOf(item._id as string, item._tipId as string);
    expect((await items.delete(`${versionsOf(item)}/${item._tipId}`)).status).toBe(204);
    expect((await items.get(`nameduseritems/${item._id}/relateditems`, { query: { userItemVersionId: item._tipId } })).status).toBe(404);
    await eventually(async () => expect([await items.itemsIn(old), await items.readingsIn(old)]).toEqual([0, 0]));
    expect(await items.itemsIn(relatedItemsOf(item._id as string, second._id as string))).toBe(1);
  });

  it('that a process had deleted when it was killed are emptied by the next one', async () => {
    const item = await items.item('NamedUserCollection');
    await items.related(item, [{ a: 1 }, { a: 2 }]);
    const other = await items.item('NamedUserCollection');
    await items.related(other, [{ a: 1 }]);
    await items.leaveVersionUnemptied(item._id as string, item._tipId as string);
    // Its item is gone before anybody came to it.
    await items.leaveVersionUnemptied(other._id as string, other._tipId as string);
    expect(await items.itemsIn(relatedItemsOf(item._id as string, item._tipId as string))).toBe(2);
    await items.delete(`nameduseritems/${other._id}`);
    await items.restart();
    await eventually(async () => expect(await items.itemsIn(relatedItemsOf(item._id as string, item._tipId as string))).toBe(0));
    await eventually(async () => expect(await items.collectionsOf(other._id as string)).toBe(0));
  });
});
