import type { MongoCollections } from '@twinyard/service-kit';

export const DATA_KEYS = 'data_keys';
export const DATA_KEY_USES = 'data_key_uses';

/** For `MongoModule.forRoot({ collections })`, of each service on MongoDB that seals. */
export const DATA_KEYS_COLLECTIONS: MongoCollections = {
  [DATA_KEYS]: [{ key: { namespace: 1, version: -1 }, name: 'version', unique: true }],
  [DATA_KEY_USES]: [{ key: { keyId: 1, holder: 1 }, name: 'use' }],
};
