import type { MetadataRecord } from '@twinyard/conventions';
import type { StoredDocument } from '@twinyard/documents';

/** Specification 2 and contract 2.8. */
export const PROPERTY_TYPES = ['number', 'string', 'boolean', 'isodate', 'object', 'array'] as const;
export type PropertyType = (typeof PROPERTY_TYPES)[number];

export type Properties = Readonly<Record<string, PropertySchema>>;

export interface PropertySchema {
  readonly _type: PropertyType;
  /** Of an object. */
  readonly _properties?: Properties;
  /** Of an array: what each element is. */
  readonly _items?: PropertySchema;
  /** Of a text: the values that it takes. */
  readonly _enum?: readonly string[];
  readonly _description?: string;
}

/** What item types and reading types have in common. */
export interface NamedType {
  readonly _typeName: string;
  readonly _type: 'object';
  readonly _properties: Properties;
  readonly _description?: string;
}

export interface RelationshipType {
  readonly _isInverse: boolean;
  readonly _userType: string;
  readonly _ref: { readonly _relatedTypeName: string; readonly _relatedUserType?: string; readonly _relatedUserItemId?: string };
  readonly _description?: string;
}

export interface ItemType extends NamedType {
  readonly _relationshipTypes: readonly RelationshipType[];
  /** Names of reading types. */
  readonly _readingTypes: readonly string[];
}

export type ReadingType = NamedType;

export interface SchemaTypes {
  readonly _itemTypes: readonly ItemType[];
  readonly _readingTypes: readonly ReadingType[];
}

/** As it is stored: one per namespace, whose name is its `_id`. */
export interface StoredSchema extends SchemaTypes, StoredDocument {
  readonly _metadata: MetadataRecord;
}

export const SCHEMA_TYPE = 'itemsvc:schemadefinition';
