import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { defineService } from '@twinyard/service-kit';
import type { FastifyInstance } from 'fastify';
import { AppModule } from './app.module';
import { passportSettings } from './config';
import { answerInOAuth } from './oauth/oauth-answers';
import { OidcProvider } from './oauth/oidc-provider.service';
import { shortenTokenRequests } from './oauth/token-shortcut';
import { leaveFormsUnread } from './oauth/unread-body';
import { answerInPages } from './pages/error-answers';
import { answerInScim } from './scim/protocol/scim-answers';

export const service = defineService({
  name: 'passportsvc',
  settings: passportSettings,
  openApi: {
    title: 'Identity',
    description: [
      'OAuth 2.0 and OpenID Connect, users, organizations, applications, workspaces, user groups and permissions.',
      'Good to know: an authorization request without `scope` asks for `read write`; a client that asks for no scope gets all of its own;',
      'an application is a public client until its owner gives it a secret (`POST /apps/{id}/secret`); what comes of exchanging tokens (`auth/token`) ends where the first exchange could have;',
      'a code or refresh token that is used twice revokes its authorization, as does `revoke` for any token of it; applications that are not first-party ask for consent once per session;',
      'after five wrong passwords the sign-in page answers 429 with `Retry-After`; a disabled user\'s sessions stay ended when the account is enabled again.',
    ].join(' '),
    operationIds: {
      'GET /passportsvc/.well-known/oauth-authorization-server': 'getAuthorizationServerMetadata',
      'GET /passportsvc/api/v1/oauth/authorize': 'authorizeByFirstVersion',
      'POST /passportsvc/api/v1/oauth/authorize': 'authorizeByFormOfFirstVersion',
      'POST /passportsvc/api/v1/oauth/token': 'issueTokenByFirstVersion',
      'POST /passportsvc/api/v1/scim/.search': 'searchScim',
    },
  },
  module: (settings) => AppModule.register(settings),
  configure: async (app: NestFastifyApplication) => {
    const instance = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
    await leaveFormsUnread(instance);
    answerInScim(instance);
    answerInPages(instance);
    answerInOAuth(instance);
    shortenTokenRequests(instance, app.get(OidcProvider, { strict: false }));
  },
});
