import type { Target } from '@twinyard/auth';

/** What permissions on a file are asked with: folders above it, since permissions are inherited from them. */
export const fileTarget = (file: { readonly id: string; readonly namespaces: readonly string[] }, ancestorIds: readonly string[]): Target => ({
  type: 'filesvc:file', id: file.id, namespaces: file.namespaces, ancestorIds,
});

/** Everything at the root: what making something there is asked with. */
export const rootTarget = (namespaces: readonly string[]): Target => ({ type: 'filesvc:file', id: '*', namespaces });
