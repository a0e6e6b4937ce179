import { type NamespaceScope, wholeNamespaces } from '@twinyard/auth';
import { isUuid } from '@twinyard/conventions';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/**
 * Keeps a query of `file` within a scope: files of whole namespaces, and files that are granted by their id or by that of a folder
 * above them. One predicate, so that a list and its total are filtered where they are counted. Each part is there only when something
 * is granted so: the sub-query of a namespace is then a set that is made once, not a look-up for each row.
 */
export function withinScope<T extends ObjectLiteral>(query: SelectQueryBuilder<T>, scope: NamespaceScope): SelectQueryBuilder<T> {
  const whole = wholeNamespaces(scope);
  const granted = scope.areas.map(({ namespace, whole: all, ids }) => ({ namespace, ids: all ? [] : ids.filter(isUuid) })).filter(({ ids }) => ids.length > 0);
  const parts = [
    ...(whole.length > 0 ? ['file.namespaces && :scopeWhole::text[]'] : []),
    ...granted.map((_area, index) => `(file.namespaces && :scopeNamespace${index}::text[]
      AND file.id IN (SELECT descendant_id FROM file_tree WHERE ancestor_id = ANY (:scopeIds${index}::uuid[])))`),
  ];
  const parameters = granted.flatMap(({ namespace, ids }, index) => [[`scopeNamespace${index}`, [namespace]], [`scopeIds${index}`, ids]]);
  return query.andWhere(parts.length > 0 ? `(${parts.join(' OR ')})` : 'false', { scopeWhole: whole, ...Object.fromEntries(parameters) });
}
