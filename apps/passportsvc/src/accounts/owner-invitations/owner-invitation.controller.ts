import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '@twinyard/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidLinkPage } from '../../pages/error-page';
import { type Frame, frameIn, frameOf } from '../../pages/frame';
import type { Problems } from '../../pages/form';
import type { NewAccount } from '../../pages/new-account-fields';
import { type Form, sendPage, textOf } from '../../pages/page-reply';
import type { UserEntity } from '../../users/user.entity';
import { PASSWORD_POLICY } from '../passwords';
import { newAccountIn, signUpProblems } from '../sign-up-form';
import { OwnerInvitations } from './owner-invitations.service';
import { type OwnerInvitation, OwnerMails } from './owner-mails';
import { claimPage, newOwnerPage, welcomePage } from './owner-page';

/** The pages behind the link of a mail to a new owner. The token in its address is what proves, and what no other site knows; no cookie is read. */
@ApiExcludeController()
@Controller('passportsvc/accounts/invitations/:token')
export class OwnerInvitationController {
  constructor(
    private readonly mails: OwnerMails,
    private readonly invitations: OwnerInvitations,
  ) {}

  @Get()
  @Public()
  async show(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { invitation, account } = await this.find(token);
    const frame = frameOf(request, typeof account === 'object' ? account.locale : undefined);
    if (invitation === undefined || account === undefined) return refuse(frame, reply);
    const { email, place } = invitation;
    return sendPage(reply, account === 'nobody' ? askFor(frame, invitation, { email, firstname: '', lastname: '' }, {}) : claimPage(frame, place, email));
  }

  @Post()
  @Public()
  async accept(@Param('token') token: string, @Body() form: Form | undefined, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { invitation, account } = await this.find(token);
    const frame = frameOf(request, typeof account === 'object' ? account.locale : undefined);
    if (invitation === undefined || account === undefined) return refuse(frame, reply);
    const origin = { address: request.ip, requestId: request.id };
    if (account === 'nobody') {
      const entered = { ...newAccountIn(form ?? {}), email: invitation.email };
      const password = textOf(form?.['password']);
      const problems = signUpProblems(entered, password, frame.texts);
      if (Object.keys(problems).length > 0) return sendPage(reply, askFor(frame, invitation, entered, problems), { status: 400 });
      await this.invitations.create(invitation, { ...entered, password, locale: frame.language }, origin);
    } else await this.invitations.claim(account, origin);
    return sendPage(reply, welcomePage(frameIn(frame.language), invitation.place));
  }

  private async find(token: string): Promise<{ readonly invitation: OwnerInvitation | undefined; readonly account: UserEntity | 'nobody' | undefined }> {
    const invitation = this.mails.read(token);
    return { invitation, account: invitation && (await this.invitations.findAccount(invitation)) };
  }
}

const askFor = (frame: Frame, { place }: OwnerInvitation, entered: NewAccount, problems: Problems): string =>
  newOwnerPage(frame, place, { ...entered, problems, isBound: true, minLength: PASSWORD_POLICY.minLength });

const refuse = (frame: Frame, reply: FastifyReply) => sendPage(reply, invalidLinkPage(frame, 'invalid_invitation'), { status: 400 });
