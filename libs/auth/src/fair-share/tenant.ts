import type { RequestContext } from '../request-context';

/** Who shares places with whom: the organization of the namespace that a request is about (see `Access.tenantOf`), or who asks where there is none. */
export function tenantOf({ access, principal, namespaces: requested }: RequestContext): string {
  return access.tenantOf(requested.length === 0 ? [] : access.namespaces) ?? `${principal.type} ${principal.id}`;
}
