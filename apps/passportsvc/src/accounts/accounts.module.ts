import { Module } from '@nestjs/common';
import { AccountsController } from './accounts.controller';
import { AccountFollowUps, AddressConfirmation } from './address-confirmation';
import { AddressConfirmationController } from './address-confirmation.controller';
import { ConfirmationTokens } from './confirmation-tokens';
import { InformationController } from './information.controller';
import { SignUps } from './sign-ups.service';

@Module({ controllers: [AccountsController, AddressConfirmationController, InformationController], providers: [AccountFollowUps, AddressConfirmation, ConfirmationTokens, SignUps] })
export class AccountsModule {}
