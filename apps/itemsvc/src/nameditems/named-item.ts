import type { Target } from '@twinyard/auth';
import { formatIrn, type MetadataRecord } from '@twinyard/conventions';
import type { StoredDocument } from '@twinyard/documents';
import type { VersionRecord } from '../versions/version';

/** What each class is, in one table. */
export const ITEM_CLASSES = {
  NamedUserCollection: { kind: 'collection', holdsItems: true, needsUserData: false, deleteAnswers: true },
  NamedFileCollection: { kind: 'collection', holdsItems: true, needsUserData: false, deleteAnswers: false },
  NamedTelemetryCollection: { kind: 'collection', holdsItems: true, needsUserData: false, deleteAnswers: false },
  NamedCompositeItem: { kind: 'collection', holdsItems: false, needsUserData: false, deleteAnswers: false },
  UserConfig: { kind: 'userconfig', holdsItems: false, needsUserData: true, deleteAnswers: true },
  Script: { kind: 'script', holdsItems: false, needsUserData: true, deleteAnswers: false },
} as const;

export type ItemClass = keyof typeof ITEM_CLASSES;
export const ITEM_CLASS_NAMES = Object.keys(ITEM_CLASSES) as ItemClass[];
/** Those whose items hold related ones. */
export const HOLDING_ITEMS = ITEM_CLASS_NAMES.filter((name) => ITEM_CLASSES[name].holdsItems);

export const GRANULARITIES = ['seconds', 'minutes', 'hours'] as const;

export interface TsProperties {
  readonly _granularity: (typeof GRANULARITIES)[number];
  readonly _expiry?: number;
}

/** A collection, a configuration or a script, as it is stored and as the wire has it. */
export interface NamedItem extends StoredDocument {
  readonly _userItemId: string;
  readonly _uri: string;
  readonly _irn: string;
  readonly _name: string;
  readonly _shortName: string;
  readonly _description?: string;
  readonly _userType: string;
  readonly _itemClass: ItemClass;
  readonly _kind: string;
  readonly _namespaces: readonly string[];
  readonly _tipId: string;
  readonly _tipVersion: number;
  readonly _nextVersion: number;
  readonly _versionsCount: number;
  readonly _versions: readonly VersionRecord[];
  readonly _encryptionEnabled?: boolean;
  readonly _tsProperties?: TsProperties;
  /** Names of item types of the namespace's schema definition. */
  readonly _itemTypes?: readonly string[];
  readonly _metadata: MetadataRecord;
}

/** What a caller says of a new item, checked. */
export interface ItemDraft {
  readonly name: string;
  readonly shortName: string;
  readonly description?: string;
  readonly namespaces: readonly string[];
  readonly userType: string;
  readonly itemClass: ItemClass;
  readonly userAttributes?: Readonly<Record<string, unknown>>;
  readonly userData?: unknown;
  readonly encryptionEnabled?: boolean;
  readonly tsProperties?: TsProperties;
  readonly itemTypes?: readonly string[];
}

export interface ItemChange {
  readonly name: string;
  readonly description?: string;
  readonly namespaces: readonly string[];
  readonly userType: string;
}

export const ITEM_TYPE = 'itemsvc:nameduseritem';

export const itemUri = (id: string) => `/nameduseritems/${id}`;
export const itemIrn = (id: string) => formatIrn('itemsvc', 'nameduseritem', id);

/** What permissions are asked for. */
export const targetOf = (item: NamedItem): Target => ({
  type: ITEM_TYPE, id: item._id, namespaces: item._namespaces, itemClass: item._itemClass, userType: item._userType,
});

export const newItemTarget = ({ namespaces, itemClass, userType }: Pick<ItemDraft, 'namespaces' | 'itemClass' | 'userType'>): Target => ({
  type: ITEM_TYPE, id: '*', namespaces, itemClass, userType,
});

/** The fields of an item that filters on its versions may name (contract 2.2). */
export const ownerFields = (item: NamedItem) => ({
  _userItemId: item._userItemId, _name: item._name, _shortName: item._shortName, _userType: item._userType, _itemClass: item._itemClass,
  _kind: item._kind, _namespaces: item._namespaces, ...(item._description !== undefined && { _description: item._description }),
});

export const OWNER_FIELDS = ['_userItemId', '_name', '_shortName', '_userType', '_itemClass', '_kind', '_namespaces', '_description'] as const;
