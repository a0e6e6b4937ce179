/** docs/quickstart.md by a client that openapi-typescript has made the types of (docs/clients.md). */
import { openAsBlob } from 'node:fs';
import createClient from 'openapi-fetch';
import type { paths } from './twinyard.js';

const { API: baseUrl = '', CLIENT_ID = '', CLIENT_SECRET = '', NAMESPACE = '', ACCESS_KEY = '', HOOK = '', MODEL = '' } = process.env;
const nsfilter = [NAMESPACE];
const client = createClient<paths>({ baseUrl });

/** What was answered, or an end with the words of the service. */
function done<T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T {
  if (error !== undefined) throw new Error(`${response.url} answered ${response.status} ${JSON.stringify(error)}`);
  return data as T;
}
const authorized = (authorization: string) => ({ headers: { authorization } });
const first = <T>([found]: readonly T[]): T => found as T;

const token = done(await client.POST('/passportsvc/api/v2/oauth/token', {
  body: { grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: CLIENT_SECRET },
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
}));
client.use({ onRequest: ({ request }) => { if (!request.headers.has('authorization')) request.headers.set('authorization', `Bearer ${token.access_token}`); } });

const collection = (_name: string, _itemClass: 'NamedUserCollection' | 'NamedTelemetryCollection') => {
  const word = _name.toLowerCase();
  return { _name, _shortName: word, _userType: word, _itemClass, _namespaces: nsfilter, ...(_itemClass === 'NamedTelemetryCollection' && { _tsProperties: { _granularity: 'minutes' as const } }) };
};
const { _list: [rooms, pumps, sensors] } = done(await client.POST('/itemsvc/api/v1/nameduseritems', {
  params: { query: { nsfilter } }, body: [collection('Rooms', 'NamedUserCollection'), collection('Pumps', 'NamedUserCollection'), collection('Sensors', 'NamedTelemetryCollection')],
}));
const of = (item: { _id: string } | undefined) => ({ path: { id: item?._id ?? '' }, query: { nsfilter } });

const ITEMS = '/itemsvc/api/v1/nameduseritems/{id}/relateditems';
const made = done(await client.POST(ITEMS, {
  params: of(pumps), body: [{ name: 'Pump 1', power: 1.1, maker: { name: 'Acme' } }, { name: 'Pump 2', power: 2.2, maker: { name: 'Acme' } }, { name: 'Pump 3', power: 7.5, maker: { name: 'Best' } }],
}));
const cellar = first(done(await client.POST(ITEMS, { params: of(rooms), body: [{ name: 'Cellar' }] }))._list);
done(await client.PUT('/itemsvc/api/v1/nameduseritems/{id}/relationships', {
  params: of(rooms), body: [{ _relatedFromId: cellar._id, _relatedToIds: made._list.slice(0, 2).map(({ _id }) => _id), _relatedUserItemId: pumps?._userItemId }],
}));
const relations = done(await client.GET('/itemsvc/api/v1/nameduseritems/{id}/relationships', { params: of(rooms) }))._total;

const query = JSON.stringify({ 'maker.name': 'Acme', power: { $gt: 2 } });
const strong = done(await client.GET(ITEMS, { params: { ...of(pumps), query: { nsfilter, query, project: JSON.stringify({ name: 1 }) } } }))._list.map(({ name }) => name);
const found = done(await client.POST('/itemsvc/api/v1/nameduseritems/search', {
  params: { query: { nsfilter } },
  body: {
    query: {
      $findWithRelated: {
        parent: { collectionDesc: { _id: pumps?._id }, query: { power: { $lte: 2 } } },
        relatedFilter: { $and: [{ relatedDesc: { _relatedUserType: 'rooms', _isInverse: true }, query: { name: 'Cellar' } }] },
      },
    },
  },
}));
const inCellar = (first(first(found._list)._versions)._relatedItems as { _list: { name: string }[] })._list.map(({ name }) => name);

