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
import type { SignUpOrigin } from '../sign-up-admission';
import { newAccountIn, passwordProblem, signUpProblems } from '../sign-up-form';
import { OwnerInvitations } from './owner-invitations.service';
import { type OwnerInvitation, OwnerMails } from './owner-mails';
import { claimPage, newOwnerPage, takeOverPage, welcomePage } from './owner-page';
import { TakeOverAccount } from './take-over-account';

interface Answered {
  readonly invitation: OwnerInvitation;
  readonly frame: Frame;
  readonly form: Form;
  readonly origin: SignUpOrigin;
}

/** The pages behind the link of a mail to a new owner. The token in its address is what proves, and what no other site knows; no cookie is read. */
@ApiExcludeController()
@Controller('passportsvc/accounts/invitations/:token')
export class OwnerInvitationController {
  constructor(
    private readonly mails: OwnerMails,
    private readonly invitations: OwnerInvitations,
    private readonly takeOver: TakeOverAccount,
  ) {}

  @Get()
  @Public()
  async show(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { invitation, account } = await this.find(token);
    const frame = frameOf(request, typeof account === 'object' ? account.locale : undefined);
    if (invitation === undefined || account === undefined) return refuse(frame, reply);
    if (account === 'nobody') return sendPage(reply, askFor(frame, invitation, { email: invitation.email, firstname: '', lastname: '' }, {}));
    return sendPage(reply, account.emailVerified ? claimPage(frame, invitation.place, invitation.email) : takeOverPage(frame, invitation, {}));
  }

  @Post()
  @Public()
  async accept(@Param('token') token: string, @Body() form: Form | undefined, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { invitation, account } = await this.find(token);
    const frame = frameOf(request, typeof account === 'object' ? account.locale : undefined);
    if (invitation === undefined || account === undefined) return refuse(frame, reply);
    const here = { invitation, frame, form: form ?? {}, origin: { address: request.ip, requestId: request.id } };
    const faulty = account === 'nobody' ? await this.create(here) : await this.claim(here, account);
    return faulty === undefined ? sendPage(reply, welcomePage(frameIn(frame.language), invitation.place)) : sendPage(reply, faulty, { status: 400 });
  }

  /** The page again, when something of the form has to be corrected. */
  private async create({ invitation, frame, form, origin }: Answered): Promise<string | undefined> {
    const entered = { ...newAccountIn(form), email: invitation.email };
    const password = textOf(form['password']);
    const problems = signUpProblems(entered, password, frame.texts);
    if (Object.keys(problems).length > 0) return askFor(frame, invitation, entered, problems);
    await this.invitations.create(invitation, { ...entered, password, locale: frame.language }, origin);
    return undefined;
  }

  private async claim({ invitation, frame, form, origin }: Answered, account: UserEntity): Promise<string | undefined> {
    if (account.emailVerified) {
      await this.invitations.claim(account, origin);
      return undefined;
    }
    const password = textOf(form['password']);
    const problem = passwordProblem(password, account.email, frame.texts);
    if (problem !== undefined) return takeOverPage(frame, invitation, { password: problem });
    await this.takeOver.run(account, password, { ...origin, language: frame.language });
    return undefined;
  }

  private async find(token: string): Promise<{ readonly invitation: OwnerInvitation | undefined; readonly account: UserEntity | 'nobody' | undefined }> {
    const invitation = this.mails.read(token);
    return { invitation, account: invitation && (await this.invitations.findAccount(invitation)) };
  }
}

const askFor = (frame: Frame, { place }: OwnerInvitation, entered: NewAccount, problems: Problems): string =>
  newOwnerPage(frame, place, { ...entered, problems, isBound: true, minLength: PASSWORD_POLICY.minLength });

const refuse = (frame: Frame, reply: FastifyReply) => sendPage(reply, invalidLinkPage(frame, 'invalid_invitation'), { status: 400 });
