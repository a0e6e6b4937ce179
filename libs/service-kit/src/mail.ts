/** Mail, for the services that send any: an entry of its own, so that the others do not load a mail library. */
export * from './mail/mail.module';
export * from './mail/mail-settings';
export * from './mail/mail-transport.adapter';
