import { randomUUID } from 'node:crypto';
import { newNamespace } from '@twinyard/conventions';
import { DocumentStore } from '@twinyard/documents';
import { eventually } from '@twinyard/testing';
import { relatedItemsOf } from '../src/storage/collections';
import { runDataKeys, startDataKeys } from './data-keys-process';
import { HeldLine } from './held-line';
import { type Answer, ItemService, type Json, KEY_ENCRYPTION_KEY, NS } from './item-service';

/** Texts that stand nowhere else; all of them begin alike. */
const MARK = 'never written down';
const newSecret = () => `${MARK} ${randomUUID()}`;
const CIPHERTEXT = /^ty1\.[\w-]{16}\./;

let items: ItemService;

const encrypted = (fields: Json = {}, as = 'alice', namespace = NS) => items.item('NamedUserCollection', { _encryptionEnabled: true, ...fields }, as, namespace);
const search = async (body: Json): Promise<Answer> => items.post('nameduseritems/search', body);

/** Rotates the keys of a namespace, once, behind a read that has taken something sealed out of the store. */
function rotatingBehindReads(reader: ItemService, namespace: string): () => number {
  const store = reader.part(DocumentStore);
  let rotations = 0;
  for (const method of ['find', 'page'] as const) {
    const real = (store[method] as (...args: unknown[]) => Promise<unknown>).bind(store);
    const read = async (...args: unknown[]) => {
      const found = await real(...args);
      if (rotations === 0 && JSON.stringify(found).includes('ty1.')) {
        rotations += 1;
        expect((await items.dataKeys('rotate', '--namespace', namespace)).code).toBe(0);
      }
      return found;
    };
    Object.assign(store, { [method]: read });
  }
  return () => rotations;
}

