import { newTeam } from '../../tour/steps/refusals';
import type { Operation } from './operations';
import type { Caller, Tenant } from './tenants';

/** Which of the tenant's records the placeholders of a path mean: the first row that fits. */
const RECORDS: readonly (readonly [RegExp, Readonly<Record<string, string>>])[] = [
  [/\/permissions\/\{id\}/, { id: 'permission' }],
  [/\/accesskeys/, { id: 'accessKey' }],
  [/\/permissionprofiles/, { id: 'profile' }],
  [/\/secrets\//, { id: 'secret', name: 'secretName' }],
  [/\/notification_templates/, { id: 'mailTemplate' }],
  [/\/invites\/\{inviteId\}/, { id: 'usergroup', inviteId: 'invite' }],
  [/\/passportsvc\/.*\/requests/, { id: 'profileRequest' }],
  [/\/identityproviders/, { id: 'organization', idpId: 'identityProvider' }],
  [/\/aisvc\/.*\/teams/, { id: 'team' }],
  [/\/orchestrators/, { id: 'orchestrator' }],
  [/\/orchrun/, { id: 'run' }],
  [/\/orchschedules/, { id: 'schedule' }],
  [/\/filesvc\//, { id: 'file', parent_id: 'folder', versionId: 'fileVersion' }],
  [/\/readings/, { id: 'telemetry' }],
  [/\/telemetryconfigs/, { id: 'telemetryConfig' }],
  [/\/relatedcollections/, { id: 'composite', relationId: 'member' }],
  [/\/(versions|script\.js)/, { id: 'script', versionId: 'version' }],
  [/\/nameduseritems/, { id: 'collection', relatedItemId: 'relatedItem' }],
  [/\/itemsvc\/.*\/requests/, { id: 'request' }],
  ...['notification', 'device', 'group', 'sender', 'subscription', 'template', 'trigger'].map((kind) => [new RegExp(`/notificationsvc/api/v1/${kind}(/|$)`), { id: kind }] as const),
  ...['app', 'client', 'organization', 'usergroup', 'user', 'workspace'].map((kind) => [new RegExp(`/passportsvc/api/v1/${kind}s(/|$)`), { id: kind }] as const),
];
const WORDS: Readonly<Record<string, string>> = {
  metricName: 'dtplatform.filesvc.FileCount', name: 'by_name', query: '{"name":"secret door"}', height: '480', width: '640', namespace: '',
};

export interface WalkRequest {
  readonly path: string;
  readonly method: string;
  readonly body?: string | FormData;
}

/** The id of the tenant's record that a placeholder of the path means. */
export const recordFor = ({ path }: Operation, name: string, ids: Tenant['ids']): string | undefined =>
  ids[RECORDS.find(([pattern, names]) => pattern.test(path) && names[name] !== undefined)?.[1][name] ?? ''];

/** The operation asked of the tenant's records, in the tenant's namespace, with a body that its owner could send. */
export function requestFor(operation: Operation, tenant: Tenant, caller: Caller): WalkRequest {
  const valueOf = (name: string) => {
    const record = RECORDS.find(([pattern, names]) => pattern.test(operation.path) && names[name] !== undefined)?.[1][name];
    if (operation.path.includes('/orchcomponents/')) return 'ping';
    if (name === 'byDimension') return `by-dimension;namespace=${tenant.namespace}`;
    return record === undefined ? WORDS[name] : (tenant.ids[record] ?? `no ${record} was made`);
  };
  const fill = (name: string) => encodeURIComponent(valueOf(name) ?? 'unknown');
  const url = new URL(operation.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => fill(name)), 'http://gateway');
  url.searchParams.set('nsfilter', tenant.namespace);
  for (const { name, in: place, required } of operation.parameters) {
    if (place === 'query' && required === true && name !== 'nsfilter') url.searchParams.set(name, valueOf(name) ?? '');
  }
  if (operation.path.includes('/metrics/')) url.searchParams.set('namespace', tenant.namespace);
  if (operation.path.endsWith('/audit')) url.searchParams.set('_namespace', tenant.namespace);
  if (operation.key === 'POST /filesvc/api/v1/files') url.searchParams.set('_namespaces', tenant.namespace);
  const body = bodyOf(operation, tenant, caller);
  return { path: url.pathname + url.search, method: operation.method, ...(body !== undefined && { body }) };
}

function bodyOf(operation: Operation, tenant: Tenant, caller: Caller): string | FormData | undefined {
  if (operation.key === 'POST /filesvc/api/v1/files') {
    const form = new FormData();
    form.set('file', new Blob(['mine now']), 'door.txt');
    return form;
  }
  if (operation.method === 'GET' || operation.method === 'HEAD') return undefined;
  const makeBody = BODIES.find(([pattern]) => pattern.test(operation.key))?.[1];
  if (makeBody === undefined && operation.hasBody) throw new Error(`BODIES of requests.ts has none for ${operation.key}`);
  if (makeBody === undefined) return undefined;
  // The records of the notification service get a name once and keep it.
  const name = operation.key.startsWith('POST /notificationsvc/') ? { _name: 'Mine' } : undefined;
  const body = makeBody(tenant, caller);
  return JSON.stringify(name === undefined ? body : { ...name, ...(body as object) });
}

const relation = ({ ids }: Tenant) => [{ _relatedFromId: ids['relatedItem'], _relatedUserItemDbId: ids['collection'], _relatedToIds: [ids['relatedItem']] }];
const mail = { _subject: 'Mine', _body: 'now' };

const BODIES: readonly (readonly [RegExp, (tenant: Tenant, caller: Caller) => unknown])[] = [
  [/^PUT .*\/permissions$/, ({ namespace }, { email }) => [{ _namespace: namespace, _actions: ['*'], _resourceDesc: { _irn: '*:*:*' }, _user: { _type: 'user', _id: email } }]],
  [/^PUT .*\/schemadefinitions$/, () => ({ _itemTypes: [] })],
  [/^(POST|PUT) .*\/telemetryconfigs/, ({ namespace }) => ({ _name: 'Mine', _shortName: 'mine', _userType: 'door', _namespaces: [namespace], _configData: { _bindings: [] } })],
  [/^POST .*\/teams$/, ({ namespace }) => newTeam(namespace)],
  [/(POST|PUT) .*\/orchestrators/, ({ namespace }) => ({
    _name: 'Mine', _description: '', _namespaces: [namespace], _userType: 'mine', _schemaversion: '2.0', _params: { tasks: [{ name: 'ping', _name: 'One', _sequenceno: 1, _actualparams: {} }] },
  })],
  [/(POST|PUT) .*\/orchschedules/, ({ ids }) => ({ _orchid: ids['orchestrator'], _cron: '0 0 1 1 *', _timezone: 'Europe/Berlin' })],
  [/^POST .*\/orchrun$/, ({ ids }) => ({ orchestratorId: ids['orchestrator'] })],
  [/^POST .*\/orchrun\/cancel$/, ({ ids }) => ({ ids: [ids['run']] })],
  [/^PUT .*\/orchrun/, ({ ids }) => ({ id: ids['run'] })],
  [/^DELETE \/filesvc\/api\/v1\/files$/, ({ ids }) => [ids['file']]],
  [/^PUT \/filesvc\//, ({ namespace }) => ({ _name: 'mine.txt', _namespaces: [namespace] })],
  [/^POST .*\/nameduseritems$/, ({ namespace }) => [{
    _name: 'Mine', _shortName: 'mine', _description: '', _namespaces: [namespace], _userType: 'mine', _itemClass: 'NamedUserCollection', _version: { _userAttributes: {} },
  }]],
  [/^POST .*\/search$/, ({ ids }) => ({ query: { $findWithRelated: { parent: { collectionDesc: { _id: ids['collection'] } } } } })],
  [/^PUT .*\/nameduseritems\/\{id\}$/, ({ namespace }) => ({ _name: 'Mine', _description: '', _userType: 'mine', _namespaces: [namespace] })],
  [/^POST .*\/indexes$/, () => [{ key: { mine: 1 }, options: { name: 'mine' } }]],
  [/^POST .*\/relatedcollections$/, ({ ids }) => [ids['telemetry']]],
  [/^POST .*\/readings$/, ({ ids }) => [{ _ts: '2026-01-02T00:00:00Z', _tsMetadata: { _telItemId: ids['telemetryItem'], _sourceId: 'door-1' }, value: 2 }]],
  [/^POST .*\/aggregate$/, () => [{ $match: {} }]],
  [/^POST .*\/relateditems/, () => [{ name: 'mine' }]],
  [/^PUT .*\/relateditems(\/bulk)?$/, ({ ids }) => [{ _id: ids['relatedItem'], name: 'mine' }]],
  [/^PUT .*\/relateditems\/\{relatedItemId\}$/, ({ ids }) => ({ _id: ids['relatedItem'], name: 'mine' })],
  [/^DELETE .*\/relateditems$/, ({ ids }) => [ids['relatedItem']]],
  [/^(PUT|DELETE) .*\/relationships/, relation],
  [/(POST|PUT) .*\/versions/, () => ({ _userData: 'export const mine = 1;' })],
  [/^POST .*\/notification$/, ({ namespace }) => ({ _namespaces: [namespace] })],
  [/(POST|PUT) .*\/device/, ({ namespace }, { email }) => ({ _namespaces: [namespace], _transport: 'EMAIL', _email: { _address: email } })],
  [/(POST|PUT) .*\/group/, ({ namespace }) => ({ _namespaces: [namespace] })],
  [/(POST|PUT) .*\/sender/, ({ namespace }) => ({ _namespaces: [namespace], _transport: 'EMAIL', _email: { _address: 'mine@example.com' } })],
  [/(POST|PUT) .*\/subscription/, ({ namespace, ids }) => ({ _namespaces: [namespace], _group: { _id: ids['group'] } })],
  [/(POST|PUT) .*\/template/, ({ namespace }) => ({ _namespaces: [namespace], _transport: 'EMAIL', _email: mail })],
  [/(POST|PUT) .*\/trigger/, ({ namespace, ids }) => ({
    _namespaces: [namespace], _type: 'EVENT', _event: { _filters: { filter: { event: 'resource.ResourceDeleted' } } },
    _senders: [{ _id: ids['sender'] }], _templates: [{ _id: ids['template'] }], _groups: [{ _id: ids['group'] }],
  })],
  [/\/scim\//, () => ({ userName: 'mine', Operations: [{ op: 'replace', path: 'active', value: false }] })],
  [/^POST .*\/permissions\/check$/, () => [{ _irn: '*:*:*', _action: 'READ', _namespace: 'nowhere_12345678' }]],
  [/^POST .*\/permissionprofiles$/, ({ namespace }) => [{ _name: 'Mine', _userType: 'mine', _namespaces: [namespace], _permissions: [] }]],
  [/^POST .*\/secrets$/, ({ namespace }) => [{ _name: 'Mine', _value: 'mine', _namespaces: [namespace] }]],
  [/^PUT .*\/secrets\//, () => ({ _name: 'Mine now' })],
  [/^POST .*\/notification_templates$/, () => [{ _name: 'USER_GROUP_INVITE', _title: 'Mine', _message: 'now', _locale: 'xx' }]],
  [/^POST .*\/invites$/, ({ baseUrl }, { email }) => [{ _email: email, _params: { base_url: baseUrl } }]],
  [/^PUT .*\/notification_templates\//, () => ({ _name: 'USER_GROUP_INVITE', _title: 'Mine', _message: 'now' })],
  [/^PUT .*\/invites\//, () => ({ _status: 'CANCELLED' })],
  [/^POST .*\/accesskeys$/, () => ({ _name: 'Mine' })],
  [/^PUT .*\/users\/\{id\}$/, () => ({ _firstname: 'Mine', _lastname: 'Now', _disabled: false })],
  [/\/usergroups\/\{id\}\/users$/, ({ ids }) => [ids['user']]],
  [/(PUT|PATCH) .*\/configs$/, () => ({ 'workspaces.limit': 7 })],
  // Nobody listens there, which does not keep a provider from being saved; a second one of a name would be refused.
  [/(POST|PUT) .*\/identityproviders/, () => ({ _name: `Mine ${Math.random()}`, _issuer: 'https://127.0.0.1:65500', _clientId: 'mine' })],
  [/^POST .*\/organizations$/, (_tenant, { email }) => ({ _name: 'Mine', _orgOwner: email })],
  [/^POST .*\/(usergroups|workspaces)$/, ({ ids }) => [{ _name: 'Mine', _shortName: 'mine', _orgId: ids['organization'] }]],
  [/^POST .*\/(apps|clients)$/, ({ ids }) => ({ _name: 'Mine', _scopes: ['read'], _orgId: ids['organization'] })],
  [/^PUT \/passportsvc\//, () => ({ _name: 'Mine' })],
];
