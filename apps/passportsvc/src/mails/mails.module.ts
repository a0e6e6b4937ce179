import { type DynamicModule, Global, Module } from '@nestjs/common';
import { MailModule } from '@twinyard/service-kit/mail';
import type { PassportSettings } from '../config';
import { InvitationLimit } from './invitation-limit';
import { LeftOverMails } from './left-over-mails';
import { MailWorker } from './mail-worker';
import { MailsRepository } from './mails.repository';

@Global()
@Module({})
export class MailsModule {
  static forRoot(settings: PassportSettings): DynamicModule {
    return { module: MailsModule, imports: [MailModule.forRoot(settings)], providers: [InvitationLimit, MailsRepository, MailWorker, LeftOverMails], exports: [InvitationLimit, MailsRepository] };
  }
}
