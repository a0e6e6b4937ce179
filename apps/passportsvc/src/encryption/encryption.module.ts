import { Global, Module } from '@nestjs/common';
import { DataKeys, Envelope, KeyCipher, type PostgresDataKeyStore } from '@twinyard/envelope';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { DataKeyStoreAdapter } from './data-key-store.adapter';

/** What seals secrets: of the platform itself `KeyCipher`, of namespaces `Envelope`. For every provider that asks for them. */
@Global()
@Module({
  providers: [
    {
      provide: KeyCipher,
      inject: [PASSPORT_SETTINGS],
      useFactory: ({ KEY_ENCRYPTION_KEY, KEY_ENCRYPTION_KEY_PREVIOUS }: PassportSettings) => new KeyCipher(KEY_ENCRYPTION_KEY, KEY_ENCRYPTION_KEY_PREVIOUS),
    },
    DataKeyStoreAdapter,
    {
      provide: Envelope,
      inject: [TypeOrmUnitOfWork, DataKeyStoreAdapter, KeyCipher],
      useFactory: (unitOfWork: TypeOrmUnitOfWork, store: PostgresDataKeyStore, cipher: KeyCipher) => new Envelope(new DataKeys(unitOfWork, store, cipher)),
    },
  ],
  exports: [KeyCipher, Envelope],
})
export class EncryptionModule {}
