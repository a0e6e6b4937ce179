import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { defineService } from '@twinyard/service-kit';
import type { FastifyInstance } from 'fastify';
import { AppModule } from './app.module';
import { passportSettings } from './config';
import { answerInOAuth } from './oauth/oauth-answers';
import { OidcProvider } from './oauth/oidc-provider.service';
import { shortenTokenRequests } from './oauth/token-shortcut';
import { leaveFormsUnread } from './oauth/unread-body';
import { openApi } from './openapi/openapi';
import { answerInPages } from './pages/error-answers';
import { answerInScim } from './scim/protocol/scim-answers';

export const service = defineService({
  name: 'passportsvc',
  settings: passportSettings,
  openApi,
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
