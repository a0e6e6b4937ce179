import { Global, Module } from '@nestjs/common';
import { AccountMails } from './account-mails';
import { AccountsController } from './accounts.controller';
import { AccountFollowUps, AddressConfirmation } from './address-confirmation';
import { AddressConfirmationController } from './address-confirmation.controller';
import { ConfirmationTokens } from './confirmation-tokens';
import { InformationController } from './information.controller';
import { InvitedAddressesRepository } from './invited-addresses.repository';
import { MailThrottle } from './mail-throttle';
import { NewPassword } from './new-password';
import { PasswordJournal } from './password-journal';
import { OwnerInvitationController } from './owner-invitations/owner-invitation.controller';
import { OwnerInvitations } from './owner-invitations/owner-invitations.service';
import { OwnerMails } from './owner-invitations/owner-mails';
import { TakeOverAccount } from './owner-invitations/take-over-account';
import { PasswordResetController } from './reset/password-reset.controller';
import { PasswordResetsRepository } from './reset/password-resets.repository';
import { PasswordResets } from './reset/password-resets.service';
import { ResetMails, ResetRequests, ResetWorker } from './reset/reset-requests.service';
import { AccessKeyForms } from './settings/access-key-forms';
import { AccountController } from './settings/account.controller';
import { AccountForms, AccountPages } from './settings/account-pages.service';
import { AccountSession } from './settings/account-session';
import { AccountSettings, ConfirmationMails, PasswordChange } from './settings/account-settings.service';
import { SignUpAdmission } from './sign-up-admission';
import { SignUps } from './sign-ups.service';
import { SignedTokens } from './signed-tokens';

/** What people do with their accounts: make them, show whose address it is, set a password, change and leave. */
@Global()
@Module({
  controllers: [AccountsController, AccountController, AddressConfirmationController, InformationController, OwnerInvitationController, PasswordResetController],
  providers: [
    AccessKeyForms, AccountFollowUps, AccountForms, AccountMails, AccountPages, AccountSession, AccountSettings, AddressConfirmation, ConfirmationMails, ConfirmationTokens,
    InvitedAddressesRepository, MailThrottle, NewPassword, OwnerInvitations, OwnerMails, PasswordChange, PasswordJournal, PasswordResets, PasswordResetsRepository,
    ResetMails, ResetRequests, ResetWorker, SignedTokens, SignUpAdmission, SignUps, TakeOverAccount,
  ],
  exports: [AccountFollowUps, AccountMails, AccountPages, AccountSession, AddressConfirmation, ConfirmationMails, MailThrottle, OwnerMails, ResetRequests, SignedTokens, SignUps],
})
export class AccountsModule {}
