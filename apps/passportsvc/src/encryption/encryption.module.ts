import { Global, Module } from '@nestjs/common';
import { KeyCipher } from '@twinyard/envelope';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';

/** What seals the secrets of the platform itself, for every provider that asks for it. */
@Global()
@Module({
  providers: [
    {
      provide: KeyCipher,
      inject: [PASSPORT_SETTINGS],
      useFactory: ({ KEY_ENCRYPTION_KEY, KEY_ENCRYPTION_KEY_PREVIOUS }: PassportSettings) => new KeyCipher(KEY_ENCRYPTION_KEY, KEY_ENCRYPTION_KEY_PREVIOUS),
    },
  ],
  exports: [KeyCipher],
})
export class EncryptionModule {}
