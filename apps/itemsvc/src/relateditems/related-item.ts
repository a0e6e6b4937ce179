import { isDeepStrictEqual } from 'node:util';
import type { MetadataRecord } from '@twinyard/conventions';
import type { StoredDocument } from '@twinyard/documents';
import type { Place } from '../nameditems/item-access';
import type { NamedItem } from '../nameditems/named-item';
import { hidesId, withId, without } from '../storage/projected-ids';
import type { SizedList } from './list-parts';

type Projection = Readonly<Record<string, unknown>>;

/** A related item as it is stored; beside these the properties that its makers gave it. */
export interface RelatedItem extends StoredDocument {
  readonly _guid?: string;
  /** Telemetry items: the id of the sensor. */
  readonly _sourceId?: string;
  readonly _metadata: MetadataRecord;
}

/** What a request made, in its order. */
export interface MadeItems {
  readonly items: readonly RelatedItem[];
  /** Their JSON as the store holds it, in lists one behind the other; absent where some were there already. */
  readonly lists?: readonly SizedList[];
}

/** Outgoing relations that an item or a relationship record names, before anybody looked whether their targets exist. */
export interface RelationDraft {
  /** Where in the request, for faults. */
  readonly at: string;
  /** `_id` or `_userItemId` of the related collection. */
  readonly targetKey: string;
  readonly targetVersionId?: string;
  readonly toIds: readonly string[];
}

export interface RelatedItemDraft {
  /** Where in the request, for faults: `[3]`, or nothing for a single one. */
  readonly at: string;
  readonly id?: string;
  readonly guid?: string;
  /** Everything but what the service itself writes. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** `undefined`: the request says nothing about relations. */
  readonly relations?: readonly RelationDraft[];
}

/** What the service writes itself; sent back by clients, and ignored. */
export const SERVICE_FIELDS: ReadonlySet<string> = new Set(['_id', '_guid', '_metadata', '_uri', '_relationships', '_related']);

/** Whether a stored item is what a draft asks for: clients retry a bulk, and what is there already counts as made. */
export function hasContentOf(stored: RelatedItem, draft: RelatedItemDraft): boolean {
  if (draft.guid !== undefined && draft.guid !== stored._guid) return false;
  const { _id, _guid, _metadata, ...properties } = stored;
  return isDeepStrictEqual(properties, draft.properties);
}

/** Whether the wire shows items of a collection as the store holds them: neither decrypted, nor with a `_uri`. */
export const isShownAsStored = ({ _itemClass, _encryptionEnabled }: NamedItem): boolean => _itemClass !== 'NamedTelemetryCollection' && _encryptionEnabled !== true;

export interface RelatedItemView {
  /** What the store is asked for: whoever is shown a `_uri` needs the `_id` that it is made of. */
  readonly projection?: Projection;
  readonly show: (row: StoredDocument) => StoredDocument;
}

/** What the wire shows: telemetry items have a `_uri` (specification 2). A projection that leaves it out has none. */
export function viewOf(place: Place, projection?: Projection): RelatedItemView {
  if (place.item._itemClass !== 'NamedTelemetryCollection' || !shows(projection, '_uri')) return { ...(projection && { projection }), show: (row) => row };
  const wanted = withId(projection);
  const hidden = hidesId(projection);
  const show = (row: StoredDocument) => {
    const shown = { ...row, _uri: `${place.item._uri}/relateditems/${row._id}` };
    return hidden ? (without(shown, '_id') as StoredDocument) : shown;
  };
  return { ...(wanted && { projection: wanted }), show };
}

function shows(projection: Projection | undefined, field: string): boolean {
  if (projection === undefined) return true;
  const entries = Object.entries(projection).filter(([path]) => path !== '_id');
  const includes = entries.some(([, value]) => value === 1 || value === true);
  return includes ? entries.some(([path, value]) => path === field && Boolean(value)) : !entries.some(([path]) => path === field);
}
