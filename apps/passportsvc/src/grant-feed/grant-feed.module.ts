import { type DynamicModule, Global, Module } from '@nestjs/common';
import { LOGGER, type Logger } from '@twinyard/service-kit';
import { GrantChangeListener } from './grant-change-listener.adapter';
import { GrantFeedRepository } from './grant-feed.repository';
import { GrantFeed } from './grant-feed.service';

@Global()
@Module({})
export class GrantFeedModule {
  static forRoot(databaseUrl: string): DynamicModule {
    return {
      module: GrantFeedModule,
      providers: [
        GrantFeed,
        GrantFeedRepository,
        {
          provide: GrantChangeListener,
          inject: [LOGGER],
          useFactory: async (logger: Logger) => {
            const listener = new GrantChangeListener(databaseUrl, logger);
            await listener.start();
            return listener;
          },
        },
      ],
      exports: [GrantFeed, GrantFeedRepository],
    };
  }
}
