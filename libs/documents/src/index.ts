export * from './document';
export * from './document-store';
export * from './reading-store';
export { allOf, ParsedFilter } from './filter/ast';
export { FILTER_LIMITS, parseFilter, type ParseOptions } from './filter/parser';
export { PostgresDocumentStore } from './postgres/postgres-document-store.adapter';
export type { ConnectionOptions } from './postgres/connection.adapter';
export { parseTimestamp } from './timestamp';
export { MongoDocumentStore, type MongoDocumentStoreOptions } from './mongo/mongo-document-store.adapter';
