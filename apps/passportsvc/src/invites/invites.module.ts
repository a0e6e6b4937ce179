import { Global, Module } from '@nestjs/common';
import { AcceptInvite } from './accept-invite';
import { AnswerInvite } from './answer-invite';
import { InviteCalendar } from './invite-calendar';
import { InviteMails } from './invite-mails';
import { InvitesController } from './invites.controller';
import { InvitesRepository } from './invites.repository';
import { InviteJournal, InvitesService } from './invites.service';

@Global()
@Module({ controllers: [InvitesController], providers: [AcceptInvite, AnswerInvite, InviteCalendar, InviteJournal, InviteMails, InvitesRepository, InvitesService], exports: [AcceptInvite, AnswerInvite, InvitesRepository] })
export class InvitesModule {}
