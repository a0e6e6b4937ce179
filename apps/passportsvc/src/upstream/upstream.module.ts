import { Global, Module } from '@nestjs/common';
import { AccountConsent, ConsentPages } from './account-consent';
import { ConnectionsController } from './connections.controller';
import { Connections } from './connections.service';
import { HomeRealm } from './home-realm';
import { LinkJournal } from './link-journal';
import { LinkMails } from './link-mails';
import { AccountBelongings, ProvedAddress } from './proved-address';
import { UpstreamAccounts } from './upstream-accounts.service';
import { UpstreamArrivals } from './upstream-arrivals';
import { UpstreamAttemptsRepository } from './upstream-attempts.repository';
import { UpstreamDepartures } from './upstream-departures';
import { UpstreamIssuers } from './upstream-issuers';
import { UpstreamLinks } from './upstream-links';
import { UpstreamReplies } from './upstream-replies';
import { UpstreamSignIn } from './upstream-sign-in.service';
import { UpstreamSlots } from './upstream-slots';
import { UpstreamStates } from './upstream-state';
import { UpstreamTransport } from './upstream-transport.adapter';
import { UpstreamCallbackController, UpstreamController } from './upstream.controller';

/** Sign-in through the identity providers of organizations. */
@Global()
@Module({
  controllers: [ConnectionsController, UpstreamCallbackController, UpstreamController],
  providers: [
    AccountBelongings, AccountConsent, Connections, ConsentPages, HomeRealm, LinkJournal, LinkMails, ProvedAddress, UpstreamAccounts, UpstreamArrivals, UpstreamAttemptsRepository,
    UpstreamDepartures, UpstreamIssuers, UpstreamLinks, UpstreamReplies, UpstreamSignIn, UpstreamSlots, UpstreamStates, UpstreamTransport,
  ],
  exports: [UpstreamIssuers],
})
export class UpstreamModule {}
