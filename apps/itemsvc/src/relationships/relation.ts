import { createHash } from 'node:crypto';
import type { StoredDocument } from '@twinyard/documents';

/** A pair of related items. `from` and `to` name item and collection version in one text, by which both directions are found. */
export interface Relation extends StoredDocument {
  readonly from: string;
  readonly to: string;
  readonly fromItem: string;
  readonly fromVersion: string;
  readonly fromId: string;
  readonly toItem: string;
  readonly toVersion: string;
  readonly toId: string;
}

/** A related item in a version of a collection. */
export interface RelationEnd {
  readonly itemId: string;
  readonly versionId: string;
  readonly id: string;
}

export const endKey = (versionId: string, id: string) => `${versionId}:${id}`;

/** The `_id` follows from the pair, so that a pair has one record however often it is put. */
export function toRelation(from: RelationEnd, to: RelationEnd): Relation {
  const fromKey = endKey(from.versionId, from.id);
  const toKey = endKey(to.versionId, to.id);
  return {
    _id: createHash('sha256').update(`${fromKey} ${toKey}`).digest('hex').slice(0, 24),
    from: fromKey, to: toKey,
    fromItem: from.itemId, fromVersion: from.versionId, fromId: from.id,
    toItem: to.itemId, toVersion: to.versionId, toId: to.id,
  };
}
