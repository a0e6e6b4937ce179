import { forbidden } from './errors';
import type { Irn } from './irn';

/** Contract 0.4. */
export const ACTIONS = ['READ', 'CREATE', 'EDIT', 'DELETE', 'SHARE', 'RUN', 'ASSIGN'] as const;
export type Action = (typeof ACTIONS)[number];
export const GRANTABLE_ACTIONS = [...ACTIONS, '*'] as const;
export type GrantableAction = (typeof GRANTABLE_ACTIONS)[number];

export const RESOURCE_TYPES = {
  passportsvc: ['organization', 'app', 'workspace', 'usergroup', 'permission_profile', 'secret', 'user', 'publish_request'],
  itemsvc: ['nameduseritem', 'telemetryconfig', 'schemadefinition'],
  filesvc: ['file'],
  datasourcesvc: ['orchestrator'],
  aisvc: ['agent', 'team'],
  metricsvc: ['metric'],
  notificationsvc: ['trigger', 'sender', 'template', 'group', 'subscription', 'device', 'notification'],
} as const;

/** Whether there is anything that a pattern could cover: a grant on a misspelt type would be one of nothing. */
export function isKnownType({ service, type }: Pick<Irn, 'service' | 'type'>): boolean {
  const types = Object.entries(RESOURCE_TYPES).filter(([name]) => service === '*' || service === name).flatMap(([, own]): readonly string[] => own);
  return types.length > 0 && (type === '*' || types.includes(type));
}

export type ServiceName = keyof typeof RESOURCE_TYPES;
export const SERVICES = Object.keys(RESOURCE_TYPES) as ServiceName[];
type ResourceTypeOf<S extends ServiceName> = S extends ServiceName ? `${S}:${(typeof RESOURCE_TYPES)[S][number]}` : never;
/** For example `itemsvc:nameduseritem`. */
export type ResourceType = ResourceTypeOf<ServiceName>;

export const PRINCIPAL_TYPES = ['user', 'usergroup', 'permprofile', 'client'] as const;
export type PrincipalType = (typeof PRINCIPAL_TYPES)[number];

/** Narrows `itemsvc:nameduseritem:*` (contract 0.4). */
export interface ResourceCriteria {
  readonly _itemClass?: string;
  readonly _userType?: string;
}

/** Narrows the actions on one collection to those related items whose fields have these values. */
export interface SubresourceDesc {
  readonly _type: 'relateditem';
  readonly _criteria: Readonly<Record<string, unknown>>;
}

export interface ResourceDesc {
  readonly _irn: string;
  readonly _criteria?: ResourceCriteria;
  readonly _subresourceDesc?: SubresourceDesc;
}

/** A permission as the wire has it. */
export interface PermissionRecord {
  readonly _id: string;
  readonly _namespace: string;
  readonly _actions: readonly GrantableAction[];
  readonly _resourceDesc: ResourceDesc;
  readonly _user: { readonly _type: PrincipalType; readonly _id: string };
}

/** The scope of a token that allows an action. */
export const scopeFor = (action: Action) => (action === 'READ' ? 'read' : 'write');

/** A token's scope caps actions: `read` allows READ, `write` the rest. */
export const scopeAllows = (scopes: readonly string[], action: Action) => scopes.includes(scopeFor(action));

/** Whatever its holder may do. */
export const beyondScope = (action: Action) => forbidden(`The token's scope does not allow ${action}: it takes a token with the scope \`${scopeFor(action)}\``);
