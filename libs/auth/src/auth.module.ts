import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import type { ServiceName } from '@twinyard/conventions';
import { type BaseSettings, KnownCallers, LOGGER, type Logger, RegisteredOrigins } from '@twinyard/service-kit';
import { AuthGuard } from './auth.guard';
import { BootAudit } from './boot-audit';
import { ConsultationCheck } from './consultation-check';
import { GrantSource } from './grant-source';
import { PassportClient } from './passport-client';
import { PassportOrigins } from './passport-origins';
import { permissionsController } from './permissions.controller';
import { acceptedServiceTokens, type ServiceTokenSettings } from './service-token.guard';
import { SyncedGrantSource } from './synced-grant-source';
import { remoteKeys, TokenVerifier } from './token-verifier';
import { VerifiedCallers } from './verified-callers';

export type AuthSettings = Pick<BaseSettings, 'BASE_URL' | 'PASSPORT_URL'> & ServiceTokenSettings;

/** The guard, the audit at boot and the grants cache of a service. passportsvc brings its own source (`forPassport`). */
@Global()
@Module({})
export class AuthModule {
  /** For every service but passportsvc; also serves `/<service>/api/v1/permissions`. */
  static forService(service: ServiceName, settings: AuthSettings): DynamicModule {
    const client = new PassportClient({ passportUrl: settings.PASSPORT_URL, serviceToken: settings.SERVICE_TOKEN });
    const tokens = acceptedServiceTokens(settings);
    return {
      module: AuthModule,
      imports: [DiscoveryModule],
      controllers: [permissionsController(service, settings.PASSPORT_URL)],
      providers: [
        ...guards(),
        tokens,
        { provide: PassportClient, useValue: client },
        { provide: TokenVerifier, useFactory: () => new TokenVerifier({ baseUrl: settings.BASE_URL, keys: remoteKeys(settings.PASSPORT_URL) }) },
        { provide: GrantSource, inject: [LOGGER], useFactory: (logger: Logger) => new SyncedGrantSource(service, client, logger) },
        { provide: RegisteredOrigins, useFactory: () => new PassportOrigins(client) },
      ],
      exports: [tokens, PassportClient, TokenVerifier, GrantSource, RegisteredOrigins],
    };
  }

  /** For passportsvc: `sources` provide `GrantSource`, `TokenVerifier` and `RegisteredOrigins` from its own database. */
  static forPassport(sources: DynamicModule, settings: ServiceTokenSettings): DynamicModule {
    const tokens = acceptedServiceTokens(settings);
    return { module: AuthModule, imports: [DiscoveryModule, sources], providers: [...guards(), tokens], exports: [tokens] };
  }
}

const guards = (): Provider[] => [
  BootAudit,
  ConsultationCheck,
  { provide: KnownCallers, useClass: VerifiedCallers },
  { provide: APP_GUARD, useClass: AuthGuard },
];
