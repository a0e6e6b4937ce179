import type { Action, ResourceCriteria, ResourceType, SubresourceDesc } from '@twinyard/conventions';

/** What a caller may reach with one action in one namespace. A record is in reach when any of the parts covers it. */
export interface ScopeArea {
  readonly namespace: string;
  /** Everything of the resource type in the namespace. */
  readonly whole: boolean;
  /** Single records (for files: with everything under them). */
  readonly ids: readonly string[];
  /** Records that match one of these (item service). */
  readonly criteria: readonly ResourceCriteria[];
  /** Related items of one collection that match (item service). */
  readonly subresources: readonly { readonly id: string; readonly subresource: SubresourceDesc }[];
}

/**
 * The part of the stored records that a caller may reach. Every read of a repository takes one and compiles it into its
 * query, so a list is filtered where `_total` is counted. Only `Access` makes one.
 */
export abstract class NamespaceScope {
  protected readonly brand = 'NamespaceScope' as const;
  abstract readonly action: Action;
  abstract readonly resourceType: ResourceType;
  /** One entry for each namespace of `nsfilter` in which the caller holds something; empty: nothing is in reach. */
  abstract readonly areas: readonly ScopeArea[];
  /** Whose places reads in it take; empty where nothing is in reach. */
  abstract readonly tenant: string;
}

class MintedScope extends NamespaceScope {
  constructor(
    override readonly action: Action,
    override readonly resourceType: ResourceType,
    override readonly areas: readonly ScopeArea[],
    override readonly tenant: string,
  ) {
    super();
  }
}

/** Not exported from the library: `Access.scope` is the only way to a scope. */
export const mintScope = (action: Action, resourceType: ResourceType, areas: readonly ScopeArea[], tenant: string): NamespaceScope =>
  new MintedScope(action, resourceType, areas, tenant);
