import { type DynamicModule, Global, Module } from '@nestjs/common';
import { MAIL_SETTINGS, type MailSettings } from './mail-settings';
import { MailTransport } from './mail-transport.adapter';

/** Gives `MailTransport` to the whole service. */
@Global()
@Module({})
export class MailModule {
  static forRoot(settings: MailSettings): DynamicModule {
    return { module: MailModule, providers: [{ provide: MAIL_SETTINGS, useValue: settings }, MailTransport], exports: [MailTransport] };
  }
}
