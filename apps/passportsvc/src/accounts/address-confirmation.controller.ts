import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '@twinyard/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { confirmationPage, confirmedPage } from '../pages/confirmation-page';
import { errorPage } from '../pages/error-page';
import { PAGE_HEADERS, pageSecurityPolicy } from '../pages/page-security';
import { AddressConfirmation } from './address-confirmation';

const INVALID = { title: 'This link is not valid any more', reason: 'It was used for another address, or it is too old.', code: 'invalid_confirmation' };

/** The page behind the link of a confirmation mail. The token in its address is what proves; no cookie is read. */
@ApiExcludeController()
@Controller('passportsvc/accounts/confirmations/:token')
export class AddressConfirmationController {
  constructor(private readonly confirmation: AddressConfirmation) {}

  @Get()
  @Public()
  async show(@Param('token') token: string, @Res() reply: FastifyReply): Promise<void> {
    const user = await this.confirmation.find(token);
    await answer(reply, user === undefined ? errorPage(INVALID) : confirmationPage(user.email), user === undefined ? 400 : 200);
  }

  @Post()
  @Public()
  async confirm(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const isConfirmed = await this.confirmation.confirm(token, request.id);
    await answer(reply, isConfirmed ? confirmedPage() : errorPage(INVALID), isConfirmed ? 200 : 400);
  }
}

async function answer(reply: FastifyReply, page: string, status: number): Promise<void> {
  await reply.status(status).headers({ ...PAGE_HEADERS, 'Content-Security-Policy': pageSecurityPolicy() }).type('text/html; charset=utf-8').send(page);
}
