import {
  type Action, type GrantableAction, type Irn, irnCovers, type ResourceCriteria, type ResourceType, scopeAllows, type ServiceError,
} from '@twinyard/conventions';
import { areaOf, groupsOf, irnOf, partsOf } from './compiled-grants';
import { denial } from './denial';
import type { EffectiveGrants, Grant } from './grants';
import { mintScope, type NamespaceScope, type ScopeArea } from './namespace-scope';

/** One record, or with `id: '*'` all of a type, that an action is asked for. */
export interface Target {
  readonly type: ResourceType;
  readonly id: string;
  readonly namespaces: readonly string[];
  /** What criteria are compared with (item service). */
  readonly itemClass?: string;
  readonly userType?: string;
  /** Folders above the record, from which permissions are inherited (file service). */
  readonly ancestorIds?: readonly string[];
}

/** What one caller may do in one request: its grants, capped by its token's scopes and by `nsfilter`. */
export class Access {
  private readonly byNamespace: ReadonlyMap<string, readonly Grant[]>;
  private wasAsked = false;

  constructor(
    private readonly effective: EffectiveGrants,
    private readonly tokenScopes: readonly string[],
    /** `nsfilter`; `undefined` where it is optional and missing. */
    readonly requestedNamespaces: readonly string[] | undefined,
  ) {
    this.byNamespace = groupsOf(effective.grants, requestedNamespaces);
  }

  /** Whether the route asked at all; an answer to a guarded route that did not is withheld. */
  get consulted(): boolean {
    return this.wasAsked;
  }

  get isPlatformManager(): boolean {
    this.wasAsked = true;
    return this.effective.platformManager;
  }

  get groupIds(): readonly string[] {
    return this.effective.groupIds;
  }

  get callerName(): string | undefined {
    return this.effective.name;
  }

  get callerEmail(): string | undefined {
    return this.effective.email;
  }

  /** Whether what was sent to this address is for the caller: anybody can make an account with anybody's, so it counts once it is proved. */
  hasEmail(address: string): boolean {
    return this.verifiedEmail?.toLowerCase() === address.toLowerCase();
  }

  /** The caller's address once it has proved that it reads its mail. */
  get verifiedEmail(): string | undefined {
    this.wasAsked = true;
    return this.effective.emailVerified === true ? this.effective.email : undefined;
  }

  /** Every namespace in which the caller holds anything (within `nsfilter`). */
  get namespaces(): readonly string[] {
    return [...this.byNamespace.keys()];
  }

  /**
   * Who shares places with whom: the organization of the least of these namespaces, so always the same of several; `undefined` of none.
   * Whoever has many workspaces has one share.
   */
  tenantOf(namespaces: readonly string[]): string | undefined {
    const least = namespaces.reduce<string | undefined>((found, name) => (found === undefined || name < found ? name : found), undefined);
    return least === undefined ? undefined : (this.effective.organizations?.[least] ?? least);
  }

  /** Of something that lies in these namespaces: each organization once. */
  tenantsOf(namespaces: readonly string[]): readonly string[] {
    return [...new Set(namespaces.map((name) => this.effective.organizations?.[name] ?? name))];
  }

  /** What the caller may reach with `action` among the records of `type`. */
  scope(action: Action, type: ResourceType): NamespaceScope {
    this.wasAsked = true;
    if (!scopeAllows(this.tokenScopes, action)) return mintScope(action, type, [], '');
    const areas = [...this.byNamespace].map(([namespace, grants]) =>
      areaOf(grants, `${action} ${type}`, () => toArea(namespace, grants.filter((grant) => concerns(grant, action, type))))).filter(isNotEmpty);
    return mintScope(action, type, areas, this.tenantOf(areas.map(({ namespace }) => namespace)) ?? '');
  }

  holds(action: Action, target: Target): boolean {
    this.wasAsked = true;
    if (!scopeAllows(this.tokenScopes, action)) return false;
    return target.namespaces.some((namespace) => this.holdsIn(namespace, action, target));
  }

  /** 403 when the caller does not hold `action` on `target`. */
  require(action: Action, target: Target): void {
    if (!this.holds(action, target)) throw this.denial([action], target);
  }

  /** 403 unless `action` is held in every namespace of the target: what makes a record in several namespaces needs all. */
  requireInAll(action: Action, target: Target): void {
    for (const namespace of target.namespaces) this.require(action, { ...target, namespaces: [namespace] });
  }

