import { Module } from '@nestjs/common';
import { AccountsController } from './accounts.controller';
import { InformationController } from './information.controller';
import { SignUps } from './sign-ups.service';

@Module({ controllers: [AccountsController, InformationController], providers: [SignUps] })
export class AccountsModule {}
