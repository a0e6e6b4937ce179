import { Global, Module } from '@nestjs/common';
import { BeforeReplay } from '@twinyard/auth';
import { QuietConnection } from '@twinyard/service-kit';
import { GrantChangeListener } from './grant-change-listener';
import { GrantFeedRepository } from './grant-feed.repository';
import { GrantFeed } from './grant-feed.service';

@Global()
@Module({
  providers: [
    GrantFeed,
    GrantFeedRepository,
    { provide: BeforeReplay, inject: [GrantFeed], useFactory: (feed: GrantFeed): BeforeReplay => ({ wait: () => feed.inForce() }) },
    { provide: GrantChangeListener, inject: [QuietConnection], useFactory: (connection: QuietConnection) => new GrantChangeListener().listenOn(connection) },
  ],
  exports: [BeforeReplay, GrantFeed, GrantFeedRepository],
})
export class GrantFeedModule {}
