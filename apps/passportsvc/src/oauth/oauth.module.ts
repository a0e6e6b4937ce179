import { Global, Module } from '@nestjs/common';
import { AccessTokenSigner } from './access-token-signer';
import { ApplicationTokensController } from './application-tokens.controller';
import { ApplicationTokens } from './application-tokens.service';
import { ClientAuthentication } from './client-authentication';
import { IssuedTokensController } from './issued-tokens.controller';
import { IssuedTokens } from './issued-tokens.service';
import { OAuthController } from './oauth.controller';
import { OidcClients } from './oidc-clients';
import { OidcProvider } from './oidc-provider.service';
import { OidcStores } from './oidc-store.adapter';
import { RunTokens } from './run-tokens';
import { TokenBearer } from './token-bearer';
import { UserinfoController } from './userinfo.controller';

/** The OAuth endpoints. */
@Global()
@Module({
  controllers: [OAuthController, ApplicationTokensController, IssuedTokensController, UserinfoController],
  providers: [AccessTokenSigner, ApplicationTokens, ClientAuthentication, IssuedTokens, OidcClients, OidcProvider, OidcStores, RunTokens, TokenBearer],
  exports: [AccessTokenSigner, OidcClients, OidcProvider, RunTokens],
})
export class OauthModule {}
