import { Global, Module } from '@nestjs/common';
import { UpstreamModule } from '../upstream/upstream.module';
import { IdentityProvidersController } from './identity-providers.controller';
import { IdentityProvidersRepository } from './identity-providers.repository';
import { IdentityProviders } from './identity-providers.service';
import { NewIssuers } from './new-issuers';
import { ProviderLifecycle } from './provider-lifecycle';
import { ProviderSecrets } from './provider-secrets';
import { UserIdentitiesRepository } from './user-identities.repository';

/** The issuers that organizations have connected, who is who there, and how people sign in through them. */
@Global()
@Module({
  imports: [UpstreamModule],
  controllers: [IdentityProvidersController],
  providers: [IdentityProviders, IdentityProvidersRepository, NewIssuers, ProviderLifecycle, ProviderSecrets, UserIdentitiesRepository],
  exports: [IdentityProvidersRepository, ProviderSecrets, UserIdentitiesRepository],
})
export class IdentityProvidersModule {}
