export { FolderObjectStore } from './folder/folder-object-store.adapter';
export * from './port/object-errors';
export { InvalidObjectKey } from './port/object-key';
export * from './port/object-store';
export { describeObjectStore, type ObjectStoreUnderTest } from './contract-suite/describe-object-store';