describe('encryption', () => {
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());

  describe('properties with a dot before their name', () => {
    it('are nowhere in what the service keeps, and in every answer to who may READ', async () => {
      const item = await encrypted({ _userType: 'vault' });
      const other = await encrypted({ _userType: 'safe' });
      const path = `nameduseritems/${item._id}`;
      const [pin, deep, changed] = [newSecret(), newSecret(), newSecret()];
      const draft = { n: 1, '.pin': pin, room: { '.code': { parts: [deep, 7] }, plain: 1 }, list: [{ '.key': deep }, 'x', [{ '.key': null }]] };
      const made = await items.post(`${path}/relateditems`, [draft]);
      const row = made.body._list[0] as Json;
      expect(row).toMatchObject(draft);
      const [target] = (await items.related(other, [{ '.pin': pin }])) as [Json];
      await items.put(`${path}/relationships`, [{ _relatedFromId: row._id, _relatedToIds: [target._id], _relatedUserItemDbId: other._id }]);
      const after = { ...draft, '.pin': changed, room: { '.code': deep, plain: 1 }, list: [{ '.key': changed }] };
      expect((await items.put(`${path}/relateditems/${row._id}`, after)).body).toMatchObject(after);

      expect((await items.get(`${path}/relateditems/${row._id}`)).body).toMatchObject(after);
      expect((await items.get(`${path}/relateditems`, { query: { query: { 'room.plain': 1 }, sort: { n: 1 } } })).body._list).toMatchObject([after]);
      expect((await items.get(`${path}/relateditems`, { query: { project: { '.pin': 1, 'list..key': 1, _id: 0 } } })).body._list).toEqual([{ '.pin': changed, list: [{ '.key': changed }] }]);
      expect((await items.get(`${path}/relateditems`, { query: { project: { '.pin': 0, list: 0, _metadata: 0, _guid: 0, room: 0 } } })).body._list).toEqual([{ _id: row._id, n: 1 }]);
      const log = (await items.get(`${path}/relateditems/${row._id}/updatelogs`)).body._list[0] as Json;
      expect(Object.fromEntries((log._changes as Json[]).map(({ _path, _from, _to }) => [_path, [_from, _to]]))).toEqual({
        '.pin': [pin, changed], 'room..code': [{ parts: [deep, 7] }, deep], list: [draft.list, after.list],
      });
      const desc = { _relatedUserType: 'safe' };
      const found = (await search({ $findWithRelated: { parent: { collectionDesc: { _id: item._id } }, related: [{ relatedDesc: desc, as: 'safe', project: { '.pin': 1 } }], relatedFilter: { includeResult: true, $or: [{ relatedDesc: desc, as: 'all' }] } } })).body;
      expect(found._list[0]._versions[0]._relatedItems._list[0]).toMatchObject({ '.pin': changed, safe: { _list: [{ '.pin': pin }] }, all: { _list: [{ '.pin': pin }] } });
      const graph = (await search({ $findWithRelatedGraph: { start: { collectionDesc: { _id: item._id } }, to: { as: 'p', segments: [{ relatedDesc: desc, as: 's' }] } } })).body;
      expect(JSON.stringify(graph._referencedItems)).toContain(pin);
      expect([await items.mentioning(MARK), await items.eventsMentioning(MARK)]).toEqual([[], []]);
      expect((await items.kept(item))[0]).toMatchObject({ '.pin': expect.stringMatching(CIPHERTEXT), room: { '.code': expect.stringMatching(CIPHERTEXT), plain: 1 }, list: [{ '.key': expect.stringMatching(CIPHERTEXT) }], n: 1 });
      await items.restart();
      expect((await items.get(`${path}/relateditems/${row._id}`)).body).toMatchObject(after);
    });

    it('are sealed in requests that wait and in the answers that are kept of them', async () => {
      const item = await encrypted();
      const path = `nameduseritems/${item._id}/relateditems/bulk`;
      const many = Array.from({ length: 1_001 }, (_, n) => ({ n, '.pin': newSecret() }));
      const accepted = await items.post(path, many);
      expect(await items.mentioning(MARK)).toEqual([]);
      const done = await items.finished(accepted);
      const made = done._response._body._list as Json[];
      expect(made.map((one) => one['.pin'])).toEqual(many.map((one) => one['.pin']));
      const replaced = await items.put(path, made.slice(0, 3).map((one) => ({ ...one, '.pin': newSecret() })));
      expect([replaced.status, await items.mentioning(MARK), await items.eventsMentioning(MARK)]).toEqual([200, [], []]);
      const wrong = await items.finished(await items.post(path, made.map((one) => ({ ...one, '.pin': newSecret() }))));
      expect([wrong._response._status, await items.mentioning(MARK)]).toEqual([400, []]);
      // The same again counts as made: it is compared as it is, not as it is kept.
      const same = (await items.get(`nameduseritems/${item._id}/relateditems`, { query: { _pageSize: '3' } })).body._list as Json[];
      expect((await items.post(path, same.map(({ _metadata, ...one }) => one))).status).toBe(201);
    });

    it('can be neither filtered, sorted nor indexed on, nor told apart, wherever they are named', async () => {
      const item = await encrypted({ _userType: 'secretive' });
      await items.related(item, [{ '.pin': 'x', a: { '.b': 1 } }]);
      const list = (query: Json) => items.get(`nameduseritems/${item._id}/relateditems`, { query });
      const find = (more: Json) => search({ $findWithRelated: { parent: { collectionDesc: { _id: item._id }, ...more } } });
      const desc = { relatedDesc: { _relatedUserType: 'secretive' } };
      const asked: [string, () => Promise<Answer>][] = [
        ['.pin', () => list({ query: { '.pin': 'x' } })],
        ['.pin', () => list({ query: { $or: [{ n: 1 }, { $and: [{ $nor: [{ '.pin': { $exists: true } }] }] }] } })],
        ['a..b', () => list({ query: { 'a..b': { $gt: 0 } } })],
        ['a..b', () => list({ query: { a: { $elemMatch: { '.b': 1 } } } })],
        ['.pin.inner', () => list({ query: { '.pin.inner': { $not: { $regex: 'x' } } } })],
        ['.pin', () => list({ sort: { n: 1, '.pin': -1 } })],
        ['.pin', () => items.delete(`nameduseritems/${item._id}/relateditems/bulk`, { query: { query: { '.pin': 'x' } } })],
        ['.pin', () => find({ query: { '.pin': 'x' } })],
        ['.pin', () => find({ options: { sort: { '.pin': 1 } } })],
        ['.pin', () => search({ $findWithRelated: { parent: { collectionDesc: { _id: item._id } }, related: [{ ...desc, as: 'r', query: { '.pin': 1 } }] } })],
        ['.pin', () => search({ $findWithRelated: { parent: { collectionDesc: { _id: item._id } }, related: [{ ...desc, as: 'r', options: { sort: { '.pin': 1 } } }] } })],
        ['.pin', () => search({ $findWithRelated: { parent: { collectionDesc: { _id: item._id } }, relatedFilter: { $or: [{ ...desc, query: { '.pin': 1 } }] } } })],
        ['.pin', () => search({ $findWithRelated: { parent: { collectionDesc: { _id: item._id } }, relatedDistinctFields: [{ ...desc, field: '.pin', as: 'd' }] } })],
        ['.pin', () => search({ $distinctRelatedItemField: { collectionDesc: { _id: item._id }, field: '.pin' } })],
        ['a..b', () => search({ $distinctRelatedItemFields: { collectionDesc: { _id: item._id }, fieldDesc: [{ field: 'a' }] } })],
        ['.pin', () => search({ $distinctRelatedItemFields: { collectionDesc: { _id: item._id }, fieldDesc: [{ field: 'n', query: { '.pin': 1 } }] } })],
        ['.pin', () => search({ $findWithRelatedGraph: { start: { collectionDesc: { _id: item._id } }, to: { as: 'p', segments: [{ ...desc, as: 's', query: { '.pin': 1 } }] } } })],
        ['[0].key..pin', () => items.post(`nameduseritems/${item._id}/indexes`, [{ key: { n: 1, '.pin': 1 }, options: { name: 'pin' } }])],
      ];
      const told = [];
      for (const [path, ask] of asked) {
        const { status, body } = await ask();
        told.push([path, status, (body.details as Json[] | undefined)?.map(({ field }) => field as string)]);
      }
      expect(told).toEqual(asked.map(([path]) => [path, 400, [path]]));
      expect((await list({})).body._total).toBe(1);
    });

    it('are plain properties where the collection does not ask for encryption, which is decided when it is made', async () => {
      const item = await items.item('NamedUserCollection');
      await items.related(item, [{ '.pin': 'x' }, { '.pin': 'y' }]);
      expect(await items.total(item, { '.pin': 'x' })).toBe(1);
      expect((await items.put(`nameduseritems/${item._id}`, { ...item, _encryptionEnabled: true })).status).toBe(204);
      expect([(await items.get(`nameduseritems/${item._id}`)).body._encryptionEnabled, await items.total(item, { '.pin': 'y' })]).toEqual([false, 1]);
      const vault = await encrypted();
      await items.put(`nameduseritems/${vault._id}`, { ...vault, _encryptionEnabled: false, _name: 'Open?' });
      await items.related(vault, [{ '.pin': newSecret() }]);
      expect([(await items.get(`nameduseritems/${vault._id}`)).body._encryptionEnabled, await items.mentioning(MARK)]).toEqual([true, []]);
      expect((await items.post('nameduseritems', [{ ...vault, _encryptionEnabled: 'yes' }])).status).toBe(400);
    });

    it('stay out of generated schema definitions, which would keep their values as enums', async () => {
      const namespace = newNamespace('schema');
      await items.passport.grant('alice', namespace, ['*']);
      const item = await encrypted({}, 'alice', namespace);
      const drafts = Array.from({ length: 20 }, (_, n) => ({ kind: n % 2 ? 'a' : 'b', '.kind': MARK }));
      await items.post(`nameduseritems/${item._id}/relateditems/bulk`, drafts, { nsfilter: namespace });
      const { body } = await items.post('schemadefinitions/generate', {}, { nsfilter: namespace });
      expect(Object.keys(body._itemTypes[0]._properties as Json)).toEqual(['kind']);
    });

    it('open in their own property of their own item alone', async () => {
      const item = await encrypted();
      const [, two] = (await items.related(item, [{ '.pin': 'one', '.code': 'same' }, { '.pin': 'two' }])) as [Json, Json];
      const [kept, other] = (await items.kept(item)) as [Json, Json];
      const status = async (document: Json) => {
        await items.tamper(item, document);
        return (await items.get(`nameduseritems/${item._id}/relateditems/${document._id}`)).status;
      };
      expect([await status({ ...kept, _id: two._id }), await status({ ...kept, '.pin': kept['.code'] }), await status({ ...kept, '.pin': 'plain' }), await status(kept), await status(other)]).toEqual([500, 500, 500, 200, 200]);
    });

    it('are no way to tell items apart for who holds a grant on some of them', async () => {
      const item = await encrypted();
      await items.related(item, [{ '.pin': 'x', floor: 1 }, { '.pin': 'y', floor: 2 }]);
      const grant = (as: string, part: Json) => items.passport.grant(as, NS, ['READ'], `itemsvc:nameduseritem:${item._id}`, { subresource: { _type: 'relateditem', _criteria: part } });
      await grant('guesser', { '.pin': 'x' });
      expect((await items.get(`nameduseritems/${item._id}/relateditems`, { as: 'guesser' })).status).toBe(404);
      await grant('floor reader', { floor: 1 });
      expect((await items.get(`nameduseritems/${item._id}/relateditems`, { as: 'floor reader' })).body._list).toMatchObject([{ '.pin': 'x', floor: 1 }]);
      expect((await items.get(`nameduseritems/${item._id}/relateditems`, { as: 'mallory', nsfilter: NS })).status).toBe(404);
    });
  });

  describe('data keys of items', () => {
    const newPlace = async () => {
      const namespace = newNamespace('keys');
      await items.passport.grant('alice', namespace, ['*']);
      const item = await encrypted({}, 'alice', namespace);
      const path = `nameduseritems/${item._id}/relateditems`;
      const options = { nsfilter: namespace };
      return { namespace, item, path, options, list: async () => (await items.get(path, { ...options, query: { _pageSize: '5000', sort: { n: 1 } } })).body._list as Json[] };
    };
    const keyIds = (documents: readonly Json[]) => [...new Set(documents.map((document) => String(document['.pin']).split('.')[1]))];

    it('are replaced while everything is served, with what is kept in update logs', async () => {
      const { namespace, item, path, options, list } = await newPlace();
      await items.post(`${path}/bulk`, Array.from({ length: 250 }, (_, n) => ({ n, '.pin': `pin ${n}` })), options);
      const [first] = (await list()) as [Json];
      await items.put(`${path}/${first._id}`, { n: 0, '.pin': 'changed' }, options);
      const [before] = await items.keysOf(namespace);
      const writing = Promise.all(Array.from({ length: 20 }, async (_, n) => (await items.post(path, [{ n: 1_000 + n, '.pin': `late ${n}` }], options)).status));
      const rotated = await items.dataKeys('rotate', '--namespace', namespace);
      expect(new Set(await writing)).toEqual(new Set([201]));
      expect(rotated).toMatchObject({ code: 0, output: expect.stringMatching(/: \d{3} records encrypted anew under data key 2, 1 old keys removed$/) });
      const keys = await items.keysOf(namespace);
      expect([keys.map(({ version }) => version), keyIds(await items.kept(item))]).toEqual([[2], [keys[0]?.id]]);
      expect(await items.mentioning(before?.id as string)).toEqual([]);
      expect((await list()).map((row) => row['.pin'])).toEqual(['changed', ...Array.from({ length: 249 }, (_, n) => `pin ${n + 1}`), ...Array.from({ length: 20 }, (_, n) => `late ${n}`)]);
      expect((await items.get(`${path}/${first._id}/updatelogs`, options)).body._list[0]._changes).toEqual([{ _path: '.pin', _from: 'pin 0', _to: 'changed' }]);
    });

    it('end as one when two rotations run at once', async () => {
      const { namespace, item, path, options, list } = await newPlace();
      await items.post(`${path}/bulk`, Array.from({ length: 220 }, (_, n) => ({ n, '.pin': `pin ${n}` })), options);
      const both = await Promise.all([items.dataKeys('rotate', '--namespace', namespace), items.dataKeys('rotate', '--namespace', namespace)]);
      expect(both.map(({ code, output }) => [code, output.startsWith(namespace)])).toEqual([[0, true], [0, true]]);
      expect(keyIds(await items.kept(item))).toEqual((await items.keysOf(namespace)).map(({ id }) => id));
      expect((await list()).map((row) => row['.pin'])).toEqual(Array.from({ length: 220 }, (_, n) => `pin ${n}`));
    });

    it('are replaced to the end by another rotation when one is killed in the middle, and everything is served between', async () => {
      const { namespace, item, path, options, list } = await newPlace();
      const pins = Array.from({ length: 1_600 }, (_, n) => `pin ${n}`);
      for (let from = 0; from < pins.length; from += 800) await items.post(`${path}/bulk`, pins.slice(from, from + 800).map((pin, n) => ({ n: from + n, '.pin': pin })), options);
      const [old] = await items.keysOf(namespace);
      const underOld = () => items.itemsIn(relatedItemsOf(item._id as string, item._tipId as string), { '.pin': { $regex: `^ty1.${old?.id}` } });
      for (const left of [1_599, 900]) {
        const line = await HeldLine.open(items);
        const rotation = startDataKeys(items, ['rotate', '--namespace', namespace], line.settings);
        await line.holdWhen(async () => (await underOld()) <= left);
        expect((await rotation.kill()).code).toBeNull();
        await line.close();
        expect((await list()).map((row) => row['.pin'])).toEqual(pins);
        pins[0] = `changed with ${left} left`;
        expect((await items.put(`${path}/${(await list())[0]?._id}`, { n: 0, '.pin': pins[0] }, options)).status).toBe(200);
      }
      expect([await underOld() > 0, (await items.keysOf(namespace)).map(({ version }) => version)]).toEqual([true, [2, 1]]);
      expect(await items.dataKeys('rotate', '--namespace', namespace)).toMatchObject({ code: 0, output: expect.stringContaining('an earlier rotation was finished') });
      expect([await underOld(), (await items.keysOf(namespace)).map(({ version }) => version)]).toEqual([0, [2]]);
      expect((await list()).map((row) => row['.pin'])).toEqual(pins);
    });

    it('may be replaced between the reading of a record and its opening: it is read once more', async () => {
      const { namespace, path, options } = await newPlace();
      const [{ _id: id }] = (await items.post(path, [{ n: 1, '.pin': 'kept' }], options)).body._list as [Json];
      await items.put(`${path}/${id}`, { n: 1, '.pin': 'changed' }, options);
      const reads = { [path]: (body: Json) => body._list[0]['.pin'], [`${path}/${id}`]: (body: Json) => body['.pin'], [`${path}/${id}/updatelogs`]: (body: Json) => body._list[0]._changes[0]._to };
      for (const [route, shown] of Object.entries(reads)) {
        // A process that has no key in its memory yet.
        const other = await items.twin();
        const rotations = rotatingBehindReads(other, namespace);
        const { status, body } = await other.get(route, options);
        expect([route, status, status === 200 && shown(body), rotations()]).toEqual([route, 200, 'changed', 1]);
        await other.leave();
      }
    });

    it('are named by a rotation that cannot open something, and kept', async () => {
      const { namespace, item, path, options } = await newPlace();
      await items.post(`${path}/bulk`, [{ n: 1, '.pin': 'a' }, { n: 2, '.pin': 'b' }], options);
      const [one, two] = (await items.kept(item)) as [Json, Json];
      await items.tamper(item, { ...one, '.pin': two['.pin'] });
      const rotated = await items.dataKeys('rotate', '--namespace', namespace);
      expect([rotated.code, rotated.output]).toEqual([1, expect.stringContaining(`itemsvc:relateditem:${item._id}:${item._tipId}:${one._id}`)]);
      expect((await items.keysOf(namespace)).map(({ version }) => version)).toEqual([2, 1]);
      await items.tamper(item, one);
      expect(await items.dataKeys('rotate')).toMatchObject({ code: 0, output: expect.stringContaining('an earlier rotation was finished') });
      expect((await items.keysOf(namespace)).map(({ version }) => version)).toEqual([2]);
      expect((await items.dataKeys('reseal')).output).toBe('0 data keys wrapped anew');
      expect([(await items.dataKeys('rotat')).code, (await items.dataKeys('rotate', '--namespace')).code, (await items.dataKeys('rotate', '--namespace', 'nobody_12345678')).code]).toEqual([2, 2, 1]);
    });

    it('are wrapped anew under another KEY_ENCRYPTION_KEY, which alone opens them then', async () => {
      const { namespace, path, options, list } = await newPlace();
      await items.post(path, [{ n: 1, '.pin': 'kept' }], options);
      const KEY = Buffer.alloc(32, 6).toString('base64');
      await items.restart({ KEY_ENCRYPTION_KEY: KEY, KEY_ENCRYPTION_KEY_PREVIOUS: KEY_ENCRYPTION_KEY });
      expect((await items.dataKeys('reseal')).output).toMatch(/^[1-9]\d* data keys wrapped anew$/);
      expect(await runDataKeys(items, ['reseal'])).toEqual({ code: 0, output: '0 data keys wrapped anew\n' });
      await items.restart({ KEY_ENCRYPTION_KEY: KEY });
      expect((await list()).map((row) => row['.pin'])).toEqual(['kept']);
      await items.restart();
      expect((await items.get(path, options)).status).toBe(500);
      expect(await items.dataKeys('rotate', '--namespace', namespace)).toMatchObject({ code: 1, output: expect.stringContaining('KEY_ENCRYPTION_KEY does not open data key 1') });
      await items.restart({ KEY_ENCRYPTION_KEY, KEY_ENCRYPTION_KEY_PREVIOUS: KEY });
      await items.dataKeys('reseal');
      await items.restart();
      expect((await list()).map((row) => row['.pin'])).toEqual(['kept']);
    });

    it('go with the purge of their namespace; what has moved to another lies under that one\'s key', async () => {
      const [gone, stays] = [await newPlace(), await newPlace()];
      const both = [gone.namespace, stays.namespace];
      await items.post(`${gone.path}/bulk`, [{ n: 1, '.pin': 'gone' }], gone.options);
      const moved = await items.post('nameduseritems', [{ _name: 'moved', _shortName: 'moved', _userType: 'x', _itemClass: 'NamedUserCollection', _namespaces: [gone.namespace], _encryptionEnabled: true }], { nsfilter: gone.namespace });
      const item = moved.body._list[0] as Json;
      await items.post(`nameduseritems/${item._id}/relateditems`, [{ '.pin': 'kept' }], gone.options);
      expect((await items.put(`nameduseritems/${item._id}`, { ...item, _namespaces: [stays.namespace] }, { nsfilter: both })).status).toBe(204);
      await items.purge(gone.namespace);
      await eventually(async () => expect(await items.keysOf(gone.namespace)).toEqual([]));
      expect((await items.get(`nameduseritems/${item._id}/relateditems`, stays.options)).body._list).toMatchObject([{ '.pin': 'kept' }]);
      expect(keyIds(await items.kept(item))).toEqual((await items.keysOf(stays.namespace)).map(({ id }) => id));
    });
  });
});
