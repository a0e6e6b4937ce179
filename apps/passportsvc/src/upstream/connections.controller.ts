import { Controller, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '@twinyard/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccountPages } from '../accounts/settings/account-pages.service';
import type { AccountVisit } from '../accounts/settings/account-session';
import { redirectTo, textOf } from '../pages/page-reply';
import { Connections } from './connections.service';
import { UPSTREAM_TEXTS } from './upstream-texts';

/** The form of the section on connected organizations; who is there is shown by the browser's session. */
@ApiExcludeController()
@Controller('passportsvc/api/accounts/connections')
export class ConnectionsController {
  constructor(
    private readonly pages: AccountPages,
    private readonly connections: Connections,
  ) {}

  @Post('disconnect')
  @Public()
  async disconnect(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.pages.during(request, reply, (visit) => this.answer(visit));
  }

  private async answer(visit: AccountVisit): Promise<void> {
    const { form, user, request, reply, place, frame } = visit;
    const named = { userId: user.id, providerId: textOf(form['provider']), subject: textOf(form['subject']) };
    const isRemoved = await this.connections.disconnect(named, { address: request.ip, requestId: request.id });
    return isRemoved ? redirectTo(reply, place.here()) : this.pages.show(visit, { '': UPSTREAM_TEXTS[frame.language].onlyWay }, { status: 409 });
  }
}
