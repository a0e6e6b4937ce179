import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '@twinyard/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SIGN_IN_PATH } from '../oauth/oidc-configuration';
import { confirmationPage, confirmedPage } from '../pages/confirmation-page';
import { invalidLinkPage } from '../pages/error-page';
import { frameOf } from '../pages/frame';
import { sendPage } from '../pages/page-reply';
import { AddressConfirmation } from './address-confirmation';

/** The page behind the link of a confirmation mail. The token in its address is what proves, and what no other site knows; no cookie is read. */
@ApiExcludeController()
@Controller('passportsvc/accounts/confirmations/:token')
export class AddressConfirmationController {
  constructor(private readonly confirmation: AddressConfirmation) {}

  @Get()
  @Public()
  async show(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const found = await this.confirmation.find(token);
    const frame = frameOf(request, found?.user.locale);
    if (found === undefined) return sendPage(reply, invalidLinkPage(frame, 'invalid_confirmation'), { status: 400 });
    return sendPage(reply, confirmationPage(frame, found.user.email));
  }

  @Post()
  @Public()
  async confirm(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const found = await this.confirmation.confirm(token, { address: request.ip, requestId: request.id });
    const frame = frameOf(request, found?.user.locale);
    if (found === undefined) return sendPage(reply, invalidLinkPage(frame, 'invalid_confirmation'), { status: 400 });
    return sendPage(reply, confirmedPage(frame, found.signInId === undefined ? undefined : `${SIGN_IN_PATH}/${found.signInId}`));
  }
}
