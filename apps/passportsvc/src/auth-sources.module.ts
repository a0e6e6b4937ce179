import { type DynamicModule, Global, Module } from '@nestjs/common';
import { GrantSource, TokenVerifier } from '@twinyard/auth';
import { RegisteredOrigins } from '@twinyard/service-kit';
import { PASSPORT_SETTINGS, type PassportSettings } from './config';
import { NamespaceDirectoryRepository } from './internal/namespace-directory.repository';
import { OwnRegisteredOrigins } from './oauth/registered-origins';
import { OwnLease } from './permissions/own-lease';
import { SigningKeys } from './signing-keys/signing-keys.service';

/** What `libs/auth` asks of passportsvc in other services is answered here from its own database. */
@Global()
@Module({})
export class AuthSourcesModule {
  static register(): DynamicModule {
    return {
      module: AuthSourcesModule,
      providers: [
        {
          provide: TokenVerifier,
          inject: [SigningKeys, PASSPORT_SETTINGS],
          useFactory: (keys: SigningKeys, settings: PassportSettings) => new TokenVerifier({ baseUrl: settings.BASE_URL, keys: keys.verificationKey }),
        },
        { provide: GrantSource, useExisting: OwnLease },
        NamespaceDirectoryRepository,
        { provide: RegisteredOrigins, useClass: OwnRegisteredOrigins },
      ],
      exports: [TokenVerifier, GrantSource, RegisteredOrigins],
    };
  }
}