  /** 403 when `action` is held on nothing of the type: for what names no record, such as an empty array. */
  requireAnywhere(action: Action, type: ResourceType): void {
    if (this.scope(action, type).areas.length === 0) throw this.denial([action], { type, id: '*', namespaces: this.requestedNamespaces ?? [] });
  }

  /**
   * What is thrown to somebody who holds none of `actions` on `target`. It names no more than the caller knows: a record that it may READ, and
   * namespaces in which it holds something, or in which it wanted to make something.
   */
  denial(actions: readonly Action[], target: Target): ServiceError {
    const isNew = target.id === '*';
    const knows = (namespace: string) => this.byNamespace.has(namespace) || (isNew && this.requestedNamespaces?.includes(namespace) === true);
    const id = !isNew && this.holds('READ', target) ? target.id : '*';
    return denial({
      actions, irn: `${target.type}:${id}`, namespaces: target.namespaces.filter(knows), tokenScopes: this.tokenScopes, holdsNothing: this.effective.grants.length === 0,
    });
  }

  /** A `*` on `*:*:*` makes its holder the owner of a namespace (contract 0.4). */
  ownsNamespace(namespace: string): boolean {
    this.wasAsked = true;
    return this.grantsIn(namespace).some((grant) => grant.irn === '*:*:*' && grant.actions.includes('*') && !isNarrowed(grant));
  }

  /** SHARE rule: whoever grants an action holds SHARE and that action on all that the grant covers. */
  canShare(actions: readonly GrantableAction[], irn: Irn, namespace: string): boolean {
    this.wasAsked = true;
    if (!scopeAllows(this.tokenScopes, 'SHARE')) return false;
    const covering = this.grantsIn(namespace).filter((grant) => !isNarrowed(grant) && irnCovers(irnOf(grant), irn));
    const holdsAction = (action: GrantableAction) => covering.some(({ actions: held }) => held.includes('*') || held.includes(action));
    return holdsAction('SHARE') && actions.every(holdsAction);
  }

  /** The grants in one namespace, for explanations. */
  grantsIn(namespace: string): readonly Grant[] {
    return this.byNamespace.get(namespace) ?? [];
  }

  private holdsIn(namespace: string, action: Action, target: Target): boolean {
    return this.grantsIn(namespace).some((grant) => concerns(grant, action, target.type) && covers(grant, target));
  }
}

/** A grant speaks of an action and a type, whatever the record. */
function concerns(grant: Grant, action: Action, type: ResourceType): boolean {
  if (!grant.actions.includes('*') && !grant.actions.includes(action)) return false;
  const [service, resourceType] = partsOf(type);
  const irn = irnOf(grant);
  return (irn.service === '*' || irn.service === service) && (irn.type === '*' || irn.type === resourceType);
}

const isNarrowed = (grant: Grant) => grant.criteria !== undefined || grant.subresource !== undefined;

function covers(grant: Grant, target: Target): boolean {
  if (grant.subresource !== undefined) return false;
  const { id } = irnOf(grant);
  if (id !== '*' && id !== target.id && !(target.ancestorIds?.includes(id) ?? false)) return false;
  return grant.criteria === undefined || meets(target, grant.criteria);
}

const meets = (target: Target, criteria: ResourceCriteria) =>
  (criteria._itemClass === undefined || criteria._itemClass === target.itemClass) &&
  (criteria._userType === undefined || criteria._userType === target.userType);

function toArea(namespace: string, grants: readonly Grant[]): ScopeArea {
  const plain = grants.filter((grant) => !isNarrowed(grant));
  const idOf = (grant: Grant) => irnOf(grant).id;
  return {
    namespace,
    whole: plain.some((grant) => idOf(grant) === '*'),
    ids: [...new Set(plain.map(idOf).filter((id) => id !== '*'))],
    criteria: grants.flatMap(({ criteria, subresource }) => (criteria && !subresource ? [criteria] : [])),
    subresources: grants.flatMap((grant) => (grant.subresource ? [{ id: idOf(grant), subresource: grant.subresource }] : [])),
  };
}

const isNotEmpty = (area: ScopeArea) => area.whole || area.ids.length > 0 || area.criteria.length > 0 || area.subresources.length > 0;
