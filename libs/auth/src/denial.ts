import { type Action, beyondScope, FORBIDDEN_MESSAGE, forbidden, scopeAllows, type ServiceError } from '@twinyard/conventions';

/** What somebody was refused, told no further than it may know. */
export interface Denied {
  /** One of them would have been enough. */
  readonly actions: readonly Action[];
  /** IRN, with `*` for what the caller may not READ. */
  readonly irn: string;
  /** Those alone that the caller knows of. */
  readonly namespaces: readonly string[];
  readonly tokenScopes: readonly string[];
  /** No grant in any namespace, whatever this request is about. */
  readonly holdsNothing: boolean;
}

/** A 403 that says which permission is missing, and whom to ask for it. */
export function denial({ actions, irn, namespaces, tokenScopes, holdsNothing }: Denied): ServiceError {
  const [first] = actions;
  if (first !== undefined && !actions.some((action) => scopeAllows(tokenScopes, action))) return beyondScope(first);
  const missing = `${actions.join(' or ')} on ${irn}${namespaces.length === 0 ? '' : ` in ${namespaces.join(' or ')}`}`;
  const owner = namespaces.length === 0 ? 'an owner of the namespace' : 'an owner there';
  if (holdsNothing) return forbidden(`${FORBIDDEN_MESSAGE}: you hold none in any namespace yet, and ${owner} has to grant you ${missing} first`);
  return forbidden(`${FORBIDDEN_MESSAGE}: it takes ${missing}, which ${owner} can grant`);
}
