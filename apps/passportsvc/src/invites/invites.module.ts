import { Global, Module } from '@nestjs/common';
import { AcceptInvite } from './accept-invite';
import { InviteCalendar } from './invite-calendar';
import { InviteMails } from './invite-mails';
import { InvitesController } from './invites.controller';
import { InvitesRepository } from './invites.repository';
import { InviteJournal, InvitesService } from './invites.service';

@Global()
@Module({ controllers: [InvitesController], providers: [AcceptInvite, InviteCalendar, InviteJournal, InviteMails, InvitesRepository, InvitesService], exports: [AcceptInvite] })
export class InvitesModule {}
