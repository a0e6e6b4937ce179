import { Global, Module, type Provider } from '@nestjs/common';
import { DataKeys, DataKeyUses, Envelope, KeyCipher } from '@twinyard/envelope';
import { RequestSeal } from '@twinyard/jobs';
import { type Tx, UnitOfWork } from '@twinyard/service-kit';
import { ITEM_SETTINGS, type ItemSettings } from '../config';
import { DataKeyStores, type KeyStores } from './data-key-stores.adapter';
import { ItemEncryption } from './item-encryption';
import { KeyCipherRequestSeal } from './request-seal';

const CIPHER: Provider = {
  provide: KeyCipher,
  inject: [ITEM_SETTINGS],
  useFactory: ({ KEY_ENCRYPTION_KEY, KEY_ENCRYPTION_KEY_PREVIOUS }: ItemSettings) => new KeyCipher(KEY_ENCRYPTION_KEY, KEY_ENCRYPTION_KEY_PREVIOUS),
};

/** What seals: properties of related items under the keys of their namespaces, requests that wait under the key-encryption key. */
@Global()
@Module({
  providers: [
    CIPHER,
    DataKeyStores,
    {
      provide: Envelope,
      inject: [UnitOfWork, DataKeyStores, KeyCipher],
      useFactory: (unitOfWork: UnitOfWork<Tx>, { keys }: KeyStores, cipher: KeyCipher) => new Envelope(new DataKeys(unitOfWork, keys, cipher)),
    },
    { provide: DataKeyUses, inject: [DataKeyStores], useFactory: ({ uses }: KeyStores) => uses },
    { provide: RequestSeal, useClass: KeyCipherRequestSeal },
    ItemEncryption,
  ],
  exports: [KeyCipher, Envelope, DataKeyUses, RequestSeal, ItemEncryption],
})
export class EncryptionModule {}
