import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '@twinyard/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidLinkPage } from '../../pages/error-page';
import { frameIn, frameOf } from '../../pages/frame';
import { type Form, sendPage, textOf } from '../../pages/page-reply';
import { passwordProblem } from '../sign-up-form';
import { newPasswordPage, passwordSetPage } from './new-password-page';
import { PasswordResets } from './password-resets.service';

/** The page behind the link of a reset mail. The token in its address is what proves, and what no other site knows; no cookie is read. */
@ApiExcludeController()
@Controller('passportsvc/accounts/resets/:token')
export class PasswordResetController {
  constructor(private readonly resets: PasswordResets) {}

  /** Does not use the link up: programs that look through mails open every link in them. */
  @Get()
  @Public()
  async show(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const user = await this.resets.find(token);
    const frame = frameOf(request, user?.locale);
    if (user === undefined) return sendPage(reply, invalidLinkPage(frame, 'invalid_reset'), { status: 400 });
    return sendPage(reply, newPasswordPage(frame, user.email, {}));
  }

  @Post()
  @Public()
  async reset(@Param('token') token: string, @Body() form: Form | undefined, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const user = await this.resets.find(token);
    const frame = frameOf(request, user?.locale);
    if (user === undefined) return sendPage(reply, invalidLinkPage(frame, 'invalid_reset'), { status: 400 });
    const password = textOf(form?.['password']);
    const problem = passwordProblem(password, user.email, frame.texts);
    if (problem !== undefined) return sendPage(reply, newPasswordPage(frame, user.email, { password: problem }), { status: 400 });
    const isSet = await this.resets.reset(token, user, password, { address: request.ip, requestId: request.id, language: frame.language });
    return isSet ? sendPage(reply, passwordSetPage(frameIn(frame.language))) : sendPage(reply, invalidLinkPage(frame, 'invalid_reset'), { status: 400 });
  }
}
