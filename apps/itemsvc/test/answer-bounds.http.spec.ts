import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newNamespace } from '@twinyard/conventions';
import { DocumentStore } from '@twinyard/documents';
import { type ApiDocument, itBoundsLists } from '@twinyard/testing';
import type { ProcessingError } from '../src/processingerrors/processing-error';
import { ProcessingErrorsRepository } from '../src/processingerrors/processing-errors.repository';
import { ItemService, type Json, NS } from './item-service';

const MOST = 5_000;
const ITEMS = 'GET /itemsvc/api/v1/nameduseritems';
const counted = <T>(count: number, of: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => of(n));
const text = (n: number) => String.fromCharCode(97 + n).repeat(600);
/** What a list has, each in a record of its own. */
const TEXTS = counted(12, text);
const CONTENT = { _userData: 'x' };

describe('lists that weigh more than an answer may', () => {
  let items: ItemService;
  const namespaces = [NS, ...counted(6, () => newNamespace('bound'))];

  beforeAll(async () => {
    items = await ItemService.start({ ANSWER_MAX_BYTES: String(MOST) });
    for (const namespace of namespaces) await items.passport.grant('alice', namespace, ['*']);
  });
  afterAll(() => items?.stop());

  const right = async (pending: Promise<{ readonly status: number; readonly text: string }>) => {
    const answer = await pending;
    if (answer.status >= 300) throw new Error(answer.text);
  };
  const hub = () => items.item('NamedUserCollection');

  /** An item of one collection that is related to thirty of another. */
  async function related(): Promise<{ readonly from: Json; readonly to: Json }> {
    const [from, to] = [await hub(), await hub()];
    const [one] = await items.related(from, [{ name: 'one' }]);
    const ids = counted(30, (n) => n.toString(16).padStart(24, 'c'));
    await items.related(to, ids.map((_id) => ({ _id })));
    await right(items.put(`nameduseritems/${from._id}/relationships`, [{ _relatedFromId: one?._id, _relatedToIds: ids, _relatedUserItemDbId: to._id }]));
    return { from, to };
  }

  itBoundsLists({
    document: JSON.parse(readFileSync(join(__dirname, '../openapi.json'), 'utf8')) as ApiDocument,
    most: MOST,
    ask: (path, { offset, size }) => items.get(path, { nsfilter: namespaces, query: { _offset: String(offset), _pageSize: String(size) } }),
    lists: {
      [ITEMS]: async () => {
        for (const _description of TEXTS) await items.item('UserConfig', { _description, _version: CONTENT });
        return 'nameduseritems';
      },
      [`${ITEMS}/{id}/versions`]: async () => {
        const { _id } = await items.item('UserConfig', { _version: CONTENT });
        for (const _userData of TEXTS) await right(items.post(`nameduseritems/${_id}/versions`, { _userData }));
        return `nameduseritems/${_id}/versions`;
      },
      [`${ITEMS}/{id}/updatelogs`]: async () => {
        const item = await items.item('UserConfig', { _version: CONTENT });
        for (const _description of TEXTS) await right(items.put(`nameduseritems/${item._id}`, { ...item, _description }));
        return `nameduseritems/${item._id}/updatelogs`;
      },
      [`${ITEMS}/{id}/indexes`]: async () => {
        const { _id } = await hub();
        await right(items.post(`nameduseritems/${_id}/indexes`, counted(30, (n) => ({ key: { [`property${n}`]: 1 }, options: { name: `index${n}`.padEnd(100, '_') } }))));
        return `nameduseritems/${_id}/indexes`;
      },
      [`${ITEMS}/{id}/relatedcollections`]: async () => {
        const { _id } = await items.item('NamedCompositeItem');
        const members: Json[] = [];
        for (const _name of TEXTS) members.push(await items.item('UserConfig', { _name, _version: CONTENT }));
        await right(items.post(`nameduseritems/${_id}/relatedcollections`, members.map((member) => member._id as string)));
        return `nameduseritems/${_id}/relatedcollections`;
      },
      [`${ITEMS}/{id}/relateditems`]: async () => {
        const item = await hub();
        await items.related(item, TEXTS.map((word) => ({ word })));
        return `nameduseritems/${item._id}/relateditems`;
      },
      [`${ITEMS}/{id}/relateditems/{relatedItemId}/updatelogs`]: async () => {
        const item = await hub();
        const [one] = await items.related(item, [{ word: '' }]);
        const path = `nameduseritems/${item._id}/relateditems/${one?._id}`;
        for (const word of TEXTS) await right(items.put(path, { word }));
        return `${path}/updatelogs`;
      },
      [`${ITEMS}/{id}/relateditems/readings`]: async () => {
        const sensors = await items.item('NamedTelemetryCollection');
        const [sensor] = await items.related(sensors, [{ _sourceId: 's' }]);
        const path = `nameduseritems/${sensors._id}/relateditems/readings`;
        await right(items.post(path, TEXTS.map((word, n) => ({ _ts: new Date(n * 60_000).toISOString(), _tsMetadata: { _telItemId: sensor?._id, _sourceId: 's' }, word }))));
        return path;
      },
      [`${ITEMS}/{id}/relationships`]: async () => `nameduseritems/${(await related()).from._id}/relationships`,
      [`${ITEMS}/{id}/inverserelationships`]: async () => `nameduseritems/${(await related()).to._id}/inverserelationships`,
      'GET /itemsvc/api/v1/telemetryconfigs': async () => {
        const draft = { _name: 'Meters', _shortName: 'meters', _userType: 'telemetry', _configData: { _bindings: [{ collectionDesc: { _userType: 'metered' } }], _normalizationScript: { _userType: 'normalize' } } };
        // A namespace has one.
        for (const namespace of namespaces) await items.finished(await items.post('telemetryconfigs', { ...draft, _description: text(0), _namespaces: [namespace] }, { nsfilter: namespace }));
        return 'telemetryconfigs';
      },
      'GET /itemsvc/api/v1/telemetry_processing_errors': async () => {
        const { _id: _userItemDbId, _userItemId, _tipId: _userItemVersionId, _itemClass, _userType, _namespaces } = await items.item('NamedTelemetryCollection');
        const errors = TEXTS.map((_message, n) => (
          { _id: `${_userItemDbId}${n}`, _userItemDbId, _userItemId, _userItemVersionId, _itemClass, _userType, _namespaces, _telemetryConfigId: 'none', _message, _console: [], _readings: [], _at: Date.now() + n }
        ));
        await items.part(DocumentStore).transaction((tx) => items.part(ProcessingErrorsRepository).put(tx, errors as unknown as ProcessingError[]));
        return 'telemetry_processing_errors';
      },
      'GET /itemsvc/api/v1/permissions': 'cut by passportsvc, which answers it',
    },
  });
});
