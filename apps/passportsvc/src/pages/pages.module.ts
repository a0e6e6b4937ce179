import { Global, Module } from '@nestjs/common';
import { Csrf } from './csrf';
import { PageSlots } from './page-slots';
import { Interactions } from './sign-in/interactions.service';
import { SignInController } from './sign-in/sign-in.controller';
import { SignInPages } from './sign-in/sign-in-pages.service';
import { StylesheetController } from './stylesheet.controller';

/** What people meet between an application and its answer. */
@Global()
@Module({
  controllers: [SignInController, StylesheetController],
  providers: [Csrf, Interactions, PageSlots, SignInPages],
  exports: [Csrf, Interactions, PageSlots],
})
export class PagesModule {}
