/** What runs read of itemsvc's answers; test/consumer-contract says from which requests. */
export interface PageOf<T> {
  readonly _total: number;
  readonly _list: readonly T[];
}

export interface VersionRecord {
  readonly _id: string;
  readonly _version: number;
  readonly _userAttributes?: Readonly<Record<string, unknown>>;
  /** Of a script its source. */
  readonly _userData?: unknown;
}

export interface ItemRecord {
  readonly _id: string;
  readonly _userItemId: string;
  readonly _name: string;
  readonly _tipId: string;
  readonly _tipVersion: number;
  /** The tip alone. */
  readonly _versions: readonly VersionRecord[];
}

export interface ItemDraft {
  readonly _name: string;
  readonly _shortName: string;
  readonly _description: string;
  readonly _namespaces: readonly string[];
  readonly _userType: string;
  readonly _itemClass: string;
  readonly _version: { readonly _userAttributes: Readonly<Record<string, unknown>> };
}

export interface TelemetryItemRecord {
  readonly _id: string;
  readonly _sourceId: string;
}

export interface RelationDraft {
  readonly _relatedFromId: string;
  readonly _relatedToIds: readonly string[];
  readonly _relatedUserItemId: string;
  readonly _relatedUserItemVersionId: string;
}

export interface MemberDraft {
  readonly _userItemId: string;
  readonly _userItemVersionId: string;
}

/** What became of readings that were sent: instants that were new, and what met another. */
export interface WrittenReadings {
  readonly _new: number;
  readonly _replaced: number;
  readonly _merged: number;
  readonly _kept: number;
}

/** What became of items that were sent by their source. */
export interface UpsertedItems {
  readonly _new: number;
  readonly _changed: number;
  readonly _unchanged: number;
  readonly _kept: number;
}
