import { type NamespaceScope, wholeNamespaces } from '@twinyard/auth';
import { isUuid } from '@twinyard/conventions';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/** What a scope means for files: whole namespaces, and single files and folders of others, as two columns of one length. */
export interface FileGrants {
  readonly whole: readonly string[];
  readonly namespaces: readonly string[];
  readonly ids: readonly string[];
}

export function grantsOf(scope: NamespaceScope): FileGrants {
  const single = scope.areas.filter(({ whole }) => !whole).flatMap(({ namespace, ids }) => ids.filter(isUuid).map((id) => ({ namespace, id })));
  return { whole: [...new Set(wholeNamespaces(scope))], namespaces: single.map(({ namespace }) => namespace), ids: single.map(({ id }) => id) };
}

/**
 * Keeps a query of `file` by its key within a scope: files of whole namespaces, and files that are granted by their id or by that of a
 * folder above them. Each is looked up by what lies above it, however much the grants cover; lists go the other way (`file-reach`).
 */
export function withinScope<T extends ObjectLiteral>(query: SelectQueryBuilder<T>, scope: NamespaceScope): SelectQueryBuilder<T> {
  const { whole, namespaces, ids } = grantsOf(scope);
  const parts = [
    ...(whole.length > 0 ? ['file.namespaces && :scopeWhole::text[]'] : []),
    ...(ids.length > 0 ? [`EXISTS (SELECT FROM file_tree above JOIN unnest(:scopeNamespaces::text[], :scopeIds::uuid[]) AS granted (namespace, id) ON granted.id = above.ancestor_id
      WHERE above.descendant_id = file.id AND granted.namespace = ANY (file.namespaces))`] : []),
  ];
  return query.andWhere(parts.length > 0 ? `(${parts.join(' OR ')})` : 'false', { scopeWhole: whole, scopeNamespaces: namespaces, scopeIds: ids });
}
