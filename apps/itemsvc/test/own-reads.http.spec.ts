import { newNamespace } from '@twinyard/conventions';
import { DocumentStore } from '@twinyard/documents';
import { Envelope } from '@twinyard/envelope';
import { eventually } from '@twinyard/testing';
import { ResealVersion } from '../src/encryption/reseal-version';
import type { ProcessingError } from '../src/processingerrors/processing-error';
import { ProcessingErrorsRepository } from '../src/processingerrors/processing-errors.repository';
import { ItemService, type Json } from './item-service';

/** The least that an answer may be told to weigh: less than what is read here. */
const MOST = 1024 ** 2;
/** With a few of these the service has to go on behind a portion. */
const LARGE = 3_500_000;

describe('what the service reads for itself', () => {
  let items: ItemService;
  beforeAll(async () => { items = await ItemService.start({ ANSWER_MAX_BYTES: String(MOST) }); });
  afterAll(() => items.stop());

  const newTenant = async () => {
    const namespace = newNamespace('own');
    await items.passport.grant('alice', namespace, ['*']);
    return namespace;
  };

  it('is not refused for the weight of an answer: 5,000 items that are replaced, and what their logs tell', async () => {
    const item = await items.item('NamedUserCollection');
    const path = `nameduseritems/${item._id}/relateditems`;
    const idOf = (n: number) => n.toString(16).padStart(24, '0');
    for (let first = 0; first < 5_000; first += 1_000) {
      const { status } = await items.post(`${path}/bulk`, Array.from({ length: 1_000 }, (_, n) => ({ _id: idOf(first + n), n: first + n, text: 'x'.repeat(3_600) })));
      expect(status).toBe(201);
    }
    const before = await items.updatesKept();
    const accepted = await items.put(`${path}/bulk`, Array.from({ length: 5_000 }, (_, n) => ({ _id: idOf(n), n, text: 'y' })));
    expect((await items.finished(accepted))._response).toMatchObject({ _status: 200, _body: { _total: 5_000 } });
    expect([await items.total(item, { text: 'y' }), await items.updatesKept() - before]).toEqual([5_000, 5_000]);
    const { body } = await items.get(`${path}/${idOf(4_999)}/updatelogs`);
    expect(body._list[0]._changes).toEqual([{ _path: 'text', _from: 'x'.repeat(3_600), _to: 'y' }]);
    const unknown = await items.put(path, [{ _id: idOf(0), n: 0 }, { _id: idOf(5_001), n: 0 }]);
    expect([unknown.status, unknown.text.includes(`[1]._id: there is no related item ${idOf(5_001)}`), await items.total(item, { text: 'y' })]).toEqual([400, true, 5_000]);
  });

  it('is not refused: items that are there already when they are made again', async () => {
    const item = await items.item('NamedUserCollection');
    const path = `nameduseritems/${item._id}/relateditems`;
    const drafts = ['a', 'b', 'c', 'd', 'e'].map((letter) => ({ _id: letter.repeat(24), text: letter.repeat(LARGE) }));
    for (const draft of drafts) expect((await items.post(path, [draft])).status).toBe(201);
    const small = drafts.map(({ _id }) => ({ _id, text: 'other' }));
    const { status, body } = await items.post(path, small);
    expect([status, body.details.map(({ field }: Json) => field)]).toEqual([400, ['[0]._id', '[1]._id', '[2]._id', '[3]._id', '[4]._id']]);
    const again = await items.post(path, drafts.slice(3));
    expect([again.status, again.body._total, again.body._list.map(({ _id }: Json) => _id)]).toEqual([201, 2, ['d'.repeat(24)]]);
  });

  it('is not refused: who holds a value of a unique index', async () => {
    const item = await items.item('NamedUserCollection');
    const path = `nameduseritems/${item._id}`;
    const made: string[] = [];
    for (const code of ['a', 'b', 'c']) made.push((await items.post(`${path}/relateditems`, [{ code, text: 'x'.repeat(600_000) }])).body._list[0]._id as string);
    expect((await items.post(`${path}/indexes`, [{ key: { code: 1 }, options: { name: 'code', unique: true } }])).status).toBe(201);
    const { status, body } = await items.post(`${path}/relateditems`, [{ code: 'c' }, { code: 'b' }, { code: 'a' }]);
    expect([status, body.details.map(({ issue }: Json) => made.find((id) => (issue as string).includes(id)))]).toEqual([409, [...made].reverse()]);
  });

  it('is not refused: all versions of an item, whenever it is changed', async () => {
    // Together they are what MongoDB holds of one item.
    const content = (n: number) => ({ _userData: String(n).repeat(2_400_000) });
    const item = await items.item('UserConfig', { _userType: 'large', _version: content(1) });
    const path = `nameduseritems/${item._id}`;
    for (let n = 2; n <= 6; n += 1) expect((await items.post(`${path}/versions`, content(n))).status).toBe(201);
    expect((await items.put(path, { ...item, _name: 'Renamed' })).status).toBe(204);
    // Page by page, since so much is not read for one answer, whatever a projection leaves of it.
    const renamed: number[] = [];
    for (let rest = 1; rest > 0;) {
      const { _list, _total } = (await items.get(`${path}/versions`, { query: { query: { _name: 'Renamed' }, project: { _version: 1 }, sort: { _version: 1 }, page: { _offset: renamed.length } } })).body;
      renamed.push(..._list.map(({ _version }: Json) => _version));
      rest = _list.length === 0 ? 0 : _total - renamed.length;
    }
    expect(renamed).toEqual([1, 2, 3, 4, 5, 6]);
    const log = (await items.get(`${path}/updatelogs`, { query: { _pageSize: '1' } })).body;
    expect([log._total, log._list[0]._changes]).toEqual([7, [{ _path: '_name', _from: 'UserConfig', _to: 'Renamed' }]]);
  });

  /** Records of readings that could not be normalized. */
  async function leaveErrors(collection: Json, count: number): Promise<void> {
    const { _id: _userItemDbId, _userItemId, _tipId, _itemClass, _userType, _namespaces } = collection;
    const errors = Array.from({ length: count }, (_, n) => ({
      _id: `${_userItemDbId}${n}`, _userItemDbId, _userItemId, _userItemVersionId: _tipId, _itemClass, _userType, _namespaces, _telemetryConfigId: 'none', _message: 'x'.repeat(400_000), _console: [], _readings: [], _at: Date.now() + n,
    }));
    await items.part(DocumentStore).transaction((tx) => items.part(ProcessingErrorsRepository).put(tx, errors as unknown as ProcessingError[]));
  }
  const errorsIn = async (nsfilter: string, query: Json = {}) => (await items.get('telemetry_processing_errors', { nsfilter, query: { query, _pageSize: '0' } })).body._total as number;

  it('is not refused: what repeats of an item where it is changed, and what a purge takes a namespace out of', async () => {
    const [mine, other] = [await newTenant(), await newTenant()];
    const make = async (itemClass: string, _namespaces: readonly string[], fields: Json = {}) => (
      (await items.post('nameduseritems', [{ _name: itemClass, _shortName: 'x', _userType: 'x', _itemClass: itemClass, _namespaces, ...fields }], { nsfilter: _namespaces })).body._list[0] as Json
    );
    const collection = await make('NamedTelemetryCollection', [mine, other]);
    await leaveErrors(collection, 5);
    expect((await items.put(`nameduseritems/${collection._id}`, { ...collection, _userType: 'moved' }, { nsfilter: [mine, other] })).status).toBe(204);
    expect(await errorsIn(mine, { _userType: 'moved' })).toBe(5);
    const config = await make('UserConfig', [mine, other], { _version: { _userData: 'x'.repeat(700_000) } });
    for (const letter of ['y', 'z']) await items.post(`nameduseritems/${config._id}/versions`, { _userData: letter.repeat(700_000) }, { nsfilter: [mine, other] });
    await items.purge(mine);
    await eventually(async () => expect((await items.eventsOf(mine)).filter(({ type }) => type === 'itemsvc.Namespace')).toHaveLength(1));
    expect([await errorsIn(mine), await errorsIn(other)]).toEqual([0, 5]);
    const left = await items.get(`nameduseritems/${config._id}/versions`, { nsfilter: other, query: { query: { _namespaces: mine }, _pageSize: '0' } });
    expect([left.body._total, (await items.get(`nameduseritems/${config._id}`, { nsfilter: other, query: { project: { _namespaces: 1 } } })).body._namespaces]).toEqual([0, [other]]);
  });

  it('is not refused: what is encrypted anew under another key', async () => {
    const nsfilter = await newTenant();
    const item = await items.item('NamedUserCollection', { _encryptionEnabled: true }, 'alice', nsfilter);
    const path = `nameduseritems/${item._id}/relateditems`;
    const ids: string[] = [];
    for (const letter of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const made = await items.post(path, [{ '.plan': letter.repeat(LARGE) }], { nsfilter });
      ids.push(made.body._list[0]._id as string);
    }
    // Of the first of these changes the log says that its values were too large.
    for (const letter of ['y', 'z']) await items.put(`${path}/${ids[0]}`, { '.plan': letter.repeat(LARGE / 2) }, { nsfilter });
    const { keys } = items.part(Envelope);
    const [first, second] = [await keys.newest(nsfilter), await keys.make(nsfilter, 2)];
    expect(await items.part(ResealVersion).run(item._tipId as string, [first.id], second)).toEqual({ resealed: 7, unopenable: [] });
    const kept = await Promise.all(ids.map((id) => items.keptItem(item, id)));
    expect(kept.map((document) => String(document?.['.plan']).split('.')[1])).toEqual(ids.map(() => second.id));
    const shown = (await items.get(`${path}/${ids[5]}`, { nsfilter })).body as Json;
    expect(shown['.plan'] === 'f'.repeat(LARGE)).toBe(true);
  });

  it('is not refused: collections that a search leads to, whatever their versions hold', async () => {
    const [walls, doors] = [await items.item('NamedUserCollection'), await items.item('NamedUserCollection', { _userType: 'doors' })];
    for (let n = 0; n < 3; n += 1) await items.item('NamedUserCollection', { _userType: 'doors', _version: { _userData: 'x'.repeat(500_000) } });
    const [[wall], [door]] = [await items.related(walls, [{ name: 'wall' }]), await items.related(doors, [{ name: 'door' }])];
    expect((await items.put(`nameduseritems/${walls._id}/relationships`, [{ _relatedFromId: wall?._id, _relatedToIds: [door?._id], _relatedUserItemDbId: doors._id }])).status).toBe(204);
    const { status, body } = await items.post('nameduseritems/search', { $findWithRelated: { parent: { collectionDesc: { _id: walls._id } }, related: [{ relatedDesc: { _relatedUserType: 'doors' }, as: 'doors' }] } });
    expect([status, body._list[0]._versions[0]._relatedItems._list[0].doors._list[0].name]).toEqual([200, 'door']);
  });
});
