export { CombinedObjectStore, type NamedStore } from './combined/combined-object-store';
export { FolderObjectStore } from './folder/folder-object-store.adapter';
export * from './port/object-errors';
export { InvalidObjectKey } from './port/object-key';
export * from './port/object-store';
export * from './port/partial-object';
export { S3ObjectStore } from './s3/s3-object-store.adapter';
export type { S3Options } from './s3/s3-options';
