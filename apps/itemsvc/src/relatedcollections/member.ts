import type { StoredDocument } from '@twinyard/documents';

/** A member of a composite's version, as the wire has it; `composite…` and `namespaces` stay inside. */
export interface Member extends StoredDocument {
  readonly compositeId: string;
  readonly compositeVersion: string;
  /** The member's, for the scope of whoever lists. */
  readonly namespaces: readonly string[];
  readonly _itemId: string;
  readonly _userItemId: string;
  readonly _userItemClass: string;
  readonly _userType: string;
  readonly _name: string;
  readonly _userItemVersionId: string;
  readonly _userItemVersion: number;
}

export const MEMBER_INTERNALS = ['compositeId', 'compositeVersion', 'namespaces'] as const;
