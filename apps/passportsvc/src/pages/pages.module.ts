import { Global, Module } from '@nestjs/common';
import { Csrf } from './csrf';
import { PageSlots } from './page-slots';
import { Interactions } from './sign-in/interactions.service';
import { InvitePages } from './sign-in/invite-pages.service';
import { Invited } from './sign-in/invited';
import { NewAccountController } from './sign-in/new-account.controller';
import { ResetRequestPages } from './sign-in/reset-request-pages.service';
import { SignInController } from './sign-in/sign-in.controller';
import { SignInPages } from './sign-in/sign-in-pages.service';
import { SignUpPages } from './sign-in/sign-up-pages.service';
import { StylesheetController } from './stylesheet.controller';

/** What people meet between an application and its answer. */
@Global()
@Module({
  controllers: [SignInController, NewAccountController, StylesheetController],
  providers: [Csrf, Interactions, InvitePages, Invited, PageSlots, ResetRequestPages, SignInPages, SignUpPages],
  exports: [Csrf, Interactions, PageSlots],
})
export class PagesModule {}