const upload = async (name: string, content: Blob, as = {}) => {
  const form = new FormData();
  form.set('file', content, name);
  return done(await client.POST('/filesvc/api/v1/files', { params: { query: { nsfilter, _namespaces: nsfilter } }, body: {}, bodySerializer: () => form, ...as }));
};
const model = await upload('model.ifc', await openAsBlob(MODEL));
const id = Array.isArray(model) ? first(model)._id : model._id;
/** It is drawn in the background. */
async function pictureOf(file: string): Promise<string> {
  for (;;) {
    const { data, response } = await client.GET('/filesvc/api/v1/files/{id}/previewurl', { params: { path: { id: file }, query: { nsfilter } } });
    if (data !== undefined) return data._previewUrl;
    if (response.status !== 404) throw new Error(`the picture was answered ${response.status}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
const picture = Buffer.from(await (await fetch(await pictureOf(id))).arrayBuffer()).subarray(1, 4).toString();

const sensor = first(done(await client.POST(ITEMS, { params: of(sensors), body: [{ _sourceId: 't-1', name: 'Temperature' }] }))._list);
const reading = (_ts: string, celsius: number) => ({ _ts, _tsMetadata: { _telItemId: sensor._id, _sourceId: 't-1' }, celsius });
done(await client.POST('/itemsvc/api/v1/nameduseritems/{id}/relateditems/readings', {
  params: of(sensors), body: [reading('2026-01-10T08:00:00Z', 18.5), reading('2026-01-20T08:00:00Z', 19.5), reading('2026-02-10T08:00:00Z', 21)],
}));
const means = done(await client.POST('/itemsvc/api/v1/nameduseritems/{id}/relateditems/readings/aggregate', {
  params: of(sensors), body: [{ $group: { _id: { $dateTrunc: { date: '$_ts', unit: 'month' } }, mean: { $avg: '$celsius' } } }, { $sort: { _id: 1 } }],
}))._list;

const mayDelete = done(await client.POST('/passportsvc/api/v1/permissions/check', { body: [{ _namespace: NAMESPACE, _irn: 'itemsvc:nameduseritem:*', _action: 'DELETE' }] })).map(({ _allowed }) => _allowed);

const mine = authorized(`Bearer ${done(await client.POST('/passportsvc/api/v1/auth/token', { params: { query: { appId: 'console' } }, ...authorized(`Basic ${btoa(ACCESS_KEY)}`) })).access_token}`);
const named = { params: { query: { nsfilter } }, ...mine };
const record = { _name: `openapi-fetch ${Date.now()}`, _namespaces: nsfilter };
const group = done(await client.POST('/notificationsvc/api/v1/group', { ...named, body: record }));
const device = done(await client.POST('/notificationsvc/api/v1/device', { ...named, body: { ...record, _transport: 'WEBHOOK', _webhook: { _url: HOOK } } }));
const sender = done(await client.POST('/notificationsvc/api/v1/sender', { ...named, body: { ...record, _transport: 'WEBHOOK', _webhook: {} } }));
const template = done(await client.POST('/notificationsvc/api/v1/template', { ...named, body: { ...record, _transport: 'WEBHOOK' } }));
done(await client.POST('/notificationsvc/api/v1/subscription', { ...named, body: { ...record, _group: { _id: group._id ?? '' }, _device: { _id: device._id ?? '' } } }));
done(await client.POST('/notificationsvc/api/v1/trigger', {
  ...named,
  body: {
    ...record, _type: 'EVENT', _event: { _filters: { filter: { event: 'resource.ResourceCreated', 'resource.type': 'filesvc.File' } } },
    _senders: [{ _id: sender._id ?? '' }], _templates: [{ _id: template._id ?? '' }], _groups: [{ _id: group._id ?? '' }],
  },
}));
await upload('openapi-fetch.txt', new Blob(['heard']), mine);

process.stdout.write(JSON.stringify({ relations, strong, inCellar, picture, means, mayDelete }));
