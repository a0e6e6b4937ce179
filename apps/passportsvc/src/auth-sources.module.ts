import { type DynamicModule, Global, Module } from '@nestjs/common';
import { GrantSource, TokenVerifier } from '@twinyard/auth';
import { RegisteredOrigins } from '@twinyard/service-kit';
import { PASSPORT_SETTINGS, type PassportSettings } from './config';
import { NamespaceDirectoryRepository } from './internal/namespace-directory.repository';
import { OwnRegisteredOrigins } from './oauth/registered-origins';
import { OwnGrants } from './permissions/own-grants';
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
        { provide: GrantSource, useExisting: OwnGrants },
        NamespaceDirectoryRepository,
        { provide: RegisteredOrigins, useClass: OwnRegisteredOrigins },
      ],
      exports: [TokenVerifier, GrantSource, RegisteredOrigins],
    };
  }
}
