import { Global, Module } from '@nestjs/common';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { SigningKeysRepository } from './signing-keys.repository';
import { SigningKeysSweep } from './signing-keys-sweep';
import { SigningKeys } from './signing-keys.service';

@Global()
@Module({
  providers: [
    SigningKeysRepository,
    SigningKeysSweep,
    {
      provide: SigningKeys,
      inject: [TypeOrmUnitOfWork, SigningKeysRepository, PASSPORT_SETTINGS],
      useFactory: async (unitOfWork: TypeOrmUnitOfWork, repository: SigningKeysRepository, settings: PassportSettings) => {
        const keys = new SigningKeys(unitOfWork, repository, settings);
        await keys.start();
        return keys;
      },
    },
  ],
  exports: [SigningKeys],
})
export class SigningKeysModule {}
