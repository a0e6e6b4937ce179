import type { NamespaceScope } from './namespace-scope';

export interface ScopeColumns {
  /** Expression of the record's namespaces, a `text[]`. */
  readonly namespaces: string;
  /** Expression of the record's id. */
  readonly id: string;
}

export interface ScopePredicate {
  /** Goes into a WHERE with the named parameters below. */
  readonly sql: string;
  readonly parameters: { readonly scopeWhole: readonly string[]; readonly scopeNamespaces: readonly string[]; readonly scopeIds: readonly string[] };
}

/** Those of which everything is in scope. */
export const wholeNamespaces = (scope: NamespaceScope): readonly string[] =>
  scope.areas.filter(({ whole }) => whole).map(({ namespace }) => namespace);

/** Single records in scope, by namespace and id: two columns of one length, for `unnest`. */
export function grantedRecords(scope: NamespaceScope): { readonly namespaces: readonly string[]; readonly ids: readonly string[] } {
  const records = scope.areas.flatMap(({ namespace, ids }) => ids.map((id) => ({ namespace, id })));
  return { namespaces: records.map(({ namespace }) => namespace), ids: records.map(({ id }) => id) };
}

/**
 * A scope as a predicate of a table whose records are granted by namespace or by id. `columns` are names from the code,
 * never from a caller. Services with more than that (criteria, folders) have predicates of their own.
 */
export function scopePredicate(scope: NamespaceScope, columns: ScopeColumns): ScopePredicate {
  const single = grantedRecords(scope);
  return {
    sql: `(${columns.namespaces} && :scopeWhole::text[] OR EXISTS (
      SELECT FROM unnest(:scopeNamespaces::text[], :scopeIds::text[]) AS granted (namespace, id)
      WHERE granted.id = ${columns.id}::text AND granted.namespace = ANY(${columns.namespaces})))`,
    parameters: { scopeWhole: wholeNamespaces(scope), scopeNamespaces: single.namespaces, scopeIds: single.ids },
  };
}
