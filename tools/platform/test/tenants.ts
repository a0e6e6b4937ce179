import { randomBytes } from 'node:crypto';
import { type Api, type Fields, type Page, patientFetch, until } from '../../tour/api';
import { latest } from '../../tour/steps/metrics';
import { makeProject } from '../../tour/steps/project';
import { newTeam } from '../../tour/steps/refusals';
import { makeTrigger } from '../../tour/steps/trigger';
import { TourLog } from '../../tour/tour-log';
import type { RunningPlatform } from './running-platform';

const [ITEMS, FILES, PASSPORT, NOTIFICATIONS] = ['/itemsvc/api/v1/nameduseritems', '/filesvc/api/v1/files', '/passportsvc/api/v1', '/notificationsvc/api/v1'];

export interface Caller {
  readonly email: string;
  readonly token: string;
}

/** Where something can be granted. */
export type Place = 'workspace' | 'app' | 'organization';

/** A tenant with one record of every kind; its ids by what they are. */
export interface Tenant {
  readonly baseUrl: string;
  readonly owner: Caller;
  readonly viewer: Caller;
  /** Of the workspace that the records are in. */
  readonly namespace: string;
  readonly namespaces: Readonly<Record<Place, string>>;
  readonly ids: Readonly<Record<string, string>>;
}

/** Files that `makeFiles` makes, with so many versions each; the trigger tells its subscriber of each. */
const [FILE_COUNT, VERSION_COUNT] = [1, 2];
const silent = () => undefined;

function idOf(record: Fields | undefined): string {
  const id = record?.['_id'];
  if (typeof id !== 'string') throw new Error(`a record without an id: ${JSON.stringify(record)}`);
  return id;
}

