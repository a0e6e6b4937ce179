import { Global, Module } from '@nestjs/common';
import { QuietConnection } from '@twinyard/service-kit';
import { GrantChangeListener } from './grant-change-listener';
import { GrantFeedRepository } from './grant-feed.repository';
import { GrantFeed } from './grant-feed.service';

@Global()
@Module({
  providers: [
    GrantFeed,
    GrantFeedRepository,
    { provide: GrantChangeListener, inject: [QuietConnection], useFactory: (connection: QuietConnection) => new GrantChangeListener().listenOn(connection) },
  ],
  exports: [GrantFeed, GrantFeedRepository],
})
export class GrantFeedModule {}
