import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '@twinyard/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SIGN_IN_PATH } from '../oauth/oidc-configuration';
import { errorPage } from '../pages/error-page';
import { frameOf } from '../pages/frame';
import { redirectTo, sendPage, textOf } from '../pages/page-reply';
import { Interactions } from '../pages/sign-in/interactions.service';
import { AccountConsent } from './account-consent';
import { HomeRealm } from './home-realm';
import { UpstreamDepartures } from './upstream-departures';
import { UpstreamSignIn } from './upstream-sign-in.service';
import { browserOf } from './upstream-state';

/** Where issuers send browsers back to. The sign-in under way is found by the state; what follows is shown on its own pages. */
@ApiExcludeController()
@Controller('passportsvc/sign-in/upstream/callback/:providerId')
export class UpstreamCallbackController {
  constructor(
    private readonly signIn: UpstreamSignIn,
    private readonly realm: HomeRealm,
  ) {}

  @Get()
  @Public()
  async arrive(@Param('providerId') providerId: string, @Query() query: Record<string, unknown>, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const back = { providerId, browser: browserOf(request.headers.cookie), state: textOf(query['state']), search: new URL(request.url, 'http://issuer').search };
    const taken = await this.signIn.take(back);
    const provider = taken && (await this.realm.get(providerId));
    if (taken === undefined || provider === undefined) return sendEnded(request, reply);
    await this.signIn.arrive(taken.id, provider, back);
    return redirectTo(reply, `${SIGN_IN_PATH}/${taken.interactionUid}/upstream/attempts/${taken.id}`);
  }
}

async function sendEnded(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const frame = frameOf(request);
  const { signInEndedTitle: title, signInEnded: reason } = frame.texts.errors;
  await sendPage(reply, errorPage({ language: frame.language, texts: frame.texts }, { title, reason, code: 'sign_in_ended' }), { status: 400 });
}

/** The pages of a sign-in through an organization, below those of the sign-in that it belongs to. */
@ApiExcludeController()
@Controller('passportsvc/sign-in/:id/upstream')
export class UpstreamController {
  constructor(
    private readonly interactions: Interactions,
    private readonly departures: UpstreamDepartures,
    private readonly consent: AccountConsent,
  ) {}

  @Post()
  @Public()
  async byAddress(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.interactions.during(request, reply, (visit) => this.departures.byAddress(visit));
  }

  @Get(':providerId')
  @Public()
  async leave(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.interactions.during(request, reply, (visit) => this.departures.leave(visit));
  }

  @Get('attempts/:attemptId')
  @Public()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.interactions.during(request, reply, (visit) => this.consent.show(visit));
  }

  @Post('attempts/:attemptId/password')
  @Public()
  async byPassword(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.interactions.during(request, reply, (visit) => this.consent.byPassword(visit));
  }

  @Post('attempts/:attemptId/mail')
  @Public()
  async sendMail(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.interactions.during(request, reply, (visit) => this.consent.sendMail(visit));
  }

  @Get('attempts/:attemptId/link/:token')
  @Public()
  async askOnceMore(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.interactions.during(request, reply, (visit) => this.consent.byMail(visit));
  }

  @Post('attempts/:attemptId/link/:token')
  @Public()
  async byMail(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.interactions.during(request, reply, (visit) => this.consent.byMail(visit));
  }
}
