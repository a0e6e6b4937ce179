import { type NamespaceScope, wholeNamespaces } from '@twinyard/auth';
import { isUuid } from '@twinyard/conventions';
import type { SqlValues } from './sql-values';

/** What a scope means for files: whole namespaces, and single files and folders of others. */
export interface FileGrants {
  readonly whole: readonly string[];
  /** Each namespace once, with at least one id. */
  readonly single: readonly { readonly namespace: string; readonly ids: readonly string[] }[];
}

export function grantsOf(scope: NamespaceScope): FileGrants {
  const single = scope.areas.filter(({ whole }) => !whole).map(({ namespace, ids }) => ({ namespace, ids: ids.filter(isUuid) }));
  return { whole: wholeNamespaces(scope), single: single.filter(({ ids }) => ids.length > 0) };
}

/**
 * What is granted by id, as rows `area` of a namespace and the text of an array of ids: of an array of hundreds, the driver would write each by
 * itself, once with its namespace.
 */
export function singleAreas({ single }: FileGrants, values: SqlValues): string {
  const [namespaces, ids] = [values.bind(single.map(({ namespace }) => namespace)), values.bind(single.map((area) => `{${area.ids.join()}}`))];
  return `unnest(${namespaces}::text[], ${ids}::text[]) AS area (namespace, ids)`;
}

/**
 * Keeps a query of `file` by its key within a scope: files of whole namespaces, and files that are granted by their id or by that of a
 * folder above them. Each is looked up by what lies above it, however much the grants cover; lists go the other way (`file-reach`).
 */
export function withinScope(scope: NamespaceScope, values: SqlValues): string {
  const grants = grantsOf(scope);
  const parts = [
    ...(grants.whole.length > 0 ? [`file.namespaces && ${values.bind(grants.whole)}::text[]`] : []),
    ...(grants.single.length > 0 ? [`EXISTS (SELECT FROM ${singleAreas(grants, values)} WHERE area.namespace = ANY (file.namespaces)
      AND area.ids::uuid[] && ARRAY(SELECT ancestor_id FROM file_tree WHERE descendant_id = file.id))`] : []),
  ];
  return parts.length > 0 ? `(${parts.join(' OR ')})` : 'false';
}
