import { byteSize, type StoredDocument } from '@twinyard/documents';
import type { MetadataRecord } from '@twinyard/conventions';

/** One version of a named item, as the wire has it. */
export interface VersionRecord extends StoredDocument {
  /** The owner's `_id`. */
  readonly _userItemDbId: string;
  readonly _version: number;
  readonly _isTip: boolean;
  readonly _userAttributes?: Readonly<Record<string, unknown>>;
  readonly _userData?: unknown;
  readonly _metadata: MetadataRecord;
}

export interface VersionContent {
  readonly userAttributes?: Readonly<Record<string, unknown>>;
  readonly userData?: unknown;
}

/** What a version holds. Absolute values, changed in the transaction of the change, under the version's lock. */
export interface VersionCounters {
  /** The version's `_id`. */
  readonly _id: string;
  readonly relatedItemsCount: number;
  readonly relatedItemsBytes: number;
  /** Of `_userData` and `_userAttributes`. */
  readonly ownBytes: number;
  readonly readingsCount: number;
  readonly timeSeriesSize: number;
  /** Of its item, since that has moved; absent: it has not. For whoever has looked it up before, and writes only now. */
  readonly namespaces?: readonly string[];
}

/** Contract 4: the UTF-8 length of the JSON of its `_userData`, `_userAttributes` and related items. */
export const sizeOf = (counters: VersionCounters) => counters.ownBytes + counters.relatedItemsBytes;

const bytesOf = (value: unknown) => (value === undefined ? 0 : byteSize(value));

export const ownBytesOf = (version: Pick<VersionRecord, '_userData' | '_userAttributes'>) =>
  bytesOf(version._userData) + bytesOf(version._userAttributes);

export const emptyCounters = (version: VersionRecord): VersionCounters => ({
  _id: version._id, relatedItemsCount: 0, relatedItemsBytes: 0, ownBytes: ownBytesOf(version), readingsCount: 0, timeSeriesSize: 0,
});

export const toVersion = (base: Pick<VersionRecord, '_id' | '_userItemDbId' | '_version' | '_isTip' | '_metadata'>, content: VersionContent): VersionRecord => ({
  ...base,
  ...(content.userAttributes !== undefined && { _userAttributes: content.userAttributes }),
  ...(content.userData !== undefined && { _userData: content.userData }),
});
