import { isRead, type Operation } from './operations';
import { recordFor } from './requests';
import type { Place, Tenant } from './tenants';

/** Actions on one pattern in one of the tenant's namespaces. */
export interface Right {
  readonly actions: readonly string[];
  readonly irn: string;
  readonly place: Place;
}

type Ids = Tenant['ids'];
type Rule = readonly [RegExp, (operation: Operation, ids: Ids) => readonly Right[]];

const on = (irn: string, actions: readonly string[], place: Place = 'workspace'): Right[] => [{ actions, irn, place }];
const serviceOf = ({ path }: Operation) => path.split('/')[1] ?? '';

/** What belongs to whom: the resource type of a path, whose record it is about, and in which namespace that may be granted. */
const TYPES: readonly (readonly [RegExp, { readonly type: string; readonly record?: string; readonly place?: Place; readonly birthplace?: Place }])[] = [
  [/nameduseritems|telemetry_processing_errors/, { type: 'itemsvc:nameduseritem' }],
  [/telemetryconfigs/, { type: 'itemsvc:telemetryconfig' }],
  [/schemadefinitions/, { type: 'itemsvc:schemadefinition' }],
  [/^\/filesvc\//, { type: 'filesvc:file' }],
  [/\/(orchestrators|orchrun|orchschedules)/, { type: 'datasourcesvc:orchestrator', record: 'orchestrator' }],
  [/^\/aisvc\/.*\/teams/, { type: 'aisvc:team' }],
  [/^\/passportsvc\/.*\/notification_templates/, { type: 'passportsvc:app', record: 'app', place: 'organization' }],
  [/^\/passportsvc\/.*\/usergroups/, { type: 'passportsvc:usergroup', place: 'app' }],
  [/^\/passportsvc\/.*\/workspaces/, { type: 'passportsvc:workspace', birthplace: 'app' }],
  [/^\/passportsvc\/.*\/apps/, { type: 'passportsvc:app', place: 'organization' }],
  [/^\/passportsvc\/.*\/organizations/, { type: 'passportsvc:organization', place: 'organization' }],
  [/^\/passportsvc\/.*\/permissionprofiles/, { type: 'passportsvc:permission_profile' }],
  [/^\/passportsvc\/.*\/secrets/, { type: 'passportsvc:secret' }],
  ...['device', 'group', 'sender', 'subscription', 'template', 'trigger'].map((kind) => [new RegExp(`^/notificationsvc/.*/${kind}(/|$)`), { type: `notificationsvc:${kind}` }] as const),
];

/** Contract 0.4, "What | Needs", wherever it says something else than READ, CREATE, EDIT or DELETE by the method. */
const RULES: readonly Rule[] = [
  [/\/passportsvc\/api\/v1\/(invites|users\/me\/accesskeys)$/, () => []], // one's own
  [/^(PUT|GET) \/\w+\/api\/v1\/permissions$|^GET \/\w+\/api\/v1\/permissions\/\{id\}$/, ({ method }) => on('*:*:*', method === 'PUT' ? ['*'] : ['SHARE'])],
  [/^DELETE \/\w+\/api\/v1\/permissions\/\{id\}$/, (operation) => on(`${serviceOf(operation)}:*:*`, ['SHARE'])],
  [/\/metrics\//, () => on('metricsvc:metric:*', ['READ'])],
  [/^POST \/notificationsvc\/.*\/notification$/, () => on('notificationsvc:notification:*', ['CREATE'])],
  [/ \/notificationsvc\/.*\/notification(\/|$)/, () => on('notificationsvc:notification:*', ['READ'])],
  [/^(POST|PUT) .*\/orchrun(\/|$)/, (_operation, ids) => on(`datasourcesvc:orchestrator:${ids['orchestrator'] ?? ''}`, ['READ', 'RUN'])],
  [/^(POST|PUT|DELETE) .*\/orchschedules/, (_operation, ids) => on(`datasourcesvc:orchestrator:${ids['orchestrator'] ?? ''}`, ['READ', 'EDIT', 'RUN'])],
  [/^POST .*\/(relateditems|relateditems\/bulk|readings|import)$/, (operation, ids) => on(`itemsvc:nameduseritem:${recordFor(operation, 'id', ids) ?? ''}`, ['READ', 'CREATE'])],
  [/^DELETE .*\/(relateditems|relateditems\/bulk|relateditems\/\{relatedItemId\}|relationships|relationships\/bulk|indexes)$/, (operation, ids) => on(`itemsvc:nameduseritem:${recordFor(operation, 'id', ids) ?? ''}`, ['READ', 'EDIT'])],
  [/^(POST|DELETE) .*\/relatedcollections/, (_operation, ids) => [
    ...on(`itemsvc:nameduseritem:${ids['composite'] ?? ''}`, ['READ', 'EDIT']), ...on(`itemsvc:nameduseritem:${ids['telemetry'] ?? ''}`, ['READ']),
  ]],
  [/^POST .*\/search$/, (_operation, ids) => on(`itemsvc:nameduseritem:${ids['collection'] ?? ''}`, ['READ'])],
  // A profile's grants are given by who makes it.
  [/^(POST|PUT) .*\/permissionprofiles/, (operation, ids) => [...typedRight(operation, ids, actionsOf(operation)), ...on('filesvc:file:*', ['READ', 'SHARE'])]],
  [/^DELETE .*\/(users|configs|secret)$/, (operation, ids) => typedRight(operation, ids, ['READ', 'EDIT'])],
  [/\/notification_templates/, (_operation, ids) => on(`passportsvc:app:${ids['app'] ?? ''}`, ['READ', 'EDIT'], 'organization')],
  [/\/identityproviders/, (operation, ids) => typedRight(operation, ids, isRead(operation) ? ['READ'] : ['READ', 'EDIT'])],
  [/\/audit$/, () => on('*:*:*', ['*'])],
];

/** The smallest grants with which somebody may do this. Changing needs READ too: what one may not read does not exist. */
export function rightsFor(operation: Operation, ids: Ids): readonly Right[] {
  const rule = RULES.find(([pattern]) => pattern.test(operation.key));
  return rule === undefined ? typedRight(operation, ids, actionsOf(operation)) : rule[1](operation, ids);
}

/** Whether a token of reading is enough. */
export const areOfReading = (rights: readonly Right[]): boolean => rights.every(({ actions }) => actions.every((action) => action === 'READ'));

/** On all of the type for what has no record yet, or on the one record that the path is about. */
function typedRight(operation: Operation, ids: Ids, actions: readonly string[]): Right[] {
  const found = TYPES.find(([pattern]) => pattern.test(operation.path))?.[1];
  if (found === undefined) throw new Error(`rights.ts does not say which grant ${operation.key} needs`);
  const { type, record, place = 'workspace', birthplace = place } = found;
  if (actions.includes('CREATE')) return on(`${type}:*`, actions, birthplace);
  const name = /\{(\w+)\}/.exec(operation.path)?.[1];
  const id = record === undefined ? name && recordFor(operation, name, ids) : ids[record];
  return on(`${type}:${id ?? '*'}`, actions, place);
}

function actionsOf(operation: Operation): readonly string[] {
  if (isRead(operation)) return ['READ'];
  if (operation.method === 'DELETE') return ['READ', 'DELETE'];
  return operation.method === 'POST' && !operation.path.includes('{') ? ['CREATE'] : ['READ', 'EDIT'];
}
