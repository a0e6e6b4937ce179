export { isCiphertextOf, looksSealed, openText, parseCiphertext, sealText, UnopenableCiphertext } from './ciphertext';
export { type DataKey, type DataKeyRecord } from './data-key';
export * from './data-key-rotation';
export * from './data-key-store';
export * from './data-keys';
export * from './envelope';
export { KeyCipher } from './key-cipher';
export { DataKeysTable1700000000640 } from './postgres/data-keys-migration';
export { PostgresDataKeyStore } from './postgres/postgres-data-key-store.adapter';