export async function makeTenant({ baseUrl, admin }: RunningPlatform): Promise<Tenant> {
  const options = { baseUrl, ...admin, model: '', readings: '', print: silent };
  const project = await makeProject(options, new TourLog(silent));
  const { owner, viewer, namespace } = project;
  const trigger = await makeTrigger(project, new TourLog(silent));
  const step = async (what: string, make: () => Promise<Record<string, string>>) =>
    make().catch((error: unknown) => {
      throw new Error(`making the tenant's ${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    });
  const ids: Record<string, string> = {
    trigger, usergroup: project.viewersGroupId,
    ...(await step('items', () => makeItems(owner, namespace))),
    ...(await step('files', () => makeFiles(owner, namespace))),
    ...(await step('run', () => makeRun(owner, namespace))),
    ...(await step('team', async () => ({ team: idOf(await owner.post('/aisvc/api/v1/teams', newTeam(namespace))) }))),
    ...(await step('notifications', () => notificationsOf(owner, trigger))),
    ...(await step('records at passportsvc', () => passportRecordsOf(owner, namespace))),
    ...(await step('identities', () => identityRecordsOf(owner, namespace, project.viewersGroupId))),
  };
  const organization = await owner.get(`${PASSPORT}/organizations/${ids['organization'] ?? ''}`);
  const namespaces = { workspace: namespace, app: project.applicationNamespace, organization: String((organization['_namespaces'] as string[])[0]) };
  return { baseUrl, owner: { email: admin.email, token: String(owner.token) }, viewer: { email: viewer.email, token: String(viewer.api.token) }, namespace, namespaces, ids };
}

/** What takes longer is answered with 202. Resolves with the request's id once it is done. */
async function later(owner: Api, url: URL, init: { readonly method: string; readonly body: unknown }): Promise<string> {
  const accepted = await patientFetch(url, {
    method: init.method, headers: { authorization: `Bearer ${String(owner.token)}`, 'content-type': 'application/json' }, body: JSON.stringify(init.body),
  });
  const location = accepted.headers.get('location');
  if (location === null) throw new Error(`${init.method} ${url.pathname} answered ${accepted.status} ${await accepted.text()}`);
  await until(`${init.method} ${url.pathname}`, async () => ((await owner.get(location))['_status'] === 'COMPLETED' ? true : undefined));
  return String(location.split('/').at(-1));
}

async function makeItems(owner: Api, namespace: string): Promise<Record<string, string>> {
  const make = async (_itemClass: string, _version: Fields, extra: Fields = {}) => {
    const _shortName = _itemClass.replace('Named', '').slice(0, 8).toLowerCase();
    const page = await owner.post<Page<Fields>>(ITEMS, [{ _name: _itemClass, _shortName, _description: '', _namespaces: [namespace], _userType: 'door', _itemClass, _version, ...extra }]);
    return page._list[0] ?? {};
  };
  const collection = await make('NamedUserCollection', { _userAttributes: {} });
  const telemetry = await make('NamedTelemetryCollection', { _userAttributes: {} }, { _tsProperties: { _granularity: 'hours' } });
  const composite = await make('NamedCompositeItem', { _userAttributes: {} });
  const script = await make('Script', { _userData: 'export const a = 1;' });
  const add = async (item: Fields, items: Fields[]) => idOf((await owner.post<Page<Fields>>(`${ITEMS}/${idOf(item)}/relateditems`, items))._list[0]);
  const relatedItem = await add(collection, [{ name: 'secret door' }]);
  const telemetryItem = await add(telemetry, [{ _sourceId: 't-1' }]);
  await owner.post(`${ITEMS}/${idOf(telemetry)}/relateditems/readings`, [{ _ts: '2026-01-01T00:00:00Z', _tsMetadata: { _telItemId: telemetryItem, _sourceId: 't-1' }, value: 1 }]);
  await owner.post(`${ITEMS}/${idOf(collection)}/indexes`, [{ key: { name: 1 }, options: { name: 'by_name' } }]);
  const members = await owner.post<Page<Fields>>(`${ITEMS}/${idOf(composite)}/relatedcollections`, [idOf(collection)]);
  const version = await owner.post(`${ITEMS}/${idOf(script)}/versions`, { _userData: 'export const a = 2;' });
  const relations = Array.from({ length: 1_001 }, () => ({ _relatedFromId: relatedItem, _relatedUserItemDbId: idOf(collection), _relatedToIds: [relatedItem] }));
  const request = await later(owner, new URL(`${ITEMS}/${idOf(collection)}/relationships/bulk?nsfilter=${namespace}`, owner.baseUrl), { method: 'PUT', body: relations });
  await later(owner, new URL(`/itemsvc/api/v1/telemetryconfigs?nsfilter=${namespace}`, owner.baseUrl), {
    method: 'POST', body: { _name: 'Door', _shortName: 'door', _userType: 'door', _namespaces: [namespace], _configData: { _bindings: [{ collectionDesc: { _userType: 'door' } }] } },
  });
  const configs = await owner.get<Page<Fields>>('/itemsvc/api/v1/telemetryconfigs');
  return {
    telemetryConfig: idOf(configs._list[0]), collection: idOf(collection), telemetry: idOf(telemetry), telemetryItem, composite: idOf(composite), script: idOf(script), relatedItem,
    member: idOf(members._list[0]), version: idOf(version), tip: String(collection['_tipId']), request,
  };
}

async function makeFiles(owner: Api, namespace: string): Promise<Record<string, string>> {
  const folder = idOf(await owner.post(FILES, undefined, { _name: 'Behind the door', _namespaces: namespace }));
  const upload = async () => {
    const form = new FormData();
    form.set('file', new Blob([randomBytes(10).toString('hex')]), 'door.txt');
    const [file] = await owner.post<Fields[]>(FILES, form, { _namespaces: namespace, _parents: folder });
    return { file: idOf(file), fileVersion: idOf(file?.['_fileVersion'] as Fields) };
  };
  const first = await upload();
  await upload();
  // What arrives by event is there before anything is compared.
  await until('the count of files', async () => ((await latest(owner, 'dtplatform.filesvc.FileCount', namespace)) === FILE_COUNT ? true : undefined));
  await until('the previews', async () => {
    const { _list } = await owner.get<Page<{ _previews: readonly unknown[] }>>(`${FILES}/${first.file}/versions`);
    return _list.length === VERSION_COUNT && _list.every(({ _previews }) => _previews.length > 0) ? true : undefined;
  });
  return { folder, ...first };
}

async function makeRun(owner: Api, namespace: string): Promise<Record<string, string>> {
  const base = '/datasourcesvc/api/v1';
  const made = await owner.post(`${base}/orchestrators`, {
    _name: 'Door', _description: '', _namespaces: [namespace], _userType: 'door', _schemaversion: '2.0', _params: { tasks: [{ name: 'ping', _name: 'One', _sequenceno: 1, _actualparams: {} }] },
  });
  const orchestrator = String(made['id']);
  const run = String((await owner.post(`${base}/orchrun`, { orchestratorId: orchestrator }))['id']);
  await until('the run', async () => ((await owner.get<Fields[]>(`${base}/orchrun/${run}`))[0]?.['_status'] === 'COMPLETED' ? true : undefined));
  const schedule = String((await owner.post(`${base}/orchschedules`, { _orchid: orchestrator, _cron: '0 0 1 1 *', _timezone: 'Europe/Berlin' }))['_id']);
  return { orchestrator, run, schedule };
}

async function notificationsOf(owner: Api, trigger: string): Promise<Record<string, string>> {
  const firstOf = async (kind: string) => idOf((await owner.get<Page<Fields>>(`${NOTIFICATIONS}/${kind}`))._list[0]);
  const notification = await until('the mails', async () => {
    const { _list } = await owner.get<Page<Fields>>(`${NOTIFICATIONS}/notification`, { '_trigger._id': trigger });
    return _list.length === FILE_COUNT && _list.every(({ _status }) => _status === 'SENT') ? idOf(_list[0]) : undefined;
  });
  const [sender, template, group, subscription, device] = await Promise.all(['sender', 'template', 'group', 'subscription', 'device'].map(firstOf));
  return { notification, sender: String(sender), template: String(template), group: String(group), subscription: String(subscription), device: String(device) };
}

async function passportRecordsOf(owner: Api, namespace: string): Promise<Record<string, string>> {
  const permissions = await owner.get<Page<Fields>>(`${PASSPORT}/permissions`, { _namespace: namespace, '_user._type': 'usergroup' });
  const workspaces = await owner.get<Page<Fields>>(`${PASSPORT}/workspaces`, { _pageSize: 1_000 });
  const workspace = idOf(workspaces._list.find((each) => (each['_namespaces'] as string[]).includes(namespace)));
  const apps = await owner.get<Page<Fields>>(`${PASSPORT}/apps`, { _pageSize: 1_000 });
  const app = apps._list.find(({ _redirectUris }) => String(_redirectUris).includes('/tour/callback'));
  const organization = String(app?.['_orgId']);
  await owner.put(`${PASSPORT}/apps/${idOf(app)}/configs`, { 'workspaces.limit': 50 });
  await owner.put(`${PASSPORT}/organizations/${organization}/configs`, { 'workspaces.limit': 50 });
  const client = await owner.post(`${PASSPORT}/clients`, { _name: 'Door', _scopes: ['read'], _orgId: organization });
  const identityProvider = idOf(await owner.post(`${PASSPORT}/organizations/${organization}/identityproviders`, { _name: 'Door', _issuer: 'https://127.0.0.1:65500', _clientId: 'door' }));
  return { permission: idOf(permissions._list[0]), workspace, app: idOf(app), organization, identityProvider, client: String(client['_id'] ?? client['client_id']), user: idOf(await owner.get(`${PASSPORT}/users/me`)) };
}

/** What else a tenant may have at passportsvc: a profile, with the request that made it, a mail template, an invite, an access key, a secret. */
async function identityRecordsOf(owner: Api, namespace: string, usergroup: string): Promise<Record<string, string>> {
  const profileRequest = await later(owner, new URL(`${PASSPORT}/permissionprofiles`, owner.baseUrl), {
    method: 'POST', body: [{ _name: 'Door', _userType: 'door', _namespaces: [namespace], _permissions: [] }],
  });
  const profile = idOf((await owner.get<Page<Fields>>(`${PASSPORT}/permissionprofiles`, { _name: 'Door' }))._list[0]);
  const invites = await owner.post<Page<Fields>>(`${PASSPORT}/usergroups/${usergroup}/invites`, [{ _email: 'door@example.com', _params: { base_url: owner.baseUrl } }]);
  const templates = await owner.get<Page<Fields>>(`${PASSPORT}/notification_templates`);
  const secrets = await owner.post<Page<Fields>>(`${PASSPORT}/secrets`, [{ _name: 'key of the door', _value: 'behind the door', _namespaces: [namespace] }]);
  return {
    profile, profileRequest, invite: idOf(invites._list[0]), mailTemplate: idOf(templates._list[0]),
    accessKey: idOf(await owner.post(`${PASSPORT}/users/me/accesskeys`, { _name: 'Door' })),
    secret: idOf(secrets._list[0]), secretName: 'key of the door',
  };
}
