/** The owner of an organization or application: somebody with an account, or an address that has none yet. */
export type Owner = { readonly ownerId: string; readonly pendingOwnerEmail: null } | { readonly ownerId: null; readonly pendingOwnerEmail: string };
