import type { NamespaceScope } from '../namespace-scope';
import type { RequestContext } from '../request-context';

/** Who shares places with whom: the namespace that a request is about, of several always the same, or who asks where there is none. */
export function tenantOf({ access, principal, namespaces: requested }: RequestContext): string {
  return leastOf(requested.length === 0 ? [] : access.namespaces) ?? `${principal.type} ${principal.id}`;
}

/** The same by what of a caller's namespaces is in reach; empty where nothing is. */
export const tenantIn = ({ areas }: NamespaceScope): string => leastOf(areas.map(({ namespace }) => namespace)) ?? '';

const leastOf = (names: readonly string[]) => names.reduce<string | undefined>((least, name) => (least === undefined || name < least ? name : least), undefined);
