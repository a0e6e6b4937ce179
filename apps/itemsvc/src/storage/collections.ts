import { type CollectionOptions, type CollectionRef, systemCollection, versionOf } from '@twinyard/documents';

/**
 * The collections that itemsvc keeps beside its users'. Documents have the form of the wire, underscores and all: the filters,
 * sorts and projections that callers send name the wire's fields and go to the store as they are.
 */
/** A named item with its tip version under `_versions`. */
export const ITEMS = systemCollection('items');
/** The same with all versions: what `"_versions.all": true` searches. */
export const HISTORIES = systemCollection('histories', { maxDocumentBytes: 64 * 1024 ** 2 });
/** A version each, with the owner's fields that a filter may name. */
export const VERSIONS = systemCollection('versions');
/** What a version holds: counts and bytes. */
export const COUNTERS = systemCollection('counters');
/** Rewritten by whoever changes an item or a version, so that the writers of one queue up. */
export const LOCKS = systemCollection('locks');
/** A pair of related items each. */
export const RELATIONS = systemCollection('relations');
/** Members of composites. */
export const MEMBERS = systemCollection('members');
/** The schema definition of each namespace, by its name. */
export const SCHEMAS = systemCollection('schemas');
/** How readings are normalized. */
export const TELEMETRY_CONFIGS = systemCollection('telemetryconfigs');
/** Namespaces that have a telemetry config, by their names: none has two. */
export const CONFIGURED_NAMESPACES = systemCollection('configurednamespaces');
/** Readings that could not be normalized. */
export const PROCESSING_ERRORS = systemCollection('processingerrors');
/** What updates have changed: of named items and of related items. */
export const UPDATE_LOGS = systemCollection('updatelogs');
/** Files that are being imported, and how far they are. */
export const IMPORTS = systemCollection('imports');
/** Their chunks, a partition each. */
export const IMPORT_CHUNKS = systemCollection('importchunks');
/** Related items that are tried against a part of a collection, each trial a partition: none outlives its transaction. */
const TRIALS = systemCollection('trials');
/** Collections whose item is deleted and whose documents wait for removal: making and dropping is no part of a transaction. */
export const DROPPED = systemCollection('dropped');

const onPaths = (...paths: readonly string[]) => ({ key: Object.fromEntries(paths.map((path) => [path, 1 as const])), options: { name: paths.join('').replace(/\W/g, '') } });
/** Of ids, names of namespaces and times. */
const index = (...paths: readonly string[]) => {
  const { key, options } = onPaths(...paths);
  return { key, options: { ...options, isShort: true } };
};

export const SYSTEM_COLLECTIONS: ReadonlyMap<CollectionRef, CollectionOptions> = new Map<CollectionRef, CollectionOptions>([
  [ITEMS, { indexes: [index('_userItemId'), index('_namespaces'), onPaths('_userType')] }],
  [HISTORIES, { indexes: [index('_userItemId'), index('_namespaces')] }],
  [VERSIONS, { indexes: [index('_userItemDbId')] }],
  [COUNTERS, {}],
  [LOCKS, {}],
  [RELATIONS, { indexes: [index('from', 'toItem'), index('to', 'fromItem'), index('fromVersion'), index('toVersion')] }],
  [MEMBERS, { indexes: [index('compositeVersion'), index('_itemId'), index('_userItemVersionId')] }],
  [SCHEMAS, {}],
  [TELEMETRY_CONFIGS, { indexes: [index('_namespaces')] }],
  [CONFIGURED_NAMESPACES, {}],
  [PROCESSING_ERRORS, { indexes: [index('_namespaces'), index('_at')] }],
  [UPDATE_LOGS, { indexes: [index('of'), index('version')] }],
  [IMPORTS, { indexes: [index('_namespaces'), index('touchedAt')] }],
  [IMPORT_CHUNKS, {}],
  [TRIALS, {}],
  [DROPPED, {}],
]);

/** What indexes of earlier versions others have taken the place of. */
export const REPLACED_INDEXES: readonly (readonly [CollectionRef, string])[] = [[RELATIONS, 'from'], [RELATIONS, 'to']];

/** All versions of an item lie in one collection of the store, a partition each. */
export const collectionName = (itemId: string) => `c${itemId}`;

export const trialOf = (id: string) => versionOf(TRIALS.name, id);

export const relatedItemsOf = (itemId: string, versionId: string) => versionOf(collectionName(itemId), versionId);
