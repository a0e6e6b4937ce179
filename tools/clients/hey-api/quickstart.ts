/** docs/quickstart.md by a client that @hey-api/openapi-ts has made (docs/clients.md). */
import { openAsBlob } from 'node:fs';
import {
  aggregateReadings, checkPermissions, createDevice, createGroup, createItems, createRelatedItems, createSender, createSubscription, createTemplate, createTrigger, getFilePreviewUrl,
  issueApplicationToken, issueToken, listRelatedItems, listRelationships, saveReadings, saveRelationships, searchItems, uploadFiles,
} from './twinyard/index.js';
import { client } from './twinyard/client.gen.js';

const { API: baseUrl = '', CLIENT_ID = '', CLIENT_SECRET = '', NAMESPACE = '', ACCESS_KEY = '', HOOK = '', MODEL = '' } = process.env;
const nsfilter = [NAMESPACE];
const query = { nsfilter };
client.setConfig({ baseUrl, throwOnError: true });
/** What was answered; else the call has thrown what the service said. */
const throwOnError = true as const;
const first = <T>([found]: readonly T[]): T => found as T;

const { data: token } = await issueToken({ throwOnError, body: { grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: CLIENT_SECRET } });
const auth = token.access_token;

const collection = (_name: string, _itemClass: 'NamedUserCollection' | 'NamedTelemetryCollection') => {
  const word = _name.toLowerCase();
  return { _name, _shortName: word, _userType: word, _itemClass, _namespaces: nsfilter, ...(_itemClass === 'NamedTelemetryCollection' && { _tsProperties: { _granularity: 'minutes' as const } }) };
};
const { data: { _list: [rooms, pumps, sensors] } } = await createItems({
  throwOnError, auth, query, body: [collection('Rooms', 'NamedUserCollection'), collection('Pumps', 'NamedUserCollection'), collection('Sensors', 'NamedTelemetryCollection')],
});
const of = (item: { _id: string } | undefined) => ({ throwOnError, auth, query, path: { id: item?._id ?? '' } });

const { data: made } = await createRelatedItems({
  ...of(pumps), body: [{ name: 'Pump 1', power: 1.1, maker: { name: 'Acme' } }, { name: 'Pump 2', power: 2.2, maker: { name: 'Acme' } }, { name: 'Pump 3', power: 7.5, maker: { name: 'Best' } }],
});
const cellar = first((await createRelatedItems({ ...of(rooms), body: [{ name: 'Cellar' }] })).data._list);
await saveRelationships({ ...of(rooms), body: [{ _relatedFromId: cellar._id, _relatedToIds: made._list.slice(0, 2).map(({ _id }) => _id), _relatedUserItemId: pumps?._userItemId }] });
const { data: { _total: relations } } = await listRelationships(of(rooms));

const { data: strongest } = await listRelatedItems({
  ...of(pumps), query: { nsfilter, query: JSON.stringify({ 'maker.name': 'Acme', power: { $gt: 2 } }), project: JSON.stringify({ name: 1 }) },
});
const { data: found } = await searchItems({
  throwOnError, auth, query,
  body: {
    query: {
      $findWithRelated: {
        parent: { collectionDesc: { _id: pumps?._id }, query: { power: { $lte: 2 } } },
        relatedFilter: { $and: [{ relatedDesc: { _relatedUserType: 'rooms', _isInverse: true }, query: { name: 'Cellar' } }] },
      },
    },
  },
});
const inCellar = (first(first(found._list)._versions)._relatedItems as { _list: { name: string }[] })._list.map(({ name }) => name);

const upload = async (file: File, by = auth) => {
  const { data } = await uploadFiles({ throwOnError, auth: by, query: { nsfilter, _namespaces: nsfilter }, body: { file } });
  return Array.isArray(data) ? first(data) : data;
};
const { _id: model } = await upload(new File([await openAsBlob(MODEL)], 'model.ifc'));
/** It is drawn in the background. */
async function pictureOf(id: string): Promise<string> {
  for (;;) {
    const { data, response } = await getFilePreviewUrl({ auth, query, path: { id }, throwOnError: false });
    if (data !== undefined) return data._previewUrl;
    if (response?.status !== 404) throw new Error(`the picture was answered ${response?.status}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
const picture = Buffer.from(await (await fetch(await pictureOf(model))).arrayBuffer()).subarray(1, 4).toString();

const sensor = first((await createRelatedItems({ ...of(sensors), body: [{ _sourceId: 't-1', name: 'Temperature' }] })).data._list);
const reading = (_ts: string, celsius: number) => ({ _ts, _tsMetadata: { _telItemId: sensor._id, _sourceId: 't-1' }, celsius });
await saveReadings({ ...of(sensors), body: [reading('2026-01-10T08:00:00Z', 18.5), reading('2026-01-20T08:00:00Z', 19.5), reading('2026-02-10T08:00:00Z', 21)] });
const { data: { _list: means } } = await aggregateReadings({
  ...of(sensors), body: [{ $group: { _id: { $dateTrunc: { date: '$_ts', unit: 'month' } }, mean: { $avg: '$celsius' } } }, { $sort: { _id: 1 } }],
});

const { data: answers } = await checkPermissions({ throwOnError, auth, body: [{ _namespace: NAMESPACE, _irn: 'itemsvc:nameduseritem:*', _action: 'DELETE' }] });

const { data: { access_token: mine } } = await issueApplicationToken({ throwOnError, auth: ({ scheme }) => (scheme === 'basic' ? ACCESS_KEY : undefined), query: { appId: 'console' } });
const named = { throwOnError, auth: mine, query };
const record = { _name: `hey-api ${Date.now()}`, _namespaces: nsfilter };
const { data: group } = await createGroup({ ...named, body: record });
const { data: device } = await createDevice({ ...named, body: { ...record, _transport: 'WEBHOOK', _webhook: { _url: HOOK } } });
const { data: sender } = await createSender({ ...named, body: { ...record, _transport: 'WEBHOOK', _webhook: {} } });
const { data: template } = await createTemplate({ ...named, body: { ...record, _transport: 'WEBHOOK' } });
await createSubscription({ ...named, body: { ...record, _group: { _id: group._id ?? '' }, _device: { _id: device._id ?? '' } } });
await createTrigger({
  ...named,
  body: {
    ...record, _type: 'EVENT', _event: { _filters: { filter: { event: 'resource.ResourceCreated', 'resource.type': 'filesvc.File' } } },
    _senders: [{ _id: sender._id ?? '' }], _templates: [{ _id: template._id ?? '' }], _groups: [{ _id: group._id ?? '' }],
  },
});
await upload(new File(['heard'], 'hey-api.txt'), mine);

process.stdout.write(JSON.stringify({
  relations, strong: strongest._list.map(({ name }) => name), inCellar, picture, means, mayDelete: answers.map(({ _allowed }) => _allowed),
}));
