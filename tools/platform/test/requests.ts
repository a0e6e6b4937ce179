import { EXAMPLE_IDS } from '@twinyard/service-kit';
import type { ExampleBody, Operation } from './operations';
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
  [/\/scim\/Users/, { id: 'user' }],
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

/** Beside `nsfilter`. */
const NAMESPACE_TOO: readonly (readonly [RegExp, string])[] = [[/\/metrics\//, 'namespace'], [/\/audit$/, '_namespace'], [/^POST \/filesvc\/api\/v1\/files$/, '_namespaces']];

export interface WalkRequest {
  readonly path: string;
  readonly method: string;
  readonly body?: string | FormData;
  /** Of the body, where that does not say it itself. */
  readonly type?: string;
}

/** The id of the tenant's record that a placeholder of the path means. */
export const recordFor = ({ path }: Operation, name: string, ids: Tenant['ids']): string | undefined =>
  ids[RECORDS.find(([pattern, names]) => pattern.test(path) && names[name] !== undefined)?.[1][name] ?? ''];

/** The operation asked of the tenant's records, in the tenant's namespace, with a body that its owner could send. */
export function requestFor(operation: Operation, tenant: Tenant, caller: Caller): WalkRequest {
  const body = exampleFor(operation, tenant, caller);
  const isForm = body?.type === 'multipart/form-data';
  return { path: pathFor(operation, tenant), method: operation.method, ...(body && { body: encode(body), ...(!isForm && { type: body.type }) }) };
}

/** What a parameter of the operation is asked with, where it cannot be just anything. */
export function valueFor({ path }: Pick<Operation, 'path'>, name: string, tenant: Tenant): string | undefined {
  const record = RECORDS.find(([pattern, names]) => pattern.test(path) && names[name] !== undefined)?.[1][name];
  if (path.includes('/orchcomponents/')) return 'ping';
  if (name === 'byDimension') return `by-dimension;namespace=${tenant.namespace}`;
  return record === undefined ? WORDS[name] : (tenant.ids[record] ?? `no ${record} was made`);
}

function pathFor(operation: Operation, tenant: Tenant): string {
  const valueOf = (name: string) => valueFor(operation, name, tenant);
  const fill = (name: string) => encodeURIComponent(valueOf(name) ?? 'unknown');
  const url = new URL(operation.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => fill(name)), 'http://gateway');
  url.searchParams.set('nsfilter', tenant.namespace);
  for (const { name, in: place, required } of operation.parameters) {
    if (place === 'query' && required === true && name !== 'nsfilter') url.searchParams.set(name, valueOf(name) ?? '');
  }
  for (const [pattern, name] of NAMESPACE_TOO) if (pattern.test(operation.key)) url.searchParams.set(name, tenant.namespace);
  if (operation.body?.type === 'text/csv') url.searchParams.set('format', 'csv');
  return url.pathname + url.search;
}

/** What the examples of the references call things, and what the test has in their place. */
const placesOf = ({ baseUrl, namespace, ids }: Tenant, { email }: Caller): Readonly<Record<keyof typeof EXAMPLE_IDS, string | undefined>> => ({
  ...ids as Record<Exclude<keyof typeof EXAMPLE_IDS, 'email' | 'baseUrl' | 'namespace' | 'issuer'>, string>, email, baseUrl, namespace,
  // Nobody listens there, which does not keep a provider from being saved.
  issuer: 'https://127.0.0.1:65500',
});

/** The example of the references, with the tenant's records in the place of those that it names. */
function exampleFor({ key, body }: Operation, tenant: Tenant, caller: Caller): ExampleBody | undefined {
  if (body === undefined) return undefined;
  if (body.example === undefined) throw new Error(`the references have no example of a body for ${key}`);
  return { ...body, example: JSON.parse(withRecordsOf(tenant, caller, JSON.stringify(body.example))) as unknown };
}

/** A text of the references with the tenant's records in the place of those that their examples name. */
export function withRecordsOf(tenant: Tenant, caller: Caller, text: string): string {
  const places = placesOf(tenant, caller);
  return Object.entries(EXAMPLE_IDS).reduce((so, [name, id]) => so.replaceAll(id, places[name as keyof typeof EXAMPLE_IDS] ?? id), text);
}

/** As it is on the wire. */
function encode({ type, example }: ExampleBody): string | FormData {
  if (/[/+]json$/.test(type)) return JSON.stringify(example);
  const fields = Object.entries(example as Record<string, string>);
  if (type === 'application/x-www-form-urlencoded') return new URLSearchParams(fields).toString();
  if (type !== 'multipart/form-data') return String(example);
  const form = new FormData();
  for (const [name, content] of fields) form.set(name, new Blob([content]), 'door.txt');
  return form;
}
